//! Names looked up at a name server that answers as it is told.

use super::*;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::net::UdpSocket;

/// A name server that answers A with 192.0.2.7, AAAA with nothing, and names that begin with `hang` never.
async fn name_server() -> (SocketAddr, Arc<AtomicUsize>) {
    let socket = UdpSocket::bind("127.0.0.1:0").await.expect("a socket");
    let address = socket.local_addr().expect("an address");
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    tokio::spawn(async move {
        let mut question = [0; 512];
        while let Ok((length, from)) = socket.recv_from(&mut question).await {
            let is_a = question[..length].ends_with(&[0, 1, 0, 1]);
            counted.fetch_add(usize::from(is_a), Ordering::SeqCst);
            if let Some(answer) = answer(&question[..length]) {
                let _ = socket.send_to(&answer, from).await;
            }
        }
    });
    (address, asked)
}

fn answer(question: &[u8]) -> Option<Vec<u8>> {
    if question[13..].starts_with(b"hang") {
        return None;
    }
    let end = 12 + question[12..].iter().position(|byte| *byte == 0)? + 5;
    let is_a = question[end - 4..end - 2] == [0, 1] && question[12] != 0;
    let mut answer = question[..end].to_vec();
    answer[2..12].copy_from_slice(&[0x81, 0x80, 0, 1, 0, u8::from(is_a), 0, 0, 0, 0]);
    if is_a {
        answer.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 7]);
    }
    Some(answer)
}

fn asking(server: SocketAddr) -> SystemNames {
    let mut udp = NameServerConfig::udp(server.ip());
    for connection in &mut udp.connections {
        connection.port = server.port();
    }
    let config = ResolverConfig::from_parts(None, vec!["inside.example.com".parse().expect("a name")], vec![udp]);
    let mut builder = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
    set(builder.options_mut(), &resolv_conf::Config::new());
    builder.options_mut().edns0 = false;
    let resolver = builder.build().expect("a resolver");
    let changed = SystemNames::new().changed();
    let current = Current { resolver, changed, looked: Instant::now() + Duration::from_hours(1) };
    SystemNames { current: Mutex::new(Some(current)), ..SystemNames::new() }
}

#[tokio::test]
async fn a_name_is_asked_for_once_while_its_answer_is_good() {
    let (server, asked) = name_server().await;
    let names = asking(server);
    for _ in 0..3 {
        let found = names.addresses("hooks.example.com").await;
        assert_eq!(found, Ok(vec![IpAddr::V4(Ipv4Addr::new(192, 0, 2, 7))]));
    }
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_name_that_hangs_ends_by_itself_and_holds_up_no_other() {
    let (server, _) = name_server().await;
    let names = Arc::new(asking(server));
    let began = Instant::now();
    let hanging: Vec<_> = (0..600)
        .map(|number| {
            let names = Arc::clone(&names);
            tokio::spawn(async move { names.addresses(&format!("hang{number}.example.com")).await })
        })
        .collect();
    tokio::task::yield_now().await;
    assert!(names.addresses("hooks.example.com").await.is_ok());
    assert!(hanging.iter().any(|one| !one.is_finished()), "it is answered while the others hang");
    for one in hanging {
        assert_eq!(one.await.expect("no panic"), Err(Unresolved::Failed));
    }
    assert!(began.elapsed() < LONGEST_LOOKUP + Duration::from_mins(1), "{:?}", began.elapsed());
}

#[tokio::test]
async fn a_name_server_that_is_not_there_is_a_fault_of_ours() {
    let gone = UdpSocket::bind("127.0.0.1:0").await.expect("a socket").local_addr().expect("an address");
    assert_eq!(asking(gone).addresses("hooks.example.com").await, Err(Unresolved::Ours));
}

#[tokio::test]
async fn the_hosts_file_and_localhost_are_known_without_a_name_server() {
    let names = SystemNames { files: ["/nonexistent".into(), "/etc/hosts".into()], ..SystemNames::new() };
    let found = names.addresses("localhost").await.expect("loopback");
    assert!(found.iter().all(IpAddr::is_loopback) && !found.is_empty(), "{found:?}");
}
