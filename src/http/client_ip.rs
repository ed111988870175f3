//! The address a request came from, as far as it can be believed.

use std::net::IpAddr;

use actix_web::HttpRequest;
use ipnet::IpNet;

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
    // A socket that takes both kinds shows IPv4 peers in their mapped form, which no configured network holds.
    let peer = req.peer_addr().map_or(IpAddr::from([0, 0, 0, 0]), |address| address.ip().to_canonical());
    let is_trusted = |address: &IpAddr| trusted.iter().any(|network| network.contains(address));
    if !is_trusted(&peer) {
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
        let Ok(address) = hop.trim().parse::<IpAddr>() else { return nearest };
        nearest = address;
        if !is_trusted(&address) {
            return address;
        }
    }
    nearest
}
