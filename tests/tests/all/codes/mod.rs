//! Every code of the table, in an answer of the running service. A code that is added does not compile here without the
//! way to get it (contract §7).

mod bench;
mod credits;
mod media;
mod workspace;

use api::http::error::Code;
use bench::{BREAKING, CodeBench};
use clap::Parser;
use domain::minutes::Minutes;
use media::{appended, linked};
use mws_tests::world::{Answer, Media, World};
use poem::{Endpoint, Request};
use runtime::config::ApiSettings;
use serde_json::{Value, json};
use std::time::Duration;
use workspace::documents;

/// What a request is missing, or holds that it should not.
async fn malformed(stage: &CodeBench, code: Code) -> anyhow::Result<Answer> {
    let client = &stage.tenant.client;
    match code {
        Code::InvalidJson => client.send("POST", "/tools/get_jobs", &[], Some("{".to_owned())).await,
        Code::InvalidCursor => stage.send("GET", "/keys?cursor=nonsense").await,
        Code::CursorGone => {
            let ahead = [("last-event-id", "9000000000000000000-9000000000000000000")];
            client.send("GET", "/events/stream", &ahead, None).await
        }
        Code::CodeMalformed => stage.post("/sessions/redeem", json!({ "code": "x" })).await,
        Code::RequestTooLarge => stage.post("/keys", json!({ "name": "x".repeat(2 << 20) })).await,
        Code::UnsupportedMediaType => {
            client.send("POST", "/keys", &[("content-type", "text/plain")], Some("{}".to_owned())).await
        }
        Code::MethodNotAllowed => stage.send("PUT", "/keys").await,
        Code::RouteNotFound => stage.send("GET", "/nothing").await,
        Code::ToolNotFound => stage.post("/tools/nothing", json!({})).await,
        _ => stage.post("/tools/prepare_media", json!({})).await,
    }
}

/// What a caller may not do.
async fn forbidden(stage: &CodeBench, code: Code) -> anyhow::Result<Answer> {
    let CodeBench { world, tenant, other } = stage;
    match code {
        Code::CredentialRevoked => {
            stage.send("DELETE", &format!("/keys/{}", tenant.key_id)).await?;
            stage.send("GET", "/keys").await
        }
        Code::TokenExpired => {
            let session = world.session(tenant).await?;
            world.advance(Duration::from_mins(31)).await?;
            session.send("GET", "/workspaces", &[], None).await
        }
        Code::SessionNotAllowed => world.session(tenant).await?.send("GET", "/keys", &[], None).await,
        Code::WorkspaceForbidden => {
            let item = stage.item(Media::video(9)).await?;
            other.client.send("GET", &format!("/library/items/{item}"), &[], None).await
        }
        Code::RoleForbidden => {
            let viewer = world.member(other, tenant, "viewer").await?;
            viewer.post("/tools/cancel_jobs", &json!({ "job_ids": ["x"] })).await
        }
        Code::AccountSuspended => {
            let operator = world.client(Some("operator-token-of-the-tests".to_owned()));
            let path = format!("/operator/accounts/{}/suspend", tenant.account);
            operator.post(&path, &json!({ "reason": "Unpaid." })).await?;
            stage.send("GET", "/keys").await
        }
        Code::UserDisabled => {
            let member = world.member(other, tenant, "viewer").await?;
            sqlx::query("UPDATE users SET disabled_at = mws_now()").execute(world.pool()).await?;
            member.send("GET", "/workspaces", &[], None).await
        }
        Code::NotTheAuthor => {
            let item = stage.item(Media::video(9)).await?;
            let body = json!({ "ref": item, "text": "mine" });
            let made = stage.post("/tools/add_comment", body).await?.json["data"]["comment"]["id"].clone();
            let editor = world.member(other, tenant, "editor").await?;
            editor.post("/tools/update_comment", &json!({ "comment_id": made, "text": "theirs" })).await
        }
        Code::OriginForbidden => {
            let page = [("origin", "https://elsewhere.example")];
            tenant.client.below(world.base_url()).send("POST", "/mcp", &page, Some("{}".to_owned())).await
        }
        Code::KeyWrongWorkspace => {
            let elsewhere = other.workspace.to_string();
            tenant.client.send("GET", "/keys", &[("x-workspace-id", &elsewhere)], None).await
        }
        _ => world.client(None).send("GET", "/keys", &[], None).await,
    }
}

/// What is not there.
async fn missing(stage: &CodeBench, code: Code) -> anyhow::Result<Answer> {
    match code {
        Code::ProjectNotFound => stage.send("GET", "/projects/prj_x").await,
        Code::EventNotFound => stage.send("GET", "/events/evt_x").await,
        Code::ReadNotFound => {
            let item = stage.item(Media::video(9)).await?;
            stage.send("GET", &format!("/library/items/{item}/reads/levels")).await
        }
        Code::CommentNotFound => stage.post("/tools/delete_comment", json!({ "comment_id": "cmt_x" })).await,
        Code::PostNotFound => stage.post("/tools/delete_post", json!({ "post_id": "pst_x" })).await,
        Code::PublicLinkNotFound => stage.post("/tools/revoke_public_link", json!({ "link_id": "lnk_x" })).await,
        Code::KeyNotFound => stage.send("DELETE", "/keys/key_x").await,
        Code::WebhookNotFound => stage.send("DELETE", "/webhooks/whe_x").await,
        Code::DeliveryNotFound => {
            let path = format!("/webhooks/{}/deliveries", stage.endpoint().await?);
            stage.post(&path, json!({ "delivery_id": "dlv_x" })).await
        }
        Code::WebhookSecretNotFound => stage.send("GET", "/webhook-secret").await,
        Code::UploadNotFound => stage.send("POST", "/uploads/upl_x/complete").await,
        Code::CodeNotRedeemable => {
            stage.post("/sessions/redeem", json!({ "code": format!("esx_{}", "0".repeat(32)) })).await
        }
        _ => stage.send("GET", "/library/items/nothing").await,
    }
}

/// What operators are told.
async fn operating(stage: &CodeBench, code: Code) -> anyhow::Result<Answer> {
    let operator = stage.world.client(Some("operator-token-of-the-tests".to_owned()));
    let account = stage.tenant.account;
    let user = json!({ "account_id": account, "name": "x", "oauth_issuer": "https://a.example", "oauth_subject": "x" });
    match code {
        Code::AccountNotFound => operator.send("GET", "/operator/accounts/acc_x", &[], None).await,
        Code::UserNotFound => operator.send("GET", "/operator/members?user_id=usr_x", &[], None).await,
        Code::WorkspaceNotFound => operator.send("GET", "/operator/members?workspace_id=wsp_x", &[], None).await,
        Code::JobNotFound => operator.send("GET", "/operator/jobs/job_x", &[], None).await,
        Code::BulkOperationNotFound => operator.send("GET", "/operator/bulk-operations/blk_x", &[], None).await,
        Code::MemberNotFound => {
            let made = operator.post("/operator/users", &user).await?;
            let id = made.json["id"].as_str().unwrap_or_default();
            let path = format!("/operator/members/{}/{id}", stage.tenant.workspace);
            operator.send("DELETE", &path, &[], None).await
        }
        _ => {
            operator.post("/operator/users", &user).await?;
            operator.post("/operator/users", &user).await
        }
    }
}

/// One project more than an account may have.
async fn full() -> anyhow::Result<Answer> {
    let world = World::with(|settings| settings.max_projects = 1).await?;
    let keeper = world.tenant("keeper").await?;
    keeper.client.post("/projects", &json!({ "brief": "a film" })).await?;
    let refused = keeper.client.post("/projects", &json!({ "brief": "another" })).await?;
    world.end().await?;
    Ok(refused)
}

/// What somebody else has already.
async fn taken(stage: &CodeBench, code: Code) -> anyhow::Result<Answer> {
    if code == Code::ItemLeased {
        let item = stage.item(Media::video(9)).await?;
        stage.post(&format!("/library/items/{item}/lease"), json!({ "seconds": 60 })).await?;
        return stage.post("/tools/detect_beats", json!({ "ref": item })).await;
    }
    let body = json!({ "filename": "a", "content_type": "audio/wav", "bytes": 1, "ref": "mine" });
    stage.post("/uploads", body.clone()).await?;
    stage.post("/uploads", body).await
}

/// What the state of things does not allow.
async fn conflicting(stage: &CodeBench, code: Code) -> anyhow::Result<Answer> {
    let CodeBench { world, tenant, .. } = stage;
    match code {
        Code::IdempotencyInProgress => {
            let item = stage.item(Media::video(9)).await?;
            let mut first = world.pool().begin().await?;
            sqlx::query(
                "INSERT INTO idempotency_keys (account_id, tool, key, fingerprint, call_id)
                 VALUES ($1, 'prepare_media', 'k', '\\x07', $1)",
            )
            .bind(tenant.account)
            .execute(&mut *first)
            .await?;
            tenant.client.prepare_once("k", &[item], &["levels"]).await
        }
        Code::IdempotencyKeyReused => {
            let item = stage.item(Media::video(9)).await?;
            tenant.client.prepare_once("k", &[&item], &["levels"]).await?;
            tenant.client.prepare_once("k", &[&item], &["speech"]).await
        }
        Code::ItemNotReady => {
            let made =
                stage.post("/uploads", json!({ "filename": "a", "content_type": "audio/wav", "bytes": 1 })).await?;
            stage.post("/tools/detect_beats", json!({ "ref": made.json["item_id"] })).await
        }
        Code::UploadIncomplete => {
            let (upload, _) = stage.upload(None).await?;
            stage.send("POST", &format!("/uploads/{upload}/complete")).await
        }
        Code::ChecksumMismatch => {
            let (upload, path) = stage.upload(Some(&"0".repeat(64))).await?;
            let sent = [("content-type", "audio/wav")];
            world.client(None).send("PUT", &path, &sent, Some("RIFF".to_owned())).await?;
            stage.send("POST", &format!("/uploads/{upload}/complete")).await
        }
        Code::KeyLimitReached => {
            for _ in 1..10 {
                stage.made("/keys", json!({})).await?;
            }
            stage.post("/keys", json!({})).await
        }
        Code::EndpointLimitReached => {
            for _ in 0..10 {
                stage.endpoint().await?;
            }
            stage.post("/webhooks", json!({ "url": "https://93.184.216.34/" })).await
        }
        Code::QuotaReached => full().await,
        Code::EndpointDisabled => {
            let path = format!("/webhooks/{}", stage.endpoint().await?);
            let change = async |body: Value| tenant.client.send("PATCH", &path, &[], Some(body.to_string())).await;
            let ping = change(json!({ "test": true })).await?.json["ping"]["delivery_id"].clone();
            change(json!({ "enabled": false })).await?;
            stage.post(&format!("{path}/deliveries"), json!({ "delivery_id": ping })).await
        }
        Code::RotationInProgress => {
            stage.post("/webhook-secret", json!({})).await?;
            stage.post("/webhook-secret", json!({ "rotate": true })).await?;
            stage.post("/webhook-secret", json!({ "rotate": true })).await
        }
        _ => {
            let path = format!("/projects/{}/cancel", stage.made("/projects", json!({ "brief": "a film" })).await?);
            stage.send("POST", &path).await?;
            stage.send("POST", &path).await
        }
    }
}

/// What can't be done with what was given.
async fn unfit(stage: &CodeBench, code: Code) -> anyhow::Result<Answer> {
    match code {
        Code::FileTooLarge => {
            let body = json!({ "filename": "a.wav", "content_type": "audio/wav", "bytes": 1_i64 << 50 });
            stage.post("/uploads", body).await
        }
        Code::PullFailed => stage.post("/tools/pull_posts", json!({ "url": "http://127.0.0.1:9/" })).await,
        Code::UrlNotHttps => stage.post("/webhooks", json!({ "url": "http://93.184.216.34/" })).await,
        Code::UrlNotPublic => stage.post("/webhooks", json!({ "url": "https://10.0.0.1/" })).await,
        Code::WebhookUrlNotAllowed => {
            stage.post("/projects", json!({ "brief": "a film", "webhook_url": "https://10.0.0.1/" })).await
        }
        Code::UrlNotAllowed => stage.post("/tools/import_media", json!({ "url": "https://10.0.0.1/a.wav" })).await,
        Code::ReadNotApplicable => {
            stage.post("/tools/detect_beats", json!({ "ref": stage.item(Media::image()).await? })).await
        }
        Code::EngineNotConfigured => {
            sqlx::query("UPDATE read_kinds SET engine_seen_at = NULL").execute(stage.world.pool()).await?;
            stage.post("/tools/detect_beats", json!({ "ref": stage.item(Media::video(9)).await? })).await
        }
        _ => {
            let poor = stage.world.tenant_with("poor", Minutes::from_whole(0)).await?;
            let item = stage.world.item(&poor, Media::video(60)).await?;
            poor.client.prepare(&[item], &["levels"]).await
        }
    }
}

/// What is no fault of the caller's.
async fn failing(stage: &CodeBench, code: Code) -> anyhow::Result<Answer> {
    let CodeBench { world, tenant, .. } = stage;
    match code {
        Code::Internal => {
            stage.post("/webhook-secret", json!({})).await?;
            sqlx::query("UPDATE webhook_secrets SET sealed = '\\x00'").execute(world.pool()).await?;
            stage.send("GET", "/webhook-secret").await
        }
        Code::Unavailable => {
            let (_, path) = stage.upload(None).await?;
            let folder = world.settings.data_dir.join("media");
            std::fs::remove_dir_all(&folder)?;
            std::fs::write(&folder, "no folder")?;
            let sent = [("content-type", "audio/wav")];
            world.client(None).send("PUT", &path, &sent, Some("RIFF".to_owned())).await
        }
        Code::DatabaseUnavailable => {
            world.process.pool.close().await;
            stage.send("GET", "/keys").await
        }
        _ => {
            let world = World::with(|settings| (settings.rate_per_minute, settings.rate_burst) = (1, 1)).await?;
            world.stop_clock().await?;
            let hasty = world.tenant("hasty").await?;
            hasty.client.send("GET", "/keys", &[], None).await?;
            let refused = hasty.client.send("GET", "/keys", &[], None).await?;
            anyhow::ensure!(tenant.account != hasty.account);
            world.end().await?;
            Ok(refused)
        }
    }
}

/// An answer with this code; none when there is no way to it.
async fn provoked(stage: &CodeBench, code: Code) -> anyhow::Result<Option<Answer>> {
    use Code as C;
    let answer = match code {
        C::InvalidRequest | C::InvalidJson | C::InvalidCursor | C::CursorGone | C::CodeMalformed => {
            malformed(stage, code).await
        }
        C::RequestTooLarge | C::UnsupportedMediaType | C::MethodNotAllowed | C::RouteNotFound | C::ToolNotFound => {
            malformed(stage, code).await
        }
        C::Unauthenticated | C::CredentialRevoked | C::TokenExpired | C::SessionNotAllowed => {
            forbidden(stage, code).await
        }
        C::WorkspaceForbidden | C::RoleForbidden | C::KeyWrongWorkspace | C::OriginForbidden => {
            forbidden(stage, code).await
        }
        C::AccountSuspended | C::UserDisabled | C::NotTheAuthor => forbidden(stage, code).await,
        C::ItemNotFound | C::ProjectNotFound | C::KeyNotFound | C::WebhookNotFound => missing(stage, code).await,
        C::EventNotFound | C::ReadNotFound | C::CommentNotFound | C::PublicLinkNotFound => missing(stage, code).await,
        C::BoardNotFound | C::RevisionConflict | C::NothingToUndo | C::NameTaken => documents(stage, code).await,
        C::SkillNotFound | C::TemplateNotFound | C::LastOwner | C::TimelineNotFound => documents(stage, code).await,
        C::CanvasNotFound | C::DubNotFound => documents(stage, code).await,
        C::CalendarEntryNotFound | C::CalendarFeedNotFound => documents(stage, code).await,
        C::DeliveryNotFound | C::WebhookSecretNotFound | C::UploadNotFound | C::CodeNotRedeemable | C::PostNotFound => {
            missing(stage, code).await
        }
        C::ItemLeased | C::RefTaken => taken(stage, code).await,
        C::IdempotencyInProgress | C::IdempotencyKeyReused | C::ItemNotReady | C::UploadIncomplete => {
            conflicting(stage, code).await
        }
        C::UploadOffsetMismatch | C::TusVersionUnsupported | C::ChunkMismatch => appended(stage, code).await,
        C::ChecksumMismatch | C::KeyLimitReached | C::EndpointLimitReached | C::EndpointDisabled => {
            conflicting(stage, code).await
        }
        C::RotationInProgress | C::IllegalTransition | C::QuotaReached => conflicting(stage, code).await,
        C::FileTooLarge | C::UrlNotHttps | C::UrlNotPublic | C::WebhookUrlNotAllowed | C::UrlNotAllowed => {
            unfit(stage, code).await
        }
        C::ReadNotApplicable | C::EngineNotConfigured | C::InsufficientMinutes | C::PullFailed => {
            unfit(stage, code).await
        }
        C::Internal | C::Unavailable | C::DatabaseUnavailable | C::RateLimited => failing(stage, code).await,
        // Only from inside: a process that stops takes no more connections.
        C::ShuttingDown => return Ok(None),
        C::AccountNotFound | C::UserNotFound | C::WorkspaceNotFound | C::JobNotFound => operating(stage, code).await,
        C::MemberNotFound | C::SubjectTaken | C::BulkOperationNotFound => operating(stage, code).await,
        C::LinkInvalid | C::LinkExpired | C::RangeNotSatisfiable | C::PreconditionFailed => linked(stage, code).await,
        C::InsufficientCredits => credits::short_of_credits().await,
    };
    answer.map(Some)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_code_is_answered_with_its_status_by_the_service_itself() -> anyhow::Result<()> {
    let mut unheard: Vec<Code> = Vec::new();
    let mut shared = CodeBench::new().await?;
    for code in Code::ALL.iter().copied().filter(|code| *code != Code::ShuttingDown) {
        // What is broken is dropped here: its end is not held against it.
        let answered = if BREAKING.contains(&code) {
            provoked(&CodeBench::new().await?, code).await?
        } else {
            shared = shared.with_new_accounts().await?;
            provoked(&shared, code).await?
        };
        match answered {
            Some(answer) => {
                assert_eq!((answer.status, answer.code()), (code.status().as_u16(), code.name()), "{}", answer.text);
                assert_eq!(answer.json["error"]["message"].as_str().map(str::is_empty), Some(false), "{code:?}");
            }
            None => unheard.push(code),
        }
    }
    assert_eq!(unheard, []);
    let world = World::new().await?;
    world.end().await
}

#[derive(Parser)]
struct Arguments {
    #[command(flatten)]
    api: ApiSettings,
}

#[tokio::test]
async fn a_process_that_stops_says_so_to_whoever_is_still_connected() -> anyhow::Result<()> {
    let world = World::new().await?;
    let app = api::assemble(world.process.clone(), Arguments::parse_from(["test"]).api)?;
    world.process.shutdown.cancel();
    let request = Request::builder().uri_str("/api/v1/keys").finish();
    let mut answer = api::router(app).get_response(request).await;
    assert_eq!(answer.status(), Code::ShuttingDown.status());
    let body: Value = serde_json::from_slice(&answer.take_body().into_bytes().await?)?;
    assert_eq!(body["error"]["code"], Code::ShuttingDown.name());
    world.end().await
}
