//! Which port serves which routes, and to whom: operators' routes and the metrics may have a port of their own
//! (`MWS_OPERATOR_LISTEN`) and a list of allowed addresses (`MWS_OPERATOR_ALLOW`).
//!
//! Whoever is refused is told that there is no such route: only operators need to know that it is elsewhere.

use crate::http::API_PATH;
use ipnet::IpNet;
use std::net::IpAddr;

/// The path of the metrics, which are those of all customers together.
const METRICS: &str = "/metrics";
/// The prefix of the paths of the operators' pages.
pub const CONSOLE_PATH: &str = "/console";
/// The paths that every port serves, for load balancers.
const PROBES: [&str; 2] = ["/healthz", "/readyz"];

/// Which routes a port serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Door {
    /// Everything: there is one port.
    Everyone,
    /// All but operators' routes and the metrics.
    Customers,
    /// Operators' routes, the metrics and the probes alone.
    Operators,
}

/// Whether the path is that of a load balancer's probe, which is always answered, and at once.
pub fn is_probe(path: &str) -> bool {
    PROBES.contains(&path)
}

/// Whether this door serves a request for this path from this address.
pub fn lets_in(door: Door, path: &str, address: Option<IpAddr>, allowed: &[IpNet]) -> bool {
    let below = path.strip_prefix(API_PATH).and_then(|rest| rest.strip_prefix("/operator"));
    let is_below = |rest: &str| rest.is_empty() || rest.starts_with('/');
    let operators =
        path == METRICS || below.is_some_and(is_below) || path.strip_prefix(CONSOLE_PATH).is_some_and(is_below);
    match (door, operators) {
        (Door::Customers, true) => false,
        (Door::Operators, false) => is_probe(path),
        (Door::Everyone | Door::Customers, false) => true,
        (Door::Everyone | Door::Operators, true) => {
            let is_named = |address: IpAddr| allowed.iter().any(|network| network.contains(&address.to_canonical()));
            allowed.is_empty() || address.is_some_and(is_named)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_port_answers_its_own_routes_and_operators_from_their_addresses() {
        let office: Vec<IpNet> = vec!["10.1.0.0/16".parse().expect("a network")];
        let (inside, outside) = ("10.1.2.3".parse().ok(), "10.2.2.3".parse().ok());
        let operators = ["/api/v1/operator/accounts", "/api/v1/operator", "/metrics", "/console", "/console/in/esc_0"];
        let customers = ["/api/v1/keys", "/mcp", "/docs", "/api/v1/operators", "/metrics2", "/consoles"];
        for path in operators {
            assert!(lets_in(Door::Everyone, path, outside, &[]), "{path}");
            assert!(lets_in(Door::Operators, path, None, &[]), "{path}");
            assert!(!lets_in(Door::Customers, path, inside, &office), "{path}");
            for door in [Door::Everyone, Door::Operators] {
                assert!(lets_in(door, path, inside, &office), "{path}");
                assert!(!lets_in(door, path, outside, &office) && !lets_in(door, path, None, &office), "{path}");
            }
        }
        for path in customers {
            assert!(
                lets_in(Door::Everyone, path, outside, &office) && lets_in(Door::Customers, path, outside, &office)
            );
            assert!(!lets_in(Door::Operators, path, inside, &office), "{path}");
        }
        for path in PROBES {
            for door in [Door::Everyone, Door::Customers, Door::Operators] {
                assert!(lets_in(door, path, outside, &office), "{path}");
            }
        }
    }
}
