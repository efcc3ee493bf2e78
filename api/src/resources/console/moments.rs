//! The moments of a search index on an item's page, some at a time: when each begins, its still, and what is written in
//! it. Each leads to its time in the media.

use super::{Visit, media, shell};
use crate::http::error::Answer;
use domain::footage::{Moment, Passage, seconds, written_in};
use domain::ids::ItemId;
use maud::{Markup, html};
use picture::clock;
use store::footage;

/// How many are shown at once.
const MOST: usize = 24;
/// The most passages of what is written in them, and the characters that are shown of it at each.
const MOST_WRITTEN: i64 = 100;
const MOST_CHARACTERS: usize = 300;

/// Moments that follow each other.
pub(super) struct Seen {
    moments: Vec<Moment>,
    /// When the first one after them begins.
    next_ms: Option<i32>,
    /// What is written in their pictures.
    written: Vec<Passage>,
}

/// Returns the moments that begin at this millisecond or later; none where there are none.
pub(super) async fn found(visit: &Visit, item: ItemId, from_ms: i32) -> Answer<Option<Seen>> {
    let mut conn = visit.conn().await?;
    let fetched = i64::try_from(MOST + 1).unwrap_or(i64::MAX);
    let mut moments = footage::moments_from(&mut conn, item, from_ms, fetched).await?;
    let next_ms = moments.get(MOST).map(|moment| moment.start_ms);
    moments.truncate(MOST);
    let Some(lasts) = moments.first().zip(moments.last()).map(|(first, last)| (first.start_ms, last.end_ms)) else {
        return Ok(None);
    };
    let written = footage::written_between(&mut conn, item, lasts, MOST_WRITTEN).await?;
    Ok(Some(Seen { moments, next_ms, written }))
}

/// Shows the moments, which begin at `from_ms` or later.
pub(super) fn show(visit: &Visit, item: ItemId, from_ms: i32, seen: &Seen) -> Markup {
    let media = media::path(item);
    let body = html! {
        ul.moments {
            @for moment in &seen.moments {
                @let start = seconds(moment.start_ms);
                li {
                    a.number href={ (media) "#t=" (start) } data-at=(start) {
                        @if moment.thumbnail_key.is_some() {
                            img src={ "/console/items/" (item) "/still?moment=" (moment.number) } loading="lazy"
                                width="320" height="180" alt={ "Still of m" (moment.number) ", at " };
                        }
                        (clock(start)) " to " (clock(seconds(moment.end_ms)))
                    }
                    p dir="auto" { (text(moment, &seen.written)) }
                }
            }
        }
        nav.pages aria-label="Pages of the moments" {
            @if from_ms > 0 { a href=(shell::turned(visit, "moments", 0)) rel="first" { "From the start" } }
            @if let Some(next_ms) = seen.next_ms { a href=(shell::turned(visit, "moments", next_ms)) rel="next" { "Later" } }
        }
    };
    shell::still("moments", "Moments, and what is written in them", &body)
}

/// Returns what is written in a moment, cut where it is long.
fn text(moment: &Moment, written: &[Passage]) -> String {
    let all = written_in(moment, written).collect::<Vec<_>>().join(" · ");
    match all.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{}…", &all[..end]),
        None => all,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_stands_at_the_moments_in_which_it_is_shown_and_is_cut_where_it_is_long() {
        let moment = |start_ms, end_ms| Moment { number: 1, start_ms, end_ms, thumbnail_key: None };
        let passage = |text: &str, time| Passage { text: text.to_owned(), own_words: 1, times: vec![time] };
        let written = [passage("a", (0, 500)), passage("b", (400, 1_500)), passage("c", (1_000, 1_000))];
        assert_eq!(text(&moment(0, 1_000), &written), "a · b");
        assert_eq!(text(&moment(1_000, 2_000), &written), "b · c");
        assert_eq!(text(&moment(2_000, 3_000), &written), "");
        let long = text(&moment(0, 1), &[passage(&"é".repeat(MOST_CHARACTERS + 1), (0, 1))]);
        assert_eq!((long.chars().count(), long.ends_with("é…")), (MOST_CHARACTERS + 1, true));
    }
}
