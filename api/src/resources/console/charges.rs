//! What an account's jobs were charged, summed up by their work and by their items: a part of its statement's page.

use super::shell::{self, Fit, instead};
use super::words::{amount, link};
use super::{Visit, words};
use crate::http::error::Answer;
use domain::credits::Credits;
use domain::ids::AccountId;
use domain::minutes::Minutes;
use maud::{Markup, html};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use store::journal::{self, ChargedRow};

/// The newest entries of the journal that are summed up: each job has two.
const WINDOW: i64 = 4_000;
/// The most items that are shown, those that cost most.
const MOST_ITEMS: usize = 10;
/// What stands in place of a job's work or item once the job was deleted after its time.
const GONE: &str = "jobs that are no longer kept";

/// Shows the sums of what was charged; if they can't be had, why.
pub(super) async fn charges(visit: &Visit, id: AccountId) -> Markup {
    match found(visit, id).await {
        Ok((rows, is_cut)) => summed(&rows, is_cut),
        Err(refusal) => shell::broken(&refusal),
    }
}

/// Returns what was charged, and whether the journal has older entries than those that were summed up.
async fn found(visit: &Visit, id: AccountId) -> Answer<(Vec<ChargedRow>, bool)> {
    let mut conn = visit.conn().await?;
    let rows = journal::charged(&mut conn, id, WINDOW).await?;
    Ok((rows, journal::is_longer(&mut conn, id, 0, WINDOW).await?))
}

fn summed(rows: &[ChargedRow], is_cut: bool) -> Markup {
    if rows.is_empty() {
        return html! { p.empty { "Nothing was charged" @if is_cut { " by the newest 4,000 entries" } "." } };
    }
    let by_item = sums(rows, |row| row.item);
    let more = by_item.len().saturating_sub(MOST_ITEMS);
    html! {
        p.soft {
            "Summed up " @if is_cut { "are the newest 4,000 entries of the journal." } @else { "is the whole journal." }
            " Work that failed or was cancelled cost nothing, and is not counted."
        }
        (table("By work", "Work", &html! {
            @for (task, sum) in sums(rows, |row| row.task.as_deref()) {
                (row(&html! { @match task { Some(task) => { (task) } None => { (GONE) } } }, sum))
            }
        }))
        (table("By item", "Item", &html! {
            @for (item, sum) in by_item.iter().take(MOST_ITEMS) {
                (row(&html! { @match item { Some(item) => { (link("items", item)) } None => { "none, or " (GONE) } } }, *sum))
            }
        }))
        @if more > 0 {
            p.soft { "And " (more) " more " (words::word(more == 1, "item", "items")) ", which cost less." }
        }
    }
}

fn table(title: &str, of: &str, rows: &Markup) -> Markup {
    let columns = [(of, Fit::Any), ("Jobs", Fit::Any), ("Minutes", Fit::Any), ("Credits", Fit::Medium)];
    html! { h3 { (title) } (shell::fitted_table(title, &columns, rows)) }
}

fn row(of: &Markup, sum: Sum) -> Markup {
    html! {
        tr {
            td { (of) @if sum.credits != Credits::ZERO { (instead(Fit::Medium, "Credits", &amount(sum.credits))) } }
            td.number { (sum.jobs) }
            td { (amount(sum.minutes)) }
            td.medium { (amount(sum.credits)) }
        }
    }
}

/// The sums of some charges.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Sum {
    minutes: Minutes,
    credits: Credits,
    jobs: i64,
}

/// Returns the sums of the rows that have one key, those that cost most first.
fn sums<'a, K: Ord>(rows: &'a [ChargedRow], key: impl Fn(&'a ChargedRow) -> K) -> Vec<(K, Sum)> {
    let mut sums: BTreeMap<K, Sum> = BTreeMap::new();
    for row in rows {
        let sum = sums.entry(key(row)).or_default();
        sum.minutes += row.minutes;
        sum.credits += row.credits;
        sum.jobs += row.jobs;
    }
    let mut sums: Vec<(K, Sum)> = sums.into_iter().collect();
    sums.sort_by_key(|(_, sum)| Reverse(*sum));
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::ItemId;

    fn charged(task: Option<&str>, item: Option<ItemId>, jobs: i64, minutes: i64) -> ChargedRow {
        let (task, minutes) = (task.map(str::to_owned), Minutes::from_hundredths(minutes));
        ChargedRow { task, item, jobs, minutes, credits: Credits::ZERO }
    }

    #[test]
    fn charges_are_summed_up_by_work_and_by_item_and_the_dearest_comes_first() {
        let (one, two) = (ItemId::mint(), ItemId::mint());
        let rows = [
            charged(Some("levels"), Some(one), 1, 10),
            charged(Some("beats"), Some(one), 1, 25),
            charged(Some("beats"), Some(two), 2, 50),
            charged(None, None, 3, 30),
        ];
        let of = |jobs, minutes| Sum { jobs, minutes: Minutes::from_hundredths(minutes), credits: Credits::ZERO };
        let by_work = sums(&rows, |row| row.task.as_deref());
        assert_eq!(by_work, [(Some("beats"), of(3, 75)), (None, of(3, 30)), (Some("levels"), of(1, 10))]);
        let by_item = sums(&rows, |row| row.item);
        assert_eq!(by_item, [(Some(two), of(2, 50)), (Some(one), of(2, 35)), (None, of(3, 30))]);
        let shown = summed(&rows, false).0;
        assert!(shown.contains("<td>beats</td><td class=\"number\">3</td>"), "{shown}");
        assert!(shown.contains(GONE) && shown.contains("is the whole journal") && !shown.contains("more item"));
    }

    #[test]
    fn many_items_are_cut_and_that_is_said() {
        let rows: Vec<ChargedRow> = (0..12).map(|_| charged(Some("levels"), Some(ItemId::mint()), 1, 10)).collect();
        let shown = summed(&rows, true).0;
        assert_eq!(shown.matches("/console/items/").count(), 10, "{shown}");
        assert!(shown.contains("And 2 more items, which cost less."), "{shown}");
        assert!(shown.contains("are the newest 4,000 entries of the journal."), "{shown}");
        assert!(summed(&[], true).0.contains("Nothing was charged by the newest 4,000 entries."));
        assert!(summed(&[], false).0.contains("Nothing was charged."));
    }
}
