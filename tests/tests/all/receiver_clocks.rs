//! How far a receiver's clock is off stands where its deliveries are shown: for operators, and for its owner.

use crate::console::signed_in;
use crate::portal;
use domain::ids::DeliveryId;
use mws_tests::world::{Media, Receiver, Tenant, World, runners, until};
use serde_json::json;
use std::time::Duration;

const ANNA: &str = "token-of-anna-who-acts";
const MIA: &str = "token-of-mia-who-sees-no-payloads";

/// Has a job end and its event answered, and returns the delivery, which is the newest of so many.
async fn delivered(world: &World, tenant: &Tenant, many: usize) -> anyhow::Result<DeliveryId> {
    let item = world.item(tenant, Media::audio(60)).await?;
    tenant.client.prepare(&[item], &["levels"]).await?.data()?;
    let answered: Vec<DeliveryId> = until("it is answered", async || {
        let answered = "SELECT id FROM deliveries WHERE response_status IS NOT NULL ORDER BY created_at DESC";
        let answered: Vec<DeliveryId> = sqlx::query_scalar(answered).fetch_all(world.pool()).await?;
        Ok((answered.len() == many).then_some(answered))
    })
    .await?;
    Ok(answered[0])
}

#[tokio::test]
async fn a_receiver_whose_clock_is_off_is_told_of_as_that_to_operators_and_to_its_owner() -> anyhow::Result<()> {
    let tokens = format!("anna:act:{ANNA},mia:metadata:{MIA}");
    let world = World::with(|settings| settings.operator_tokens = Some(tokens.into())).await?;
    let (receiver, tenant) = (Receiver::start()?, world.tenant("a").await?);
    receiver.answer(400);
    world.work(runners::instant()).await?;
    let endpoint = world.endpoint(&tenant, &receiver.url).await?;
    let (anna, mia) = (signed_in(&world, ANNA).await?, signed_in(&world, MIA).await?);
    let owner = portal::at(&world, &portal::link(&tenant.client, json!({})).await?).await?;
    let (of_operators, own) = (format!("/console/endpoints/{endpoint}"), format!("/portal/webhooks/{endpoint}"));
    let of = |delivery: DeliveryId| (format!("/console/deliveries/{delivery}"), format!("{own}/{delivery}"));
    let (was, off) = (" clock was ", " clock was 7 min behind ours. ");

    receiver.says_date(Some("yesterday"));
    let (shown, to_owner) = of(delivered(&world, &tenant, 1).await?);
    for (browser, path) in [(&anna, &shown), (&mia, &shown), (&owner, &to_owner), (&owner, &own)] {
        let (_, page) = browser.get(path).await?;
        assert!(page.contains("400") && !page.contains(was), "{path}: without a date nothing is said: {page}");
    }
    let (_, page) = anna.get(&of_operators).await?;
    assert!(page.contains("clock</dt><dd>–</dd>") && !page.contains("by its answer of"), "{page}");

    receiver.says_date(None);
    let (shown, to_owner) = of(delivered(&world, &tenant, 2).await?);
    for (browser, path) in [(&anna, &shown), (&mia, &shown), (&owner, &to_owner)] {
        let (_, page) = browser.get(path).await?;
        assert!(page.contains(was) && !page.contains("time is more than 5 minutes"), "{path}: it is right: {page}");
    }
    assert!(!owner.get(&own).await?.1.contains(was), "a clock that is right is no news");
    let (_, page) = anna.get(&of_operators).await?;
    assert!(page.contains(" ours, by its answer of ") && !page.contains("5 minutes from its own"), "{page}");
    assert!(anna.get(&shown).await?.1.contains("The receiver answered with an error"), "it helps to read the answer");

    // The database's clock, which signatures go by, is ahead of this receiver's from now on.
    world.advance(Duration::from_mins(7)).await?;
    let (shown, to_owner) = of(delivered(&world, &tenant, 3).await?);
    for (browser, path) in [(&anna, &shown), (&mia, &shown), (&owner, &to_owner), (&owner, &own)] {
        let (_, page) = browser.get(path).await?;
        assert!(page.contains(off) && page.contains("time is more than 5 minutes"), "{path}: {page}");
    }
    let (_, page) = anna.get(&shown).await?;
    assert!(
        page.contains("clock first, best by NTP") && !page.contains("The receiver answered with an error"),
        "{page}"
    );
    for browser in [&anna, &mia] {
        let (_, page) = browser.get(&of_operators).await?;
        for words in [
            " clock is 7 min behind ours. ",
            "all that are more than 5 minutes from its own",
            "7 min behind ours, by its answer",
        ] {
            assert!(page.contains(words), "{words}: {page}");
        }
    }
    world.end().await
}
