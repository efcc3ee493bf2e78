//! Who may read and change the account's signing secret (contract §5.3), and what becomes of it when the key that
//! seals it is changed, or lost.

use crate::bench::Bench;
use crate::routes::call;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::series::DeliveryStatus;
use mws_tests::world::World;
use poem::http::Method;
use runtime::process::Process;
use secrecy::SecretString;
use serde_json::json;
use std::sync::Arc;
use worker::deliver::Deliverer;

fn key(seed: u8) -> SecretString {
    SecretString::from(STANDARD.encode([seed; 32]))
}

#[tokio::test]
async fn a_sessions_token_may_neither_read_nor_make_nor_remove_the_signing_secret() -> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("one").await?;
    let session = world.session(&tenant).await?;
    let rotate = Some(r#"{"rotate":true}"#.to_owned());
    for there_is_one in [false, true] {
        if there_is_one {
            assert_eq!(tenant.client.send("POST", "/webhook-secret", &[], None).await?.status, 200);
        }
        let before = tenant.client.send("GET", "/webhook-secret", &[], None).await?;
        for (method, body) in [("GET", None), ("POST", None), ("POST", rotate.clone()), ("DELETE", None)] {
            let refused = session.send(method, "/webhook-secret", &[], body).await?;
            assert_eq!((refused.status, refused.code()), (403, "session_not_allowed"), "{method}");
            assert!(!refused.text.contains("whsec_"), "{}", refused.text);
        }
        let after = tenant.client.send("GET", "/webhook-secret", &[], None).await?;
        assert_eq!((after.status, after.json), (before.status, before.json), "nothing was changed");
    }
    // All else about webhooks it may manage (contract §5).
    assert_eq!(session.send("GET", "/webhooks", &[], None).await?.status, 200);
    world.end().await
}

#[tokio::test]
async fn keys_that_change_twice_orphan_nothing_and_a_start_without_a_key_that_is_needed_is_refused()
-> anyhow::Result<()> {
    let world = World::new().await?;
    let tenant = world.tenant("one").await?;
    let first = world.settings.secret_key.clone();
    assert_eq!(tenant.client.send("POST", "/webhook-secret", &[], None).await?.status, 200);
    let rotate = || Some(r#"{"rotate":true}"#.to_owned());
    let secret = tenant.client.send("POST", "/webhook-secret", &[], rotate()).await?.json["secret"].clone();
    let read = async |process: &Process, anyone: &mws_tests::world::Client| {
        let own = anyone.as_one_with(Some(tenant.key.expose()));
        let answer = own.send("GET", "/webhook-secret", &[], None).await?;
        process.shutdown.cancel();
        anyhow::Ok(answer)
    };
    let old = |keys: &[&SecretString]| keys.iter().map(|key| (*key).clone()).collect::<Vec<_>>();
    let one = first.as_ref().expect("a key");
    // Each time all that was sealed is sealed anew, both the secret and the one before it.
    for (current, before) in [(key(1), old(&[one])), (key(2), old(&[&key(1), one]))] {
        let (process, anyone) = world
            .api_with(|settings| (settings.secret_key, settings.secret_key_old) = (Some(current.clone()), before))
            .await?;
        assert_eq!(scheduler::reseal::run_once(&process).await?, 1);
        assert_eq!(scheduler::reseal::run_once(&process).await?, 0);
        assert!(!process.signs.notes().contains_key("seals"), "{:?}", process.signs.notes());
        assert_eq!(read(&process, &anyone).await?.json["secret"], secret);
    }
    let (process, anyone) = world.api_with(|settings| settings.secret_key = Some(key(2))).await?;
    assert_eq!(read(&process, &anyone).await?.json["secret"], secret, "the old keys can go");

    let refused = world.api_with(|settings| settings.secret_key = Some(key(3))).await.err().expect("refused");
    for words in ["could not be used: 2", "MWS_SECRET_KEY_OLD"] {
        assert!(format!("{refused:#}").contains(words), "{words}: {refused:#}");
    }
    let (process, anyone) =
        world.api_with(|settings| (settings.secret_key, settings.accept_lost_secrets) = (Some(key(3)), true)).await?;
    assert_eq!(scheduler::reseal::run_once(&process).await?, 0);
    assert_eq!(process.signs.notes()["seals"], json!({ "of_old_keys": 0, "of_unknown_keys": 2 }));
    let own = anyone.as_one_with(Some(tenant.key.expose()));
    let sealed = own.send("GET", "/webhook-secret", &[], None).await?;
    assert_eq!(
        (sealed.status, sealed.code(), sealed.header("retry-after")),
        (503, "unavailable", "60"),
        "{}",
        sealed.text
    );
    world.advance(std::time::Duration::from_hours(25)).await?;
    let new = own.send("POST", "/webhook-secret", &[], rotate()).await?;
    assert_eq!(new.status, 200, "{}", new.text);
    assert_eq!(read(&process, &anyone).await?.json["secret"], new.json["secret"]);
    world.end().await
}

#[tokio::test]
async fn a_delivery_whose_secret_can_not_be_opened_says_so_ends_and_can_be_sent_again() -> anyhow::Result<()> {
    let bench = Bench::new().await?;
    call(&bench, Method::POST, "/webhook-secret", json!({})).await;
    let endpoint = bench.endpoint().await;
    let mut settings = (*bench.process.settings).clone();
    settings.secret_key = Some(key(9));
    let without_key = Deliverer::new(&Process { settings: Arc::new(settings), ..bench.process.clone() })?;
    bench.end_jobs(1).await;
    for attempt in 1..=8 {
        assert_eq!(bench.work_by(std::slice::from_ref(&without_key)).await, 1, "attempt {attempt}");
        let row = bench.only_delivery(endpoint).await;
        assert_eq!((row.error.as_deref(), row.attempt_count), (Some("secret_unavailable"), attempt));
        bench.advance(86_400 + 60).await;
        bench.reissue().await;
    }
    let row = bench.only_delivery(endpoint).await;
    assert_eq!(row.status, DeliveryStatus::Failed);
    assert_eq!(bench.receiver.received().len(), 0);
    let kept = bench.endpoint_row(endpoint).await;
    assert!(kept.enabled && kept.consecutive_failures == 0, "it is no fault of the endpoint's");
    let again = json!({ "delivery_id": row.id });
    let (status, answer) = call(&bench, Method::POST, &format!("/webhooks/{endpoint}/deliveries"), again).await;
    assert!(status.is_success(), "{status}: {answer}");
    bench.work().await;
    assert_eq!(bench.receiver.received().len(), 1);
    bench.end().await
}
