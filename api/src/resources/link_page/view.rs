//! The pages as HTML. All text of people is escaped; unescaped are only the service's own style and script, and the
//! parts of a page that this file made before (`said`, `talk`).

use super::assets::{SCRIPT, STYLE};
use crate::app::link_pages::PageParts;
use chrono::{DateTime, Utc};
use domain::captions::Stretches;
use domain::comment::{MOST_CHARACTERS, MOST_NAME_CHARACTERS};
use domain::footage::seconds;
use domain::ids::CommentId;
use domain::item::{ItemStatus, ItemType};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use picture::{DRAWN, clock};
use poem::http::StatusCode;
use std::collections::{BTreeMap, BTreeSet};
use store::comments::CommentRow;
use store::items::ItemRow;
use store::public_links::OpenLink;

/// The comments on an item.
#[derive(Debug)]
pub(super) struct Talk {
    /// The newest comments, newest first.
    pub(super) newest: Vec<CommentRow>,
    /// The number of the other comments.
    pub(super) others: usize,
}

/// What a visitor wrote in the form of a comment.
#[derive(Debug, Default)]
pub(super) struct Written {
    /// The visitor's name.
    pub(super) name: String,
    /// The text.
    pub(super) text: String,
    /// The time in the media that it is about, as typed.
    pub(super) at: String,
    /// The reason why it was not stored.
    pub(super) fault: String,
}

/// Returns the path of the page of the link with this token.
pub(super) fn base(token: &str) -> String {
    format!("/l/{token}")
}

/// Writes the page that visitors without an account see. `from` is the second at which the media begins to play,
/// `written` the visitor's comment that was not stored, which the form shows again.
pub(super) fn page(
    link: &OpenLink,
    token: &str,
    parts: &PageParts,
    from: Option<f64>,
    written: Option<&Written>,
) -> Markup {
    let PageParts { item, brand, said, language, talk } = parts;
    let base = base(token);
    let is_ready = item.status == ItemStatus::Ready;
    let main = html! {
        @if is_ready {
            (player(item, &base, said.as_ref().map(|_| language.as_deref().unwrap_or("en")), from))
            @if link.may_download {
                p { a.button href={ (base) "/media?download=1" } { "Download" } " " (size(item)) }
            }
        } @else {
            p.note { (not_there(item)) }
        }
        // `said` and `talk` below escaped these when they made them.
        @if let Some(said) = said { (PreEscaped(said)) }
        @if let Some(talk) = talk {
            section.comments aria-labelledby="comments" {
                (PreEscaped(talk))
                (comment_form(item, &base, written))
            }
        }
    };
    let about = [item.duration_ms.map(|ms| clock(shown_seconds(ms))), resolution(item)];
    let head = html! {
        @if let Some(color) = &brand.color {
            svg.brand viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true" focusable="false" {
                rect width="1" height="1" fill=(color) {}
            }
        }
        @if let Some(name) = &brand.name { p.from dir="auto" { (name) } }
        h1 dir="auto" { (name(item)) }
        p.about { (about.into_iter().flatten().collect::<Vec<_>>().join(" · ")) }
    };
    let foot = html! { p { "This link works until " (time(link.expires_at)) "." } };
    whole(&name(item), &head, &main, &foot, true)
}

/// Writes the form for the passphrase.
pub(super) fn asks_passphrase(token: &str, fault: Option<&str>) -> Markup {
    let main = html! {
        form method="post" action=(base(token)) {
            @if let Some(fault) = fault { p.fault role="alert" { (fault) } }
            label for="passphrase" { "Passphrase" }
            input #passphrase name="passphrase" type="password" autocomplete="off" required autofocus;
            button { "Open" }
        }
    };
    let head = html! { h1 { "This link asks for a passphrase" } };
    whole("A passphrase is needed", &head, &main, &html! { p { "Ask whoever sent you the link for it." } }, false)
}

/// Writes the page that says why nothing is shown.
pub(super) fn refusal(status: StatusCode, message: &str) -> Markup {
    let title = match status {
        StatusCode::NOT_FOUND => "This link shows nothing",
        StatusCode::TOO_MANY_REQUESTS => "Too often",
        status if status.is_server_error() => "This does not work at the moment",
        _ => "That is not possible",
    };
    whole(title, &html! { h1 { (title) } }, &html! { p { (message) } }, &html! {}, false)
}

fn whole(title: &str, head: &Markup, main: &Markup, foot: &Markup, with_script: bool) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="robots" content="noindex, nofollow";
                // Without this, browsers request an icon, and there is none.
                link rel="icon" href="data:,";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header { (head) }
                main { (main) }
                footer { (foot) }
                @if with_script { script { (PreEscaped(SCRIPT)) } }
            }
        }
    }
}

/// Writes the player. `spoken` is the language of its captions, if it has any.
fn player(item: &ItemRow, base: &str, spoken: Option<&str>, from: Option<f64>) -> Markup {
    let source = format!("{base}/media{}", from.map(|from| format!("#t={from}")).unwrap_or_default());
    let poster = item.thumbnail_key.is_some().then(|| format!("{base}/poster.jpg"));
    let is_drawn = DRAWN.iter().any(|read| item.reads.iter().any(|stored| stored == read));
    html! {
        section.player aria-label="Media" {
            @match item.item_type {
                Some(ItemType::Image) => { img src=(source) alt=(name(item)); }
                Some(ItemType::Video) => {
                    video #media src=(source) poster=[poster] controls playsinline preload="metadata"
                        autoplay[from.is_some()] {
                        @if let Some(language) = spoken { (track(base, language)) }
                    }
                }
                _ => {
                    audio #media src=(source) controls preload="metadata" autoplay[from.is_some()] {
                        @if let Some(language) = spoken { (track(base, language)) }
                    }
                }
            }
            @if is_drawn {
                figure #lanes tabindex="0" role="group" aria-label="Waveform" {
                    img src={ (base) "/lanes.svg" } alt="Waveform of the sound, with what was read of it" width="1216";
                    div #playhead hidden {}
                }
            }
            @if item.item_type != Some(ItemType::Image) {
                noscript {
                    form.jump action=(base) {
                        label for="jump" { "Go to" }
                        input #jump name="t" placeholder="1:15" size="6" required;
                        button { "Play from there" }
                    }
                }
            }
        }
    }
}

fn track(base: &str, language: &str) -> Markup {
    html! { track kind="captions" label="Captions" srclang=(language) src={ (base) "/captions.vtt" }; }
}

/// Writes the transcript.
pub(super) fn said(transcript: &Stretches, base: &str) -> Markup {
    html! {
        section.transcript aria-labelledby="transcript" {
            h2 #transcript { "Transcript" }
            @if transcript.first.is_empty() { p.note { "Nobody speaks." } }
            ol #stretches tabindex="0" lang=[transcript.language.as_deref()] aria-label="What is said, and when" {
                @for stretch in &transcript.first {
                    @let start = seconds(stretch.start_ms);
                    li data-start=(start) data-end=(seconds(stretch.end_ms)) {
                        a href={ (base) "?t=" (start) } { (clock(start.floor())) }
                        p dir="auto" {
                            @if let Some(speaker) = &stretch.speaker { b { bdi { (speaker) } } " " }
                            (stretch.text)
                        }
                    }
                }
            }
            @if transcript.has_more { p.note { "The first " (transcript.first.len()) " passages are shown." } }
        }
    }
}

/// Writes the comments.
pub(super) fn talk(talk: &Talk, base: &str) -> Markup {
    let shown: BTreeSet<CommentId> = talk.newest.iter().map(|comment| comment.id).collect();
    let thread_of = |comment: &CommentRow| comment.reply_to.filter(|thread| shown.contains(thread));
    let mut replies: BTreeMap<CommentId, Vec<&CommentRow>> = BTreeMap::new();
    // Comments come newest first; the replies to one are shown oldest first.
    for comment in talk.newest.iter().rev() {
        if let Some(thread) = thread_of(comment) {
            replies.entry(thread).or_default().push(comment);
        }
    }
    // A reply to a comment that is too old to be shown stands on its own.
    let mut threads: Vec<&CommentRow> = talk.newest.iter().filter(|comment| thread_of(comment).is_none()).collect();
    threads.sort_by_key(|comment| (comment.at_ms.unwrap_or(-1), comment.id));
    html! {
        h2 #comments { "Comments" }
        @if threads.is_empty() { p.note { "None yet." } }
        ul {
            @for thread in threads {
                li id=(thread.id) {
                    (one_comment(thread, base))
                    @if let Some(replies) = replies.get(&thread.id) {
                        ul { @for reply in replies { li id=(reply.id) { (one_comment(reply, base)) } } }
                    }
                }
            }
        }
        @if talk.others > 0 {
            p.note {
                "The newest " (talk.newest.len()) " comments are shown; "
                @if talk.others == 1 { "there is one older one." } @else { "there are " (talk.others) " older ones." }
            }
        }
    }
}

fn one_comment(comment: &CommentRow, base: &str) -> Markup {
    // The name of a key is not shown to strangers.
    let name = comment.author_name.as_deref().filter(|name| !name.is_empty() && comment.key_id.is_none());
    let author = name.unwrap_or("The team");
    html! {
        p.by {
            b { bdi { (author) } }
            @if comment.link_id.is_some() { " (guest)" }
            @if let Some(at) = comment.at_ms.map(seconds) {
                " at " a data-start=(at) href={ (base) "?t=" (at) } { (clock(at.floor())) }
                @if let Some(until) = comment.until_ms.map(seconds) { " to " (clock(until.floor())) }
            }
            @if comment.region.is_some() { " · about a part of the picture" }
            " · " (time(comment.created_at))
            @if comment.resolved_at.is_some() { " · resolved" }
        }
        p.text dir="auto" { (comment.text) }
    }
}

fn comment_form(item: &ItemRow, base: &str, written: Option<&Written>) -> Markup {
    let empty = Written::default();
    let written = written.unwrap_or(&empty);
    html! {
        form #comment method="post" action={ (base) "/comments#comment" } {
            h3 { "Say something" }
            @if !written.fault.is_empty() { p.fault role="alert" { (written.fault) } }
            label for="name" { "Your name" }
            input #name name="name" dir="auto" value=(written.name) maxlength=(MOST_NAME_CHARACTERS)
                autocomplete="name" required;
            @if item.item_type != Some(ItemType::Image) {
                label for="at" { "At (minutes:seconds; leave it empty for the whole)" }
                input #at name="at" value=(written.at) placeholder="1:15" size="8" inputmode="numeric";
            }
            label for="text" { "Comment" }
            textarea #text name="text" dir="auto" rows="4" maxlength=(MOST_CHARACTERS) required { (written.text) }
            button { "Send" }
        }
    }
}

fn name(item: &ItemRow) -> String {
    if item.name.is_empty() { "Untitled".to_owned() } else { item.name.clone() }
}

fn resolution(item: &ItemRow) -> Option<String> {
    Some(format!("{} × {}", item.width?, item.height?))
}

/// Returns the size in bytes with a fitting unit.
fn size(item: &ItemRow) -> String {
    const UNITS: [(i64, &str); 3] = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    let bytes = item.bytes;
    let unit = UNITS.into_iter().find(|(unit, _)| bytes >= *unit);
    unit.map_or_else(|| format!("{bytes} bytes"), |(unit, name)| format!("{} {name}", bytes / unit))
}

fn not_there(item: &ItemRow) -> &'static str {
    match item.status {
        ItemStatus::Failed => "The media can't be shown: it could not be read.",
        _ => "The media is not ready yet. Load the page again in a minute.",
    }
}

fn time(at: DateTime<Utc>) -> Markup {
    html! { time datetime=(at.format("%Y-%m-%dT%H:%M:%SZ")) { (at.format("%-d %B %Y, %H:%M UTC")) } }
}

#[expect(clippy::cast_precision_loss, reason = "media lasts days at most")]
fn shown_seconds(ms: i64) -> f64 {
    ms as f64 / 1_000.0
}
