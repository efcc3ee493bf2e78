//! Who pays and who is told, when somebody works in another account's workspace (contract §5.5).

use crate::own_turns::{WAITING, no_more_wait};
use domain::ids::UploadId;
use domain::minutes::Minutes;
use domain::signature;
use mws_tests::world::processes::silence;
use mws_tests::world::{Client, Media, Receiver, World, runners, until};
use reqwest::Method;
use serde_json::{Value, json};
use std::time::Duration;
use store::{documents, uploads};

/// What signs for accounts without a secret of their own (`world/settings.rs`).
const DEFAULT_SECRET: &str = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

#[tokio::test]
async fn a_members_own_minutes_pay_and_the_owners_endpoint_gets_the_event() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (owner, guest) = (world.tenant("owner").await?, world.tenant_with("guest", Minutes::from_whole(10)).await?);
    let (owners, guests) = (Receiver::start()?, Receiver::start()?);
    world.endpoint(&owner, &owners.url).await?;
    world.endpoint(&guest, &guests.url).await?;
    let member = world.member(&guest, &owner, "editor").await?;
    let item = world.item(&owner, Media::video(120)).await?;
    let answer = member.prepare(&[item], &["transcript"]).await?;
    assert_eq!(answer.data()?["estimate"]["left_minutes"], 8);
    world.work(runners::instant()).await?;
    let ended = member.ended(&answer.job_ids()?).await?.remove(0);
    assert_eq!((&ended["cloud_minutes"], &ended["workspace_id"]), (&json!(2), &json!(owner.workspace)));

    let event = owners.gets(1).await?.remove(0);
    assert_eq!((event.header("service-event"), event.header("service-attempt")), ("job.succeeded", "1"));
    assert_eq!(event.header("service-delivery"), event.json()["id"]);
    assert_eq!(event.json()["workspace_id"], json!(owner.workspace));
    // The event shows the job as get_jobs does, byte for byte the same fields.
    assert_eq!(event.json()["data"]["job"], ended);
    let signed = event.header("service-signature");
    let at =
        signed.strip_prefix("t=").and_then(|rest| rest.split(',').next()).and_then(|t| t.parse().ok()).unwrap_or(0);
    signature::verify(signed, &event.body, &[DEFAULT_SECRET], at, 0)?;

    // Whose minutes they were: the owner's are whole.
    assert_eq!(owner.client.prepare(&[item], &["transcript"]).await?.data()?["estimate"]["left_minutes"], 1000);
    until("the delivery is recorded", async || {
        Ok((world.count("SELECT count(*) FROM deliveries WHERE status = 'succeeded'").await? == 1).then_some(()))
    })
    .await?;
    assert_eq!(world.count("SELECT count(*) FROM deliveries").await?, 1);
    assert!(guests.received().is_empty());
    world.end().await
}

#[tokio::test]
async fn a_read_of_a_shared_item_is_one_job_whoever_asks_first() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (owner, guest) = (world.tenant("owner").await?, world.tenant("guest").await?);
    let member = world.member(&guest, &owner, "editor").await?;
    let item = world.item(&owner, Media::video(60)).await?;
    let first = member.prepare_once("k", &[item], &["levels"]).await?;
    let second = owner.client.prepare_once("k", &[item], &["levels"]).await?;
    // The same key of another account is another key.
    assert_eq!(second.header("idempotent-replayed"), "");
    assert_eq!((second.reads()?, second.job_ids()?), (vec![vec!["already_queued".to_owned()]], first.job_ids()?));
    assert_eq!(second.data()?["estimate"]["left_minutes"], 1000);
    // The workspace's people may stop it, and who paid gets the minutes back.
    let stopped = owner.client.tool("cancel_jobs", &json!({ "job_ids": first.job_ids()? })).await?;
    assert_eq!(stopped.data()?["jobs"][0]["outcome"], "cancelled");
    assert_eq!(member.prepare(&["none"], &["levels"]).await?.data()?["estimate"]["left_minutes"], 1000);
    world.end().await
}

#[tokio::test]
async fn a_viewer_sees_and_starts_nothing_and_a_former_member_can_do_neither() -> anyhow::Result<()> {
    let world = World::new().await?;
    let (owner, guest) = (world.tenant("owner").await?, world.tenant("guest").await?);
    let (viewer, editor) =
        (world.member(&guest, &owner, "viewer").await?, world.member(&guest, &owner, "editor").await?);
    let item = world.item(&owner, Media::video(60)).await?;
    let refused = viewer.prepare(&[item], &["levels"]).await?;
    assert_eq!((refused.status, refused.code()), (403, "role_forbidden"));
    let jobs = editor.prepare(&[item], &["levels"]).await?.job_ids()?;
    assert_eq!(viewer.job(&jobs[0]).await?["status"], "queued");
    let refused = viewer.tool("cancel_jobs", &json!({ "job_ids": jobs })).await?;
    assert_eq!((refused.status, refused.code()), (403, "role_forbidden"));
    sqlx::query("DELETE FROM members").execute(world.pool()).await?;
    for former in [viewer, editor] {
        let refused = former.tool("get_jobs", &json!({ "job_ids": jobs })).await?;
        assert_eq!((refused.status, refused.code()), (403, "workspace_forbidden"));
    }
    assert_eq!(owner.client.job(&jobs[0]).await?["status"], "queued", "what was dispatched goes on");
    world.end().await
}

/// An upload that was announced by this client: its id, and the URL that takes its bytes.
async fn announced(client: &Client, bytes: usize) -> anyhow::Result<(UploadId, String)> {
    let made = client.announce(bytes, &json!({})).await?;
    let text = |pointer: &str| made.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
    Ok((text("/id").parse()?, text("/upload/url")))
}

#[tokio::test]
async fn an_upload_takes_no_more_bytes_once_whoever_began_it_may_begin_none() -> anyhow::Result<()> {
    const APPENDED: [(&str, &str); 3] =
        [("tus-resumable", "1.0.0"), ("upload-offset", "4"), ("content-type", "application/offset+octet-stream")];
    let world = World::new().await?;
    let (owner, guest) = (world.tenant("owner").await?, world.tenant("guest").await?);
    let (member, bytes) = (world.member(&guest, &owner, "editor").await?, silence(1)?);
    let [(_, put), (_, patched), (_, seen), (sending, _)] = [
        announced(&member, bytes.len()).await?,
        announced(&member, bytes.len()).await?,
        announced(&member, bytes.len()).await?,
        announced(&member, bytes.len()).await?,
    ];
    let [(_, own), (_, revoked)] =
        [announced(&owner.client, bytes.len()).await?, announced(&owner.client, bytes.len()).await?];
    let first = [("upload-offset", "0"), APPENDED[0], APPENDED[2]];
    assert_eq!(member.to(Method::PATCH, &patched, &first, bytes[..4].to_vec()).await?.status, 204);
    let (mut conn, by) = (world.pool().acquire().await?, UploadId::mint().uuid());
    uploads::claim_receiving(&mut conn, sending, by).await?;
    assert!(uploads::renew_receiving(&mut conn, sending, by).await?);

    sqlx::query("DELETE FROM members").execute(&mut *conn).await?;
    assert!(!uploads::renew_receiving(&mut conn, sending, by).await?, "who sends at that moment is cut off");
    let refused = member.put(&put, "audio/wav", bytes.clone()).await?;
    assert_eq!((refused.status, refused.code()), (404, "upload_not_found"));
    let refused = member.to(Method::PATCH, &patched, &APPENDED, bytes[4..].to_vec()).await?;
    assert_eq!((refused.status, refused.code()), (404, "upload_not_found"));
    assert_eq!(member.to(Method::HEAD, &seen, &APPENDED[..1], Vec::new()).await?.status, 404);
    assert_eq!(owner.client.put(&own, "audio/wav", bytes.clone()).await?.status, 200, "others go on");
    let revoke = "UPDATE api_keys SET revoked_at = mws_now() WHERE id = $1";
    sqlx::query(revoke).bind(owner.key_id).execute(&mut *conn).await?;
    let refused = owner.client.put(&revoked, "audio/wav", bytes).await?;
    assert_eq!((refused.status, refused.code()), (404, "upload_not_found"));
    drop(conn);

    // The storage that they took comes back as that of any upload that nobody completes.
    world.advance(Duration::from_hours(25)).await?;
    scheduler::expire_uploads::run_once(&world.process).await?;
    assert_eq!(world.count("SELECT count(*) FROM upload_parts").await?, 0);
    assert_eq!(world.count("SELECT count(*) FROM items WHERE deleted_at IS NULL").await?, 0);
    world.end().await
}

/// Changes of an account's documents wait for each other, whoever makes them.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn guests_who_change_one_account_s_documents_hold_one_connection_while_they_wait() -> anyhow::Result<()> {
    let world = World::new().await?;
    let owner = world.tenant("owner").await?;
    let mut guests = Vec::new();
    for name in ["one", "two", "three"] {
        let home = world.tenant(name).await?;
        guests.push(world.member(&home, &owner, "editor").await?);
    }
    world.wait_for_locks().await?;
    let mut held = world.pool().begin().await?;
    documents::lock(&mut held, owner.account).await?;
    let calls: Vec<_> = guests
        .into_iter()
        .enumerate()
        .map(|(at, guest)| {
            let board = json!({ "name": format!("Launch {at}") });
            tokio::spawn(async move { guest.tool("create_board", &board).await })
        })
        .collect();
    until("one waits", async || Ok((world.count(WAITING).await? >= 1).then_some(()))).await?;
    no_more_wait(&world, 1).await?;
    held.rollback().await?;
    for call in calls {
        let answer = call.await??;
        // A busy machine may take longer than a call waits for its turn.
        let is_told = !answer.header("retry-after").is_empty();
        assert!(answer.status == 200 || is_told, "{} {}", answer.status, answer.text);
    }
    world.end().await
}
