//! The transcript on an item's page, a part at a time. Each segment is a link to its time in the media, and the script
//! plays from each word too.

use super::{Visit, media, shell};
use crate::http::error::Answer;
use crate::resources::library;
use domain::captions::{MostOfPart, Part};
use domain::footage::seconds;
use domain::ids::ItemId;
use maud::{Markup, html};
use picture::clock;

/// How much is shown at once: some six minutes of talk, which is half of the bytes that a page may have.
const MOST: MostOfPart = MostOfPart { segments: 100, bytes: 36_000 };

/// Returns what is said behind the first `before` segments; none while no transcript is stored.
pub(super) async fn found(visit: &Visit, item: ItemId, before: usize) -> Answer<Option<Part>> {
    library::transcript_part(&visit.app, visit.conn().await?, item, (before, MOST)).await
}

/// Shows a part of the transcript, which stands behind the first `before` segments.
pub(super) fn show(visit: &Visit, item: ItemId, before: usize, part: &Part) -> Markup {
    let media = media::path(item);
    let shown = part.segments.len();
    let body = html! {
        @if shown == 0 {
            p.empty { @if before == 0 { "Nobody speaks." } @else { "The transcript has no more segments." } }
        } @else {
            ol.said tabindex="0" lang=[part.language.as_deref()] aria-label="What is said, and when" {
                @for segment in &part.segments {
                    @let start = seconds(segment.start_ms);
                    li {
                        a.number href={ (media) "#t=" (start) } data-at=(start) { (clock(start)) }
                        p dir="auto" {
                            @if let Some(speaker) = &segment.speaker { b { bdi { (speaker) } } " " }
                            @for word in &segment.words {
                                span data-at=(seconds(word.start_ms)) { (word.text) } " "
                            }
                            @if segment.is_cut { "…" }
                        }
                    }
                }
            }
            p.soft { "Segments " (before + 1) " to " (before + shown) "." }
        }
        nav.pages aria-label="Pages of the transcript" {
            @if before > 0 { a href=(shell::turned(visit, "said", 0)) rel="first" { "From the start" } }
            @if part.has_more { a href=(shell::turned(visit, "said", before + shown)) rel="next" { "Later" } }
        }
    };
    shell::still("said", "Transcript", &body)
}
