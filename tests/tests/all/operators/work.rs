//! Paused reads, jobs and deliveries of all accounts.

use super::{done, get, log, refusal, send, stage, text};
use domain::ids::{DeliveryId, EndpointId};
use domain::read::Read;
use mws_tests::world::runners::{self, Gate};
use mws_tests::world::{Media, Tenant, World, until};
use serde_json::{Value, json};

#[tokio::test]
async fn a_paused_read_is_held_and_its_waiting_jobs_give_their_places_to_others_until_it_is_resumed()
-> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let items = world.items(&tenant, 30, Media::video(60)).await?;
    let levels: Vec<String> = [
        tenant.client.prepare(&items[..20], &["levels"]).await?.job_ids()?,
        tenant.client.prepare(&items[20..], &["levels"]).await?.job_ids()?,
    ]
    .concat();
    let beats = tenant.client.prepare(&items[..5], &["beats"]).await?.job_ids()?;
    assert_eq!(world.count("SELECT count(*) FROM jobs WHERE admitted AND read = 'levels'").await?, 20, "all places");
    let paused = done(&anna, "PATCH", "/operator/reads/levels", &json!({ "paused": true }), 200).await?;
    assert_eq!((paused["paused_at"].is_string(), &paused["waiting_jobs"]), (true, &json!(30)));
    let again = done(&anna, "PATCH", "/operator/reads/levels", &json!({ "paused": true }), 200).await?;
    assert_eq!(again["paused_at"], paused["paused_at"], "since when does not change");
    let fresh = world.item(&tenant, Media::video(60)).await?;
    assert_eq!(
        tenant.client.prepare(&[fresh], &["levels", "beats"]).await?.reads()?,
        [["held:reads_paused", "queued"]]
    );

    let gate = Gate::closed();
    gate.open();
    world.work(gate.runner()).await?;
    let scheduler = world.scheduler().await?;
    tenant.client.ended(&beats).await?;
    assert!(gate.entered().iter().all(|(read, _)| *read == Read::Beats), "{:?}", gate.entered());
    let waiting = "SELECT count(*) FROM jobs WHERE read = 'levels' AND status = 'queued' AND NOT admitted";
    until("all of them have given up their places", async || Ok((world.count(waiting).await? == 30).then_some(())))
        .await?;
    world.assert_invariants().await?;

    let resumed = done(&anna, "PATCH", "/operator/reads/levels", &json!({ "paused": false }), 200).await?;
    assert_eq!(resumed["paused_at"], Value::Null);
    let ended = tenant.client.ended(&levels).await?;
    assert!(ended.iter().all(|job| job["status"] == "succeeded"), "none was lost, failed or cancelled");
    scheduler.stop().await?;
    assert_eq!(log(&anna).await?, ["read.pause levels", "read.resume levels"]);
    let odd = send(&anna, "PATCH", "/operator/reads/colours", &json!({ "paused": true })).await?;
    assert_eq!(refusal(&odd), (404, "read_not_found"));
    world.end().await
}

#[tokio::test]
async fn jobs_of_all_accounts_are_found_page_by_page_and_one_that_failed_is_run_again_for_whoever_paid()
-> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let (one, two) = (world.tenant("one").await?, world.tenant("two").await?);
    let mine = world.items(&one, 3, Media::video(60)).await?;
    let theirs = world.items(&two, 4, Media::video(60)).await?;
    // What a stall of the machine makes a worker give up is made good.
    let scheduler = world.scheduler().await?;
    let worker = world.worker(runners::failing(|| worker::readers::ReadError::NoAudio)).await?;
    let failed = one.client.prepare(&mine, &["levels"]).await?.job_ids()?;
    one.client.ended(&failed).await?;
    worker.stop().await?;
    scheduler.stop().await?;
    two.client.prepare(&theirs, &["levels", "beats"]).await?.data()?;

    let mut seen = Vec::new();
    let mut path = "/operator/jobs?limit=4".to_owned();
    loop {
        let page = get(&anna, &path).await?;
        seen.extend(page["data"].as_array().into_iter().flatten().map(|row| text(row, "/job/id")));
        if page["has_more"] == false {
            break;
        }
        path = format!("/operator/jobs?limit=4&cursor={}", text(&page, "/next_cursor"));
    }
    assert_eq!(seen.len(), 11);
    assert!(seen.is_sorted_by(|before, after| before > after), "newest first, each once: {seen:?}");
    for (query, count) in [
        ("status=failed".to_owned(), 3),
        ("status=failed&status=queued".to_owned(), 11),
        ("status=queued&read=beats".to_owned(), 4),
        ("kind=transcription".to_owned(), 0),
        ("error_code=media_unreadable".to_owned(), 3),
        (format!("account_id={}", two.account), 8),
        (format!("workspace_id={}&read=levels", two.workspace), 4),
        (format!("item_id={}", mine[0]), 1),
        ("until=2001-01-01T00:00:00Z".to_owned(), 0),
        ("since=2001-01-01T00:00:00Z".to_owned(), 11),
    ] {
        let list = get(&anna, &format!("/operator/jobs?limit=100&{query}")).await?;
        assert_eq!(list["data"].as_array().map(Vec::len), Some(count), "{query}: {list}");
        assert_eq!(list["has_more"], false, "{query}");
    }
    let both =
        send(&anna, "GET", &format!("/operator/jobs?account_id={}&item_id={}", two.account, mine[0]), &Value::Null)
            .await?;
    assert_eq!(refusal(&both), (400, "invalid_request"));

    let retry = format!("/operator/jobs/{}/retry", failed[0]);
    let again = done(&anna, "POST", &retry, &json!({}), 202).await?;
    assert_eq!((text(&again, "/status"), &again["already_queued"]), ("queued".into(), &json!(false)));
    assert_ne!(text(&again, "/job_id"), failed[0]);
    let job = get(&anna, &format!("/operator/jobs/{}", text(&again, "/job_id"))).await?;
    assert_eq!(text(&job, "/payer_account_id"), one.account.to_string());
    let twice = done(&anna, "POST", &retry, &json!({}), 202).await?;
    assert_eq!((&twice["job_id"], &twice["already_queued"]), (&again["job_id"], &json!(true)), "nothing starts twice");
    let queued = send(&anna, "POST", &format!("/operator/jobs/{}/retry", text(&again, "/job_id")), &json!({})).await?;
    assert_eq!(refusal(&queued), (409, "illegal_transition"));
    assert_eq!(log(&anna).await?, [format!("job.retry {}", failed[0])], "the second call started nothing");
    world.end().await
}

#[tokio::test]
async fn no_read_is_run_again_for_an_account_that_is_suspended_or_may_work_there_no_longer() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let (one, two) = (world.tenant("one").await?, world.tenant("two").await?);
    let guest = world.member(&two, &one, "editor").await?;
    let items = world.items(&one, 2, Media::audio(60)).await?;
    let own = one.client.prepare(&items[..1], &["levels"]).await?.job_ids()?.remove(0);
    let of_guest = guest.prepare(&items[1..], &["levels"]).await?.job_ids()?.remove(0);
    for job in [&own, &of_guest] {
        done(&anna, "POST", &format!("/operator/jobs/{job}/cancel"), &json!({}), 202).await?;
    }
    let retry = |job: &str| format!("/operator/jobs/{job}/retry");
    sqlx::raw_sql("UPDATE members SET role = 'viewer'").execute(world.pool()).await?;
    let refused = send(&anna, "POST", &retry(&of_guest), &json!({})).await?;
    assert_eq!(refusal(&refused), (403, "workspace_forbidden"), "the guest's account would pay");
    let account = format!("/operator/accounts/{}", one.account);
    done(&anna, "POST", &format!("{account}/suspend"), &json!({ "reason": "Unpaid." }), 200).await?;
    for job in [&own, &of_guest] {
        let refused = send(&anna, "POST", &retry(job), &json!({})).await?;
        assert_eq!(refusal(&refused), (403, "account_suspended"), "it pays, or the workspace is its own");
    }
    assert_eq!(world.count("SELECT count(*) FROM jobs WHERE status = 'queued'").await?, 0);
    done(&anna, "POST", &format!("{account}/resume"), &json!({}), 200).await?;
    let again = done(&anna, "POST", &retry(&own), &json!({}), 202).await?;
    assert_eq!(text(&again, "/status"), "queued");
    world.end().await
}

#[tokio::test]
async fn an_operator_cancels_a_job_of_any_account_which_costs_nothing_and_is_told() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    world.endpoint(&tenant, "http://127.0.0.1:9/a").await?;
    let item = world.item(&tenant, Media::audio(60)).await?;
    world.can_run(&[Read::Levels]).await?;
    let job = tenant.client.prepare(&[item], &["levels"]).await?.job_ids()?.remove(0);
    let path = format!("/operator/jobs/{job}/cancel");
    let reads = world.client(Some(super::BO.to_owned()));
    assert_eq!(send(&reads, "POST", &path, &json!({})).await?.status, 403);
    let cancelled = done(&anna, "POST", &path, &json!({}), 202).await?;
    assert_eq!((text(&cancelled, "/job/status"), text(&cancelled, "/job/id")), ("cancelled".into(), job.clone()));
    let left = get(&tenant.client, "/balances").await?;
    assert_eq!((&left["left_minutes"], &left["held_minutes"]), (&json!(1000), &json!(0)));
    assert_eq!(world.count("SELECT count(*) FROM deliveries WHERE event_type = 'job.cancelled'").await?, 1);
    let again = send(&anna, "POST", &path, &json!({})).await?;
    assert_eq!(refusal(&again), (409, "illegal_transition"));
    let missing = send(&anna, "POST", "/operator/jobs/job_01J00000000000000000000000/cancel", &json!({})).await?;
    assert_eq!(refusal(&missing), (404, "job_not_found"));
    assert_eq!(log(&anna).await?, [format!("job.cancel {job}")]);
    world.end().await
}

/// Deliveries that ended like this, to an endpoint, each of an event of its own.
pub async fn deliveries(
    world: &World,
    tenant: &Tenant,
    endpoint: EndpointId,
    ended: &[(&str, &str)],
) -> anyhow::Result<()> {
    for (status, error) in ended {
        let id = DeliveryId::mint();
        let event = format!("evt_{}", id.to_string().trim_start_matches("dlv_"));
        sqlx::query(
            "INSERT INTO events (id, account_id, workspace_id, type, body) VALUES ($1, $2, $3, 'job.failed', '{}')",
        )
        .bind(&event)
        .bind(tenant.account)
        .bind(tenant.workspace)
        .execute(world.pool())
        .await?;
        sqlx::query(
            "INSERT INTO deliveries (id, endpoint_id, account_id, workspace_id, event_id, event_type, status, error, finished_at)
             VALUES ($1, $2, $3, $4, $5, 'job.failed', $6, nullif($7, ''), mws_now())",
        )
        .bind(id)
        .bind(endpoint)
        .bind(tenant.account)
        .bind(tenant.workspace)
        .bind(&event)
        .bind(status)
        .bind(error)
        .execute(world.pool())
        .await?;
    }
    // As the record of a failed attempt leaves it.
    if ended.iter().any(|(_, error)| !error.is_empty()) {
        let failed = "UPDATE webhook_endpoints SET failed_at = mws_now() WHERE id = $1";
        sqlx::query(failed).bind(endpoint).execute(world.pool()).await?;
    }
    Ok(())
}

#[tokio::test]
async fn what_did_not_arrive_is_counted_first_and_sent_again_once() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let (one, two) = (world.tenant("one").await?, world.tenant("two").await?);
    let (open, other, closed) = (
        world.endpoint(&one, "http://127.0.0.1:9/a").await?,
        world.endpoint(&two, "http://127.0.0.1:9/b").await?,
        world.endpoint(&two, "http://127.0.0.1:9/c").await?,
    );
    let (tls, answered, arrived) = (("failed", "tls_failed"), ("failed", "http_status"), ("succeeded", ""));
    deliveries(&world, &one, open, &[tls, answered, arrived, ("skipped", "endpoint_disabled")]).await?;
    deliveries(&world, &two, other, &[tls, tls, arrived]).await?;
    deliveries(&world, &two, closed, &[tls]).await?;
    let disabled = format!("/webhooks/{closed}");
    assert_eq!(two.client.send("PATCH", &disabled, &[], Some(r#"{"enabled":false}"#.to_owned())).await?.status, 200);

    for (query, count) in [
        (String::new(), 8),
        ("status=failed&error=tls_failed".to_owned(), 4),
        (format!("account_id={}", two.account), 4),
        (format!("endpoint_id={open}&status=skipped"), 1),
    ] {
        let list = get(&anna, &format!("/operator/deliveries?limit=100&{query}")).await?;
        assert_eq!(list["data"].as_array().map(Vec::len), Some(count), "{query}: {list}");
    }
    let route = "/operator/deliveries/resend";
    let since = "2001-01-01T00:00:00Z";
    let counted = async |filter: Value| {
        let mut body = json!({ "since": since, "dry_run": true });
        body.as_object_mut().into_iter().for_each(|all| all.extend(filter.as_object().cloned().unwrap_or_default()));
        let answer = done(&anna, "POST", route, &body, 202).await?;
        anyhow::Ok((answer["resent"].as_u64().unwrap_or(99), answer["disabled"].as_u64().unwrap_or(99)))
    };
    assert_eq!(counted(json!({})).await?, (5, 1));
    assert_eq!(counted(json!({ "error": "tls_failed" })).await?, (3, 1));
    assert_eq!(counted(json!({ "status": "skipped" })).await?, (1, 0));
    assert_eq!(counted(json!({ "account_id": two.account })).await?, (2, 1));
    assert_eq!(counted(json!({ "endpoint_id": open, "event_type": "job.succeeded" })).await?, (0, 0));
    assert_eq!(counted(json!({ "until": since })).await?, (0, 0));
    assert_eq!(log(&anna).await?, Vec::<String>::new(), "nothing was sent so far");
    assert_eq!(world.count("SELECT count(*) FROM deliveries").await?, 8);

    let sent = done(&anna, "POST", route, &json!({ "since": since, "error": "tls_failed" }), 202).await?;
    assert_eq!(
        (&sent["resent"], &sent["disabled"], &sent["has_more"]),
        (&json!(3), &json!(1), &json!(false)),
        "{sent}"
    );
    let to: Vec<(String, Value)> = sent["endpoints"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|row| (text(row, "/endpoint_id"), row["resent"].clone()))
        .collect();
    assert_eq!(to, [(open.to_string(), json!(1)), (other.to_string(), json!(2))]);
    let pending =
        "SELECT count(*) FROM deliveries WHERE status = 'pending' AND trigger = 'resend' AND ticket_id IS NOT NULL";
    assert_eq!(world.count(pending).await?, 3);
    assert_eq!(log(&anna).await?, [format!("deliveries.resend {open}"), format!("deliveries.resend {other}")]);
    let twice = done(&anna, "POST", route, &json!({ "since": since, "error": "tls_failed" }), 202).await?;
    assert_eq!(twice["resent"], 0, "they are under way");
    assert_eq!(log(&anna).await?.len(), 2);
    world.end().await
}

#[tokio::test]
async fn one_delivery_of_any_account_is_sent_again_unless_its_endpoint_is_disabled() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let endpoint = world.endpoint(&tenant, "http://127.0.0.1:9/a").await?;
    deliveries(&world, &tenant, endpoint, &[("succeeded", "")]).await?;
    let list = get(&anna, "/operator/deliveries").await?;
    let first = text(&list["data"][0], "/delivery_id");
    let path = format!("/operator/deliveries/{first}/resend");
    let reads = world.client(Some(super::BO.to_owned()));
    assert_eq!(send(&reads, "POST", &path, &json!({})).await?.status, 403);
    let again = done(&anna, "POST", &path, &json!({}), 202).await?;
    assert_eq!((text(&again, "/resend_of"), text(&again, "/status")), (first.clone(), "pending".into()), "{again}");
    assert_eq!(log(&anna).await?, [format!("delivery.resend {first}")]);
    let disabled = Some(r#"{"enabled":false}"#.to_owned());
    assert_eq!(tenant.client.send("PATCH", &format!("/webhooks/{endpoint}"), &[], disabled).await?.status, 200);
    let refused = send(&anna, "POST", &path, &json!({})).await?;
    assert_eq!(refusal(&refused), (409, "endpoint_disabled"));
    let missing = send(&anna, "POST", "/operator/deliveries/dlv_01J00000000000000000000000/resend", &json!({})).await?;
    assert_eq!(refusal(&missing), (404, "delivery_not_found"));
    world.end().await
}
