//! The address a request came from, as far as it can be believed.

use std::net::IpAddr;

use actix_web::HttpRequest;
use ipnet::IpNet;

/// True if the peer itself, whatever it says of others, is a trusted proxy.
pub fn is_trusted(req: &HttpRequest, trusted: &[IpNet]) -> bool {
    req.peer_addr().is_some_and(|peer| trusted.iter().any(|network| network.contains(&peer.ip())))
}

/// The peer's address, or, where the peer is a trusted proxy, the nearest address in `X-Forwarded-For` that is
/// not one.
pub fn client_ip(req: &HttpRequest, trusted: &[IpNet]) -> IpAddr {
    let peer = req.peer_addr().map_or(IpAddr::from([0, 0, 0, 0]), |address| address.ip());
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
