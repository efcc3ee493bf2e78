//! Names that lead elsewhere than they did, nowhere, to thousands of addresses, or hang.

use super::*;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};

#[tokio::test]
async fn a_name_that_changes_its_answer_after_the_check_gains_nothing() {
    let receiver = Receiver::tls(Behaviour::Answers(OK.to_vec())).await;
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = asked.clone();
    let rebinding = Lookup::from_fn(move |_| {
        let first = counted.fetch_add(1, Ordering::SeqCst) == 0;
        let address: IpAddr = if first { [8, 8, 8, 8].into() } else { [127, 0, 0, 1].into() };
        Box::pin(async move { Ok(vec![address]) })
    });
    let client = client("", &[&receiver], rebinding);
    assert!(client.check_resolves_public(&hook(&receiver), AccountId::mint()).await.is_ok());
    for _ in 0..3 {
        let outcome = client.post_webhook(to(hook(&receiver))).await;
        assert_eq!(outcome.error, Some(AttemptError::UrlNotPublic));
    }
    assert_eq!((asked.load(Ordering::SeqCst), receiver.connections()), (4, 0));
}

#[tokio::test]
async fn an_endpoint_may_be_created_before_its_name_exists() {
    let table = "public.example.com=8.8.8.8 private.example.com=8.8.8.8,10.0.0.1";
    let client = client("", &[], names(table));
    let check = async |url: &str| client.check_resolves_public(url, AccountId::mint()).await.map(drop);
    assert_eq!(check("https://public.example.com/").await, Ok(()));
    assert_eq!(check("https://not-yet.example.com/").await, Ok(()));
    assert_eq!(check("https://8.8.8.8/").await, Ok(()));
    assert_eq!(check("https://private.example.com/").await, Err(UrlRefused::UrlNotPublic));
    assert_eq!(check("https://10.0.0.1/").await, Err(UrlRefused::UrlNotPublic));
    assert_eq!(check("http://public.example.com/").await, Err(UrlRefused::UrlNotHttps));
    assert_eq!(check("https://user@public.example.com/").await, Err(UrlRefused::Malformed));
}

#[tokio::test]
async fn what_may_lead_into_named_networks_alone_does_so_when_it_is_registered() {
    let table = "receiver=127.0.0.1 hook.internal=127.0.0.1 astray.internal=8.8.8.8 here.example.com=127.0.0.1 \
        there.example.com=8.8.8.8";
    let (open, closed) = (client("127.0.0.0/8", &[], names(table)), client("", &[], names(table)));
    let check =
        async |client: &OutboundClient, url: &str| client.check_resolves_public(url, AccountId::mint()).await.map(drop);
    for (url, expected) in [
        ("http://receiver/", Ok(())),
        ("https://receiver/", Ok(())),
        ("https://hook.internal/", Ok(())),
        ("http://here.example.com/", Ok(())),
        ("https://not-yet.example.com/", Ok(())),
        ("http://there.example.com/", Err(UrlRefused::UrlNotHttps)),
        ("http://not-yet.example.com/", Err(UrlRefused::UrlNotHttps)),
        ("https://astray.internal/", Err(UrlRefused::UrlNotPublic)),
        ("https://not-yet.internal/", Err(UrlRefused::UrlNotPublic)),
        ("http://nobody/", Err(UrlRefused::UrlNotPublic)),
        ("https://abc.onion/", Err(UrlRefused::UrlNotPublic)),
    ] {
        assert_eq!(check(&open, url).await, expected, "{url}");
    }
    for url in ["https://receiver/", "https://hook.internal/", "https://hook.test/", "https://nobody.local/"] {
        assert_eq!(check(&closed, url).await, Err(UrlRefused::UrlNotPublic), "{url}");
    }
}

#[tokio::test]
async fn of_a_name_with_thousands_of_addresses_few_are_tried_and_all_are_judged() {
    let lookup = Lookup::from_fn(|name| {
        let four = (0..4_000_u32).map(|n| IpAddr::from((0x5db8_0000 + n).to_be_bytes()));
        let six = (0..4_000_u16).map(|n| IpAddr::from([0x2606, 0x2800, 0, 0, 0, 0, 0, n]));
        let inward = (name == "inward.example.com").then(|| IpAddr::from([10, 0, 0, 1]));
        let all = four.chain(six).chain(inward).collect();
        Box::pin(async move { Ok(all) })
    });
    let resolver = VettingResolver::new(lookup, Arc::default(), Plain::No, Shares::default());
    let tried = resolver.clone().vetted("many.example.com".to_owned(), None).await.expect("public");
    let of_four = tried.iter().filter(|address| address.is_ipv4()).count();
    assert_eq!((tried.len(), of_four), (8, 4), "{tried:?}");
    assert!(tried[0].is_ipv4(), "in the order that they came: {tried:?}");
    let refused = resolver.vetted("inward.example.com".to_owned(), None).await;
    assert!(matches!(refused, Err(ResolveError::Refused(_))), "{refused:?}");
}

#[tokio::test]
async fn names_of_one_account_that_hang_are_its_own_matter_and_no_failure_of_its_endpoints() {
    let receiver = Receiver::tls(Behaviour::Answers(OK.to_vec())).await;
    let lookup = Lookup::from_fn(|name| {
        Box::pin(async move {
            if name.starts_with("hang") {
                std::future::pending::<()>().await;
            }
            Ok(vec![IpAddr::from([127, 0, 0, 1])])
        })
    });
    let client = client("127.0.0.0/8", &[&receiver], lookup);
    let account = AccountId::mint();
    let hanging: Vec<_> = (0..100)
        .map(|number| {
            // Much longer than the others wait for their turn.
            let timeout = Duration::from_secs(10);
            let request = WebhookRequest { account, timeout, ..to(format!("https://hang{number}.example.com/")) };
            let client = client.clone();
            tokio::spawn(async move { client.post_webhook(request).await })
        })
        .collect();
    tokio::task::yield_now().await;
    let others = client.post_webhook(to(hook(&receiver))).await;
    assert_eq!((others.error, others.is_ours), (None, false));
    let at_work = hanging.iter().filter(|one| !one.is_finished()).count();
    assert!(at_work >= 32, "it is sent while the others hang: {at_work}");
    let own = client.post_webhook(WebhookRequest { account, ..to(hook(&receiver)) }).await;
    // Another account's connection is at hand, so that nothing has to be looked up; or else it is told as ours.
    assert!(own.error.is_none() || own.is_ours, "{own:?}");
    let mut ours = 0;
    for one in hanging {
        let outcome = one.await.expect("no panic");
        assert!(outcome.is_ours || outcome.error == Some(AttemptError::Timeout), "{outcome:?}");
        ours += usize::from(outcome.is_ours);
    }
    assert_eq!(ours, 68, "32 are looked up at once, and those who wait in vain are not counted");
}

#[tokio::test]
async fn a_resolver_that_hangs_does_not_hold_up_a_creation() {
    let client = client("", &[], Lookup::from_fn(|_| Box::pin(std::future::pending())));
    assert!(
        client
            .check_resolves_within("https://slow.example.com/", AccountId::mint(), Duration::from_millis(10))
            .await
            .is_ok()
    );
}
