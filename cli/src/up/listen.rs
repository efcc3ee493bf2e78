//! The address that the api will listen on, checked before anything else is started.

use anyhow::Context;
use runtime::config::ApiSettings;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::time::Duration;
use tokio::net::TcpStream;

/// Refuses an address that is taken, and replaces port 0 by a free one. Returns the public URL without a slash at its
/// end; unless one is set, it becomes the URL for clients on this machine.
pub(super) fn settle(api: &mut ApiSettings) -> anyhow::Result<String> {
    let bound = TcpListener::bind(api.listen).with_context(|| {
        format!("{} can't be listened on; `--listen 127.0.0.1:0` takes any port that is free", api.listen)
    })?;
    api.listen = bound.local_addr()?;
    if let Some(listen) = &mut api.operator_listen {
        let bound = TcpListener::bind(*listen).with_context(|| format!("{listen} can't be listened on"))?;
        *listen = bound.local_addr()?;
    }
    let local = format!("http://{}", reachable(api.listen));
    Ok(api.public_url.get_or_insert(local).trim_end_matches('/').to_owned())
}

/// Waits until something listens at this address.
pub(super) async fn wait(listen: SocketAddr) {
    while TcpStream::connect(reachable(listen)).await.is_err() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// The unspecified address can be listened on, but not connected to: loopback takes its place.
pub(super) fn reachable(listen: SocketAddr) -> SocketAddr {
    match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => (Ipv4Addr::LOCALHOST, listen.port()).into(),
        IpAddr::V6(ip) if ip.is_unspecified() => (std::net::Ipv6Addr::LOCALHOST, listen.port()).into(),
        _ => listen,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runtime::config::OAuthSettings;

    fn api(listen: &str) -> ApiSettings {
        ApiSettings {
            portal_frame_ancestors: Vec::new(),
            listen: listen.parse().unwrap(),
            public_url: None,
            operator_listen: None,
            operator_allow: Vec::new(),
            trusted_proxies: Vec::new(),
            oauth: OAuthSettings::default(),
            max_connections: 1,
            max_address_connections: 1,
            max_account_requests: 1,
            max_account_uploads: 1,
            direct_uploads: false,
            max_account_downloads: 1,
            media_link_seconds: 60,
            wrong_credentials_per_minute: 1,
            mcp_hosts: Vec::new(),
        }
    }

    #[test]
    fn port_0_becomes_a_real_one_and_every_address_a_local_url() {
        let mut any = api("0.0.0.0:0");
        let url = settle(&mut any).unwrap();
        assert_ne!(any.listen.port(), 0);
        assert_eq!(url, format!("http://127.0.0.1:{}", any.listen.port()));
    }

    #[test]
    fn a_public_url_stays_as_it_was_given_but_for_the_slash_at_its_end() {
        let mut given = ApiSettings { public_url: Some("https://media.example/".to_owned()), ..api("127.0.0.1:0") };
        assert_eq!(settle(&mut given).unwrap(), "https://media.example");
    }

    #[test]
    fn a_taken_address_is_refused_with_a_way_out() {
        let taken = TcpListener::bind("127.0.0.1:0").unwrap();
        let error = settle(&mut api(&taken.local_addr().unwrap().to_string())).unwrap_err();
        assert!(error.to_string().contains("--listen 127.0.0.1:0"), "{error}");
    }
}
