//! The address a request came from, as far as it can be believed.

use std::net::{IpAddr, SocketAddr};

use actix_web::HttpRequest;
use ipnet::IpNet;

/// Who is at the other end of the connection. A socket that takes both kinds shows IPv4 peers in their mapped form,
/// which no configured network holds.
fn peer(req: &HttpRequest) -> Option<IpAddr> {
    req.peer_addr().map(|address| address.ip().to_canonical())
}

fn is_in(trusted: &[IpNet], address: IpAddr) -> bool {
    trusted.iter().any(|network| network.contains(&address))
}

/// True if the peer itself, whatever it says of others, is a trusted proxy.
pub fn is_trusted(req: &HttpRequest, trusted: &[IpNet]) -> bool {
    peer(req).is_some_and(|peer| is_in(trusted, peer))
}

/// The address as what it costs to have one: an IPv6 customer has a whole /64 to come from.
pub fn source(req: &HttpRequest, trusted: &[IpNet]) -> String {
    match client_ip(req, trusted) {
        IpAddr::V4(own) => own.to_string(),
        IpAddr::V6(own) => {
            let [a, b, c, d, ..] = own.segments();
            format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
        }
    }
}

/// The peer's address, or, where the peer is a trusted proxy, the nearest address in `X-Forwarded-For` that is
/// not one.
pub fn client_ip(req: &HttpRequest, trusted: &[IpNet]) -> IpAddr {
    let peer = peer(req).unwrap_or(IpAddr::from([0, 0, 0, 0]));
    if !is_in(trusted, peer) {
        return peer;
    }
    let forwarded: Vec<&str> = req
        .headers()
        .get_all("x-forwarded-for")
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .collect();
    let mut nearest = peer;
    for hop in forwarded.iter().rev() {
        let Some(address) = hop_address(hop.trim()) else { return nearest };
        nearest = address;
        if !is_in(trusted, address) {
            return address;
        }
    }
    nearest
}

/// One entry of the header: some proxies write the port beside the address, and IPv6 then stands in brackets.
fn hop_address(entry: &str) -> Option<IpAddr> {
    let bare = entry.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(entry);
    let address: Option<IpAddr> =
        bare.parse().ok().or_else(|| entry.parse().ok().map(|address: SocketAddr| address.ip()));
    address.map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    fn check(peer: &str, forwarded: &[&str]) -> String {
        let trusted: Vec<IpNet> =
            ["127.0.0.0/8", "fd00::/8"].iter().map(|net| net.parse().unwrap()).collect();
        let mut request = TestRequest::default().peer_addr(peer.parse().unwrap());
        for value in forwarded {
            request = request.append_header(("x-forwarded-for", *value));
        }
        client_ip(&request.to_http_request(), &trusted).to_string()
    }

    #[test]
    fn only_trusted_proxies_are_believed_and_only_as_far_as_they_are() {
        assert_eq!(check("203.0.113.9:1", &["198.51.100.7"]), "203.0.113.9", "not a proxy of ours");
        assert_eq!(check("127.0.0.1:1", &[]), "127.0.0.1");
        assert_eq!(check("[::ffff:127.0.0.1]:1", &["198.51.100.7"]), "198.51.100.7", "the same proxy");
        assert_eq!(check("[::ffff:203.0.113.9]:1", &["198.51.100.7"]), "203.0.113.9");
        assert_eq!(check("127.0.0.1:1", &["198.51.100.7"]), "198.51.100.7");
        assert_eq!(check("127.0.0.1:1", &["192.0.2.1, 198.51.100.7, 127.0.0.2"]), "198.51.100.7");
        assert_eq!(
            check("127.0.0.1:1", &["192.0.2.1", "198.51.100.7"]),
            "198.51.100.7",
            "two lines are one list"
        );
        assert_eq!(check("127.0.0.1:1", &["192.0.2.1, unknown"]), "127.0.0.1", "what cannot be read ends it");
    }

    #[test]
    fn a_port_beside_an_address_is_understood() {
        for (entry, address) in [
            ("198.51.100.7:51234", "198.51.100.7"),
            ("2001:db8::7", "2001:db8::7"),
            ("[2001:db8::7]", "2001:db8::7"),
            ("[2001:db8::7]:51234", "2001:db8::7"),
            ("::ffff:198.51.100.7", "198.51.100.7"),
            ("198.51.100.7:51234, [fd00::1]:443, 127.0.0.3:80", "198.51.100.7"),
        ] {
            assert_eq!(check("127.0.0.1:1", &[entry]), address, "{entry}");
        }
        for entry in ["198.51.100.7:", "198.51.100.7:x", "[198.51.100.7", "198.51.100.7:99999", "_hidden"] {
            assert_eq!(check("127.0.0.1:1", &[entry]), "127.0.0.1", "{entry}");
        }
    }
}
