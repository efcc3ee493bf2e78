//! AI credits as operators give them and take them back: each change once, in the journal and in the log.

use super::{done, get, log, refusal, send, stage};
use domain::ids::AccountId;
use futures_util::future::try_join_all;
use serde_json::json;

#[tokio::test]
async fn credits_are_given_and_taken_back_and_a_reference_counts_once() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let path = format!("/operator/accounts/{}/credits", tenant.account);
    let give = async |kind: &str, credits: f64, reference: Option<&str>| {
        let body = json!({ "kind": kind, "credits": credits, "reference": reference });
        done(&anna, "POST", &path, &body, 200).await
    };
    assert_eq!(get(&tenant.client, "/balances").await?["credits"], json!({ "left": 0, "held": 0, "used": 0 }));
    let given = give("grant", 2.5, Some("goodwill")).await?;
    assert_eq!((&given["applied"], &given["changed_credits"]), (&json!(true), &json!(2.5)));
    assert_eq!(give("grant", 2.5, Some("goodwill")).await?["applied"], false);
    world.wait_for_locks().await?;
    let purchases = (0..20).map(|_| give("purchase", 100.0, Some("INV-17")));
    let applied = try_join_all(purchases).await?.iter().filter(|given| given["applied"] == true).count();
    assert_eq!(applied, 1, "twenty requests for one invoice");
    let taken = give("withdraw", 2.25, Some("slip")).await?;
    assert_eq!((&taken["changed_credits"], &taken["balances"]["credits"]["left"]), (&json!(-2.25), &json!(100.25)));
    let minutes = format!("/operator/accounts/{}/minutes", tenant.account);
    let for_minutes = json!({ "kind": "purchase", "minutes": 1, "reference": "INV-17" });
    let answer = send(&anna, "POST", &minutes, &for_minutes).await?;
    assert_eq!(refusal(&answer), (400, "invalid_request"), "{}", answer.text);
    assert!(answer.text.contains("for AI credits"), "{}", answer.text);
    done(&anna, "POST", &minutes, &json!({ "kind": "purchase", "minutes": 1, "reference": "INV-18" }), 200).await?;
    let answer = send(&anna, "POST", &path, &json!({ "kind": "grant", "credits": 1, "reference": "INV-18" })).await?;
    assert!(refusal(&answer).1 == "invalid_request" && answer.text.contains("for minutes"), "{}", answer.text);
    world.advance_to_next_month().await?;
    let own = get(&tenant.client, "/balances").await?;
    assert_eq!(own["credits"], json!({ "left": 100.25, "held": 0, "used": 0 }), "they never lapse");
    assert_eq!(scheduler::check_ledger::run_once(&world.process).await?, 0);

    for body in [
        json!({ "kind": "withdraw", "credits": 100.26 }),
        json!({ "kind": "grant", "credits": 0 }),
        json!({ "kind": "grant", "credits": -1 }),
        json!({ "kind": "grant", "credits": 0.001 }),
        json!({ "kind": "grant", "credits": 1e12 }),
        json!({ "kind": "purchase", "credits": 1 }),
        json!({ "kind": "gift", "credits": 1 }),
        json!({ "credits": 1 }),
    ] {
        let answer = send(&anna, "POST", &path, &body).await?;
        assert_eq!(refusal(&answer), (400, "invalid_request"), "{body}: {}", answer.text);
    }
    let nobody = format!("/operator/accounts/{}/credits", AccountId::mint());
    let answer = send(&anna, "POST", &nobody, &json!({ "kind": "grant", "credits": 1 })).await?;
    assert_eq!(refusal(&answer), (404, "account_not_found"));
    let told: Vec<String> =
        log(&anna).await?.iter().map(|line| line.split(' ').next().unwrap_or("").to_owned()).collect();
    assert_eq!(told, ["credits.grant", "credits.purchase", "credits.withdraw", "minutes.purchase"]);
    world.end().await
}
