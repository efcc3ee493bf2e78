//! Erasing: no word of what was erased is left in any table, and the ledger is as it was.

use super::{done, get, log, refusal, send, stage, text};
use mws_tests::world::{Client, Media, Tenant, World, runners};
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;
use store::accounts;

/// What marks everything that the tests erase.
const WORD: &str = "kingfisher";
/// Where what is left lapses with the retention, or is the operators' own (docs/operators.md, "Erasing").
const LAPSES: [&str; 7] =
    ["calls", "deliveries", "delivery_attempts", "events", "job_renders", "jobs", "minute_journal"];

/// The tables in which the word still stands.
async fn told_in(world: &World) -> anyhow::Result<Vec<String>> {
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE '\\_%' ORDER BY 1",
    )
    .fetch_all(world.pool())
    .await?;
    assert!(tables.len() > 20, "{tables:?}");
    let mut told = Vec::new();
    for table in tables {
        let count = format!("SELECT count(*) FROM {table} AS t WHERE t::text ILIKE '%{WORD}%'");
        let count: i64 = sqlx::query_scalar(AssertSqlSafe(count)).fetch_one(world.pool()).await?;
        if count > 0 {
            told.push(table);
        }
    }
    Ok(told)
}

/// An item that is called by the word.
async fn item(world: &World, tenant: &Tenant) -> anyhow::Result<String> {
    let item = world.item(tenant, Media::video(60)).await?;
    sqlx::query("UPDATE items SET name = $2, ref = $3, tags = ARRAY[$2] WHERE id = $1")
        .bind(item)
        .bind(WORD)
        .bind(format!("{WORD}-{item}"))
        .execute(world.pool())
        .await?;
    Ok(item.to_string())
}

/// Leaves the word in everything that people keep in a workspace beside its media.
async fn kept_in_the_workspace(client: &Client, item: &str) -> anyhow::Result<()> {
    let plan =
        json!({ "title": WORD, "starts_at": "2026-12-01T09:00:00Z", "note": WORD, "channel": WORD, "refs": [item] });
    let board = done(client, "POST", "/tools/create_board", &json!({ "name": WORD }), 200).await?;
    let ops = [json!({ "op": "add_column", "name": WORD })];
    let edit = json!({ "board_id": board["data"]["board"]["id"], "name": format!("{WORD} two"), "ops": ops });
    for (tool, body) in [
        ("edit_board", edit),
        ("add_calendar_entry", plan),
        ("create_calendar_feed", json!({})),
        ("add_comment", json!({ "ref": item, "text": WORD })),
        ("create_public_link", json!({ "ref": item, "passphrase": WORD })),
        ("save_skill", json!({ "name": WORD, "text": WORD })),
        ("save_template", json!({ "name": WORD, "tool": "list_items", "arguments": { "query": WORD } })),
        ("update_settings", json!({ "name": WORD })),
        ("update_brand_kit", json!({ "voice": WORD })),
    ] {
        done(client, "POST", &format!("/tools/{tool}"), &body, 200).await?;
    }
    Ok(())
}

#[tokio::test]
async fn an_erased_workspace_leaves_nothing_that_was_kept_in_it() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let named = json!({ "account_id": tenant.account, "name": "two" });
    let second = text(&done(&anna, "POST", "/operator/workspaces", &named, 201).await?, "/id");
    kept_in_the_workspace(&tenant.client, &item(&world, &tenant).await?).await?;
    assert!(told_in(&world).await?.len() >= 5);
    done(&tenant.client, "POST", "/tools/generate_audio", &json!({ "text": WORD }), 200).await?;
    assert_eq!(world.count("SELECT count(*) FROM jobs WHERE kind = 'generation' AND status = 'queued'").await?, 1);
    // The one that an account falls back on is not erased: from now on that is another.
    done(&anna, "PATCH", &format!("/operator/workspaces/{second}"), &json!({ "is_default": true }), 200).await?;
    done(&anna, "POST", &format!("/operator/workspaces/{}/erase", tenant.workspace), &json!({}), 200).await?;
    scheduler::purge_items::run_once(&world.process).await?;
    let told = told_in(&world).await?;
    assert!(told.iter().all(|table| LAPSES.contains(&table.as_str())), "{told:?}");
    for rows in [
        "SELECT count(*) FROM jobs WHERE kind = 'generation' AND status <> 'cancelled'",
        "SELECT count(*) FROM calendar_entries",
        "SELECT count(*) FROM calendar_feeds",
        "SELECT count(*) FROM documents",
        "SELECT count(*) FROM document_revisions",
        "SELECT count(*) FROM comments",
        "SELECT count(*) FROM public_links WHERE revoked_at IS NULL",
    ] {
        assert_eq!(world.count(rows).await?, 0, "{rows}");
    }
    world.end().await
}

#[tokio::test]
async fn a_deleted_item_and_an_erased_one_leave_no_name_behind() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let tenant = world.tenant("a").await?;
    let (deleted, erased) = (item(&world, &tenant).await?, item(&world, &tenant).await?);
    let job = tenant.client.prepare(&[&erased], &["levels"]).await?.job_ids()?.remove(0);
    done(&tenant.client, "DELETE", &format!("/library/items/{deleted}"), &Value::Null, 200).await?;
    let path = format!("/operator/items/{erased}/erase");
    assert_eq!(done(&anna, "POST", &path, &json!({}), 200).await?["items"], 1);
    let gone = tenant.client.job(&job).await?;
    assert_eq!((&gone["status"], &gone["ref"]), (&json!("cancelled"), &Value::Null));
    assert_eq!(told_in(&world).await?, ["items"], "the deleted one still has bytes to be dropped");
    scheduler::purge_items::run_once(&world.process).await?;
    assert_eq!(told_in(&world).await?, Vec::<String>::new());
    done(&anna, "POST", &path, &json!({}), 200).await?;
    let nothing = send(&anna, "POST", "/operator/items/itm_01JD3M5N7P9Q1R3S5T7V9W1X3Y/erase", &json!({})).await?;
    assert_eq!(refusal(&nothing), (404, "item_not_found"));
    assert_eq!(log(&anna).await?, [format!("item.erase {erased}"), format!("item.erase {erased}")]);
    world.end().await
}

#[tokio::test]
async fn an_erased_account_leaves_its_ledger_and_ids_and_no_word_of_anybodys() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let (tenant, other) = (world.tenant(WORD).await?, world.tenant("other").await?);
    let (client, account) = (&tenant.client, tenant.account);
    let mut conn = world.pool().acquire().await?;
    let user = accounts::create_user(&mut conn, account, WORD, None).await?;
    accounts::set_member(&mut conn, tenant.workspace, user, "editor").await?;
    accounts::set_member(&mut conn, other.workspace, user, "viewer").await?;
    drop(conn);
    let named = json!({ "account_id": account, "name": format!("{WORD} two") });
    let second = text(&done(&anna, "POST", "/operator/workspaces", &named, 201).await?, "/id");
    done(&anna, "PATCH", &format!("/operator/accounts/{account}"), &json!({ "name": format!("{WORD} Ltd") }), 200)
        .await?;
    done(&anna, "PATCH", &format!("/operator/users/{user}"), &json!({ "name": format!("{WORD} Bo") }), 200).await?;
    for (path, body) in [
        ("/keys", json!({ "name": WORD })),
        ("/webhooks", json!({ "url": format!("https://93.184.216.34/{WORD}"), "description": WORD })),
        ("/projects", json!({ "brief": WORD })),
        ("/uploads", json!({ "filename": format!("{WORD}.wav"), "content_type": "audio/wav", "bytes": 9 })),
    ] {
        done(client, "POST", path, &body, 201).await?;
    }
    done(&anna, "POST", &format!("/operator/accounts/{account}/keys"), &json!({ "name": WORD }), 201).await?;
    done(client, "POST", "/webhook-secret", &json!({}), 200).await?;
    let items = [item(&world, &tenant).await?, item(&world, &tenant).await?];
    kept_in_the_workspace(client, &items[0]).await?;
    world.post(&tenant, &format!("https://93.184.216.34/{WORD}-post")).await?;
    let jobs = client.prepare_once("key", &items[..1], &["levels"]).await?.job_ids()?;
    world.work(runners::instant()).await?;
    client.ended(&jobs).await?;
    let journal = "SELECT coalesce(sum(month_amount), 0)::bigint FROM minute_journal WHERE kind = 'settle'";
    let charged = world.count(journal).await?;
    assert!(charged > 0);

    let path = format!("/operator/accounts/{account}");
    let early = send(&anna, "POST", &format!("{path}/erase"), &json!({})).await?;
    assert_eq!(refusal(&early), (409, "illegal_transition"));
    let default = send(&anna, "POST", &format!("/operator/workspaces/{}/erase", tenant.workspace), &json!({})).await?;
    assert_eq!(refusal(&default), (409, "illegal_transition"));
    done(&anna, "POST", &format!("{path}/suspend"), &json!({ "reason": WORD, "end_work": true }), 200).await?;
    let erased = done(&anna, "POST", &format!("{path}/erase"), &json!({}), 200).await?;
    assert_eq!((&erased["workspaces"], &erased["items"], &erased["projects"]), (&json!(2), &json!(3), &json!(1)));
    let again = done(&anna, "POST", &format!("{path}/erase"), &json!({}), 200).await?;
    assert_eq!((&again["items"], &again["projects"]), (&json!(0), &json!(0)));
    let scheduler = world.scheduler().await?;
    mws_tests::world::until("its bytes and names are gone", async || {
        Ok((world.count("SELECT count(*) FROM items WHERE purged_at IS NULL").await? == 0).then_some(()))
    })
    .await?;
    scheduler.stop().await?;
    let told = told_in(&world).await?;
    assert!(told.iter().all(|table| LAPSES.contains(&table.as_str())), "{told:?}");
    assert_eq!(world.count(journal).await?, charged);
    assert_eq!(refusal(&send(client, "GET", "/keys", &Value::Null).await?), (401, "credential_revoked"));
    assert_eq!(
        refusal(&send(&anna, "POST", &format!("{path}/resume"), &json!({})).await?),
        (409, "illegal_transition")
    );
    assert!(get(&anna, &path).await?["account"]["erased_at"].is_string());
    assert_eq!(get(&other.client, "/workspaces").await?["data"].as_array().map(Vec::len), Some(1));
    let chain = store::audit::verify(&mut *world.pool().acquire().await?).await?;
    assert_eq!(chain.broken_at, None, "the operators' log is whole without what was changed");
    assert!(log(&anna).await?.contains(&format!("account.erase {account}")));
    assert!(second.starts_with("wsp_"));
    world.end().await
}

#[tokio::test]
async fn an_erased_account_leaves_no_job_where_it_was_a_guest_that_others_would_wait_for() -> anyhow::Result<()> {
    let (world, anna) = stage().await?;
    let (owner, guest) = (world.tenant("owner").await?, world.tenant("guest").await?);
    let member = world.member(&guest, &owner, "editor").await?;
    let item = world.item(&owner, Media::video(60)).await?;
    let job = member.prepare(&[item], &["levels"]).await?.job_ids()?.remove(0);
    let path = format!("/operator/accounts/{}", guest.account);
    done(&anna, "POST", &format!("{path}/suspend"), &json!({ "reason": "Unpaid." }), 200).await?;
    assert_eq!(owner.client.job(&job).await?["status"], "queued", "it may be resumed");
    done(&anna, "POST", &format!("{path}/erase"), &json!({}), 200).await?;
    assert_eq!(owner.client.job(&job).await?["status"], "cancelled");
    let asked = owner.client.prepare(&[item], &["levels"]).await?;
    assert_eq!(asked.reads()?, [["queued"]]);
    world.work(runners::instant()).await?;
    assert_eq!(owner.client.ended(&asked.job_ids()?).await?[0]["status"], "succeeded");
    world.end().await
}
