//! Receivers behind TLS, from the setting to the log: whom the sending client trusts (contract §2, "webhook endpoint").

use crate::bench::ATTEMPT_MS;
use mws_tests::world::{Authority, Certificate, Media, Tenant, TlsReceiver, World, runners, until};
use serde_json::{Value, json};
use std::path::PathBuf;

/// What the log says of the one delivery that each of these receivers is sent.
async fn outcomes(world: &World, tenant: &Tenant, receivers: &[TlsReceiver]) -> anyhow::Result<Vec<Value>> {
    let mut endpoints = Vec::new();
    for receiver in receivers {
        endpoints.push(world.endpoint(tenant, &receiver.url).await?);
    }
    world.work(runners::instant()).await?;
    let item = world.item(tenant, Media::audio(60)).await?;
    let job = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?;
    tenant.client.ended(&job).await?;
    let mut outcomes = Vec::new();
    for endpoint in endpoints {
        let attempt = until("the attempt is logged", async || {
            let path = format!("/webhooks/{endpoint}/deliveries");
            let log = tenant.client.send("GET", &path, &[], None).await?.json;
            Ok(log["data"][0]["attempts"].get(0).cloned())
        })
        .await?;
        outcomes.push(json!([attempt["error"], attempt["response_status"]]));
    }
    Ok(outcomes)
}

async fn receivers(authority: &Authority, certificates: &[Certificate]) -> anyhow::Result<Vec<TlsReceiver>> {
    let mut receivers = Vec::new();
    for certificate in certificates {
        receivers.push(TlsReceiver::start(authority, *certificate).await?);
    }
    Ok(receivers)
}

#[tokio::test]
async fn an_authority_that_the_operator_names_is_trusted_and_nothing_else_is_forgiven() -> anyhow::Result<()> {
    let (named, stranger) = (Authority::new()?, Authority::new()?);
    let folder = tempfile::tempdir()?;
    let roots = folder.path().join("roots.pem");
    // Several in one file, as an operator's bundle has them.
    std::fs::write(&roots, format!("# ours\n{}\n{}", Authority::new()?.pem(), named.pem()))?;
    let world =
        World::with(|settings| (settings.outbound_roots, settings.webhook_timeout_ms) = (Some(roots), ATTEMPT_MS))
            .await?;
    let tenant = world.tenant("one").await?;
    let bad = [Certificate::OfAnotherHost, Certificate::Expired, Certificate::NotYetValid];
    let mut all = receivers(&named, &[&[Certificate::Good], &bad[..]].concat()).await?;
    all.extend(receivers(&stranger, &[Certificate::Good]).await?);
    let refused = json!(["tls_failed", null]);
    let said = outcomes(&world, &tenant, &all).await?;
    assert_eq!(said, [json!([null, 200]), refused.clone(), refused.clone(), refused.clone(), refused]);
    let sent: Vec<usize> = all.iter().map(|receiver| receiver.requests().len()).collect();
    assert_eq!(sent, [1, 0, 0, 0, 0], "whoever is not trusted gets no byte of an event");
    assert!(all[0].requests()[0].contains("\r\nservice-signature: t="));
    world.end().await
}

#[tokio::test]
async fn without_the_setting_the_same_certificate_is_refused() -> anyhow::Result<()> {
    let world = World::with(|settings| settings.webhook_timeout_ms = ATTEMPT_MS).await?;
    let tenant = world.tenant("one").await?;
    let receivers = receivers(&Authority::new()?, &[Certificate::Good]).await?;
    assert_eq!(outcomes(&world, &tenant, &receivers).await?, [json!(["tls_failed", null])]);
    assert!(receivers[0].requests().is_empty());
    world.end().await
}

#[tokio::test]
async fn a_file_of_roots_that_holds_none_stops_the_start_and_is_named() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let empty = folder.path().join("empty.pem");
    std::fs::write(&empty, "no certificate\n")?;
    for path in [empty, PathBuf::from("/nowhere/roots.pem")] {
        let started = World::with(|settings| settings.outbound_roots = Some(path.clone())).await;
        let Err(error) = started else { panic!("it started with {}", path.display()) };
        assert!(format!("{error:#}").contains(&path.display().to_string()), "{error:#}");
    }
    Ok(())
}
