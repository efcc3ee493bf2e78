//! The page of one item: its facts, its reads with their engines, its media to play, its waveform with the lanes of its
//! reads, and what is said and seen in it, which leads to that time in the media.

use super::shell::Fit;
use super::words::{link, or_dash, state, time};
use super::{Visit, assets, media, moments, said, shell};
use crate::http::answers::Taker;
use crate::http::error::{Answer, ApiError, Code};
use crate::resources::library;
use domain::ids::{AccountId, ItemId};
use domain::item::{ItemStatus, ItemType};
use maud::{Markup, html};
use picture::{DRAWN, Unread};
use poem::Response;
use poem::http::header;
use store::items::{self, ItemRow, MadeRead};

pub(super) async fn show(visit: Visit) -> Answer<Response> {
    visit.takes(&["said", "moments"])?;
    let before = visit.word("said", |given| given.parse::<usize>().ok())?.unwrap_or_default();
    let from_ms = visit.word("moments", |given| given.parse::<i32>().ok())?.unwrap_or_default();
    let now = visit.now().await?;
    let (item, account) = media::find(&visit).await?;
    let made = items::made_reads(&mut *visit.conn().await?, item.id).await?;
    let is_drawn = made.iter().any(|made| DRAWN.contains(&made.read.name()));
    let part = said::found(&visit, item.id, before).await.transpose();
    let seen = moments::found(&visit, item.id, from_ms).await.transpose();
    let spoken = part.as_ref().and_then(|part| part.as_ref().ok()).map(|part| part.language.as_deref().unwrap_or("en"));
    // A transcript is read whole for each part of it. Then the page is not kept up to date.
    let section: fn(&str, &str, &Markup) -> Markup = if part.is_some() { shell::still } else { shell::section };
    let main = html! {
        h1 { "Item " (item.name) }
        (section("state", "State", &facts(&item, account, now)))
        @if item.status == ItemStatus::Ready { (media::player(&item, spoken)) }
        @if is_drawn { (waveform(item.id)) }
        @if let Some(part) = &part {
            (in_its_place("said", "Transcript", part.as_ref().map(|part| said::show(&visit, item.id, before, part))))
        }
        @if let Some(seen) = &seen {
            (in_its_place("moments", "Moments", seen.as_ref().map(|seen| moments::show(&visit, item.id, from_ms, seen))))
        }
        (section("reads", "Reads", &read(&made, now)))
        p { a href={ "/console/jobs?item_id=" (item.id) } { "Jobs of this item" } }
        (shell::command(&format!("mws admin jobs list --item {}", item.id)))
    };
    let mut response = visit.whole(&format!("Item {}", item.id), &main);
    if visit.app.process.media.is_bucket() {
        // The media comes from the bucket, by a redirect.
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, assets::policy("'self' https: http:"));
    }
    Ok(response)
}

/// Shows a section of the page, or in its place why it can't be shown.
fn in_its_place(id: &str, title: &str, shown: Result<Markup, &ApiError>) -> Markup {
    shown.unwrap_or_else(|refusal| shell::still(id, title, &shell::broken(refusal)))
}

fn waveform(item: ItemId) -> Markup {
    html! {
        section aria-labelledby="h-lanes" {
            h2 #h-lanes { "Waveform and lanes" }
            div.scroll tabindex="0" role="group" aria-label="Waveform and lanes" {
                img.lanes src={ "/console/items/" (item) "/lanes.svg" } width="1216"
                    alt="Waveform of the sound, with where somebody speaks, who, and the beats";
            }
        }
    }
}

fn facts(item: &ItemRow, account: AccountId, now: chrono::DateTime<chrono::Utc>) -> Markup {
    let word = status_word(item.status);
    let kind = item.item_type.map(type_word);
    let failed = item.error_message.as_ref();
    #[expect(clippy::cast_precision_loss, reason = "media lasts days at most")]
    let seconds = item.duration_ms.map(|ms| domain::verdict::span(ms as f64 / 1_000.0));
    shell::facts(&[
        ("Id", html! { code { (item.id) } }),
        ("State", html! { (state(word)) @if let Some(why) = failed { " " (why) } }),
        ("Type", or_dash(kind)),
        ("Lasts", or_dash(seconds)),
        ("Bytes", html! { span.number { (item.bytes) } }),
        ("Content type", or_dash(item.content_type.as_ref())),
        ("Account", link("accounts", account)),
        (
            "Workspace",
            html! { a.id href={ "/console/jobs?workspace_id=" (item.workspace_id) } { (item.workspace_id) } },
        ),
        ("Ref", html! { code { (item.item_ref) } }),
        ("Made", time(item.created_at, now)),
        ("A computer holds it until", super::words::time_or(item.leased_until, now, "none does")),
    ])
}

pub(super) const fn status_word(status: ItemStatus) -> &'static str {
    match status {
        ItemStatus::Ready => "ready",
        ItemStatus::Failed => "failed",
        ItemStatus::Processing => "processing",
    }
}

pub(super) const fn type_word(kind: ItemType) -> &'static str {
    match kind {
        ItemType::Video => "video",
        ItemType::Audio => "audio",
        ItemType::Image => "image",
    }
}

fn read(made: &[MadeRead], now: chrono::DateTime<chrono::Utc>) -> Markup {
    if made.is_empty() {
        return html! { p.soft { "Nothing was read of it yet." } };
    }
    let rows = html! {
        @for one in made {
            tr {
                td { (one.read) }
                td { (one.engine) " " (one.engine_version) }
                td.medium { (or_dash(one.quality.as_ref())) }
                td.number.medium { (one.bytes) }
                td.medium { (time(one.stored_at, now)) }
                td { (link("jobs", one.job_id)) }
            }
        }
    };
    let columns = [
        ("Read", Fit::Any),
        ("Engine", Fit::Any),
        ("Quality", Fit::Medium),
        ("Bytes", Fit::Medium),
        ("Stored", Fit::Medium),
        ("Job", Fit::Any),
    ];
    shell::fitted_table("Reads", &columns, &rows)
}

/// Sends the waveform and the lanes, as a picture.
pub(super) async fn lanes(visit: Visit) -> Answer<Response> {
    let (item, _) = media::find(&visit).await?;
    let drawn = library::lanes(&visit.app, Taker::Operators, &item, Unread::Told).await?;
    let none = || ApiError::new(Code::ReadNotFound, "Nothing is drawn of this item yet.");
    Ok(library::as_picture(drawn.ok_or_else(none)?))
}
