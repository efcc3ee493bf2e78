//! An account's minutes as a statement that proves itself: each entry of the journal, with its change and the balance
//! after it, and its change of the credits; whether the balances are the sum of the whole journal; and a month as a
//! file. Filters show some of the entries alone.

use super::charges::charges;
use super::entry::{LeftAfter, document};
use super::filtered::or_refused;
use super::jobs::moment;
use super::proof::{ADDED_UP, proof};
use super::shell::{Fit, instead};
use super::words::{amount, change, link, or_dash, time};
use super::{Visit, listed, shell};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::{Text, Time};
use crate::resources::account::statement::{kind_of, month_of, name_of};
use crate::resources::statement_file::{Amounts, Line as FileLine, csv, saved_as};
use crate::usecases::operator::missing;
use chrono::{DateTime, NaiveDate, Utc};
use domain::credits::Credits;
use domain::ids::AccountId;
use domain::minutes::Minutes;
use maud::{Markup, html};
use poem::Response;
use sqlx::PgConnection;
use std::collections::HashMap;
use store::Seen;
use store::accounts;
use store::journal::{self, EntryFilter, EntryRow, Left, MonthChange};
use store::statement::{self, Entry};

/// The entries on a page.
const ROWS: i64 = 50;
/// The most entries of a month's file.
const MOST_IN_FILE: i64 = 20_000;

const COLUMNS: [(&str, Fit); 11] = [
    ("Entry", Fit::Medium),
    ("When", Fit::Any),
    ("Kind", Fit::Any),
    ("About", Fit::Medium),
    ("Month", Fit::Wide),
    ("Changes the month by", Fit::Any),
    ("Left of the month", Fit::Medium),
    ("Changes bought by", Fit::Wide),
    ("Bought left", Fit::Wide),
    ("Changes credits by", Fit::Wide),
    ("Note", Fit::Wide),
];

/// The query parameters that the page knows.
const FILTERS: [&str; 6] = ["kind", "job_id", "since", "until", "cursor", "format"];
/// The kinds of entries.
const KINDS: [&str; 6] = ["grant", "purchase", "adjust", "hold", "settle", "release"];
/// The entries that a page with filters looks through.
const WINDOW: i64 = 20_000;

/// An entry, and the balances after it: none where a filter leaves entries out, or too many came after it.
struct Line {
    entry: EntryRow,
    left: Option<LeftAfter>,
}

/// A page of the journal.
struct Found {
    lines: Vec<Line>,
    /// The number of the entry after which the next page begins, if there may be more.
    next: Option<i64>,
}

pub(super) async fn show(visit: Visit) -> Answer<Response> {
    visit.takes(&FILTERS)?;
    let id: AccountId = visit.own_id(Code::AccountNotFound)?;
    let shown = list(&visit, id).await;
    or_refused(visit, shown, "Minutes", &path(id), fields)
}

/// The statement's path below the console's.
fn path(id: AccountId) -> String {
    format!("/accounts/{id}/minutes")
}

async fn list(visit: &Visit, id: AccountId) -> Answer<Response> {
    let now = visit.now().await?;
    let filter = filter(visit)?;
    let mut conn = visit.conn().await?;
    let account = accounts::find(&mut conn, id).await?.ok_or_else(|| missing(Code::AccountNotFound, id))?;
    let Found { lines, next } = found(visit, &mut conn, id, &filter).await?;
    drop(conn);
    let cursor = next.map(|next| next.to_string());
    if visit.wants_json()? {
        return Ok(listed(lines.iter().map(|line| document(&line.entry, line.left)).collect(), cursor.as_deref()));
    }
    let rows = html! { @for line in &lines { (row(line, now)) } };
    let main = html! {
        h1 { "Minutes of " (account.name) }
        (shell::still("proof", "Whether it adds up", &proof(visit, id, begins(&lines, next.is_some())).await))
        @if filter.is_open() && visit.asked("cursor").is_none() {
            (shell::still("charges", "What was charged for", &charges(visit, id).await))
        }
        (shell::still("file", "A month as a file", &export(id, now)))
        (shell::still("rows", "The journal, newest first", &html! {
            (shell::filters(&path(id), &fields(visit)))
            @if !filter.is_open() { (which(&filter, now)) }
            @else if lines.first().is_some_and(|line| line.left.is_none()) {
                p { "More than 20,000 entries came after these: what was left after each is not shown." }
            }
            @if !lines.is_empty() { (shell::fitted_table("The journal", &COLUMNS, &rows)) }
            (shell::pages_within(visit, lines.len(), cursor.as_deref(), "entries", "20,000"))
        }))
        p { (link("accounts", id)) }
        (shell::command(&format!("mws admin accounts statement {id}")))
    };
    Ok(visit.whole("Minutes", &main))
}

fn filter(visit: &Visit) -> Answer<EntryFilter> {
    Ok(EntryFilter {
        job: visit.id_in("job_id")?,
        kind: visit.word("kind", |text| KINDS.contains(&text).then(|| text.to_owned()))?,
        since: moment(visit, "since")?,
        until: moment(visit, "until")?,
    })
}

/// Returns the page of the journal that the query asks for.
async fn found(visit: &Visit, conn: &mut PgConnection, id: AccountId, filter: &EntryFilter) -> Answer<Found> {
    let before = visit.word("cursor", |text| text.parse::<i64>().ok().filter(|number| *number > 0))?;
    let is_all = filter.is_open();
    let Seen { rows: mut entries, last_seen } = if is_all {
        Seen { rows: journal::entries(conn, id, before, ROWS + 1).await?, last_seen: None }
    } else {
        journal::search(conn, id, filter, before, ROWS + 1, WINDOW).await?
    };
    let most = usize::try_from(ROWS).unwrap_or(usize::MAX);
    let is_full = entries.len() > most;
    entries.truncate(most);
    let next = if is_full { entries.last().map(|entry| entry.id) } else { last_seen };
    let is_far = match before {
        Some(before) if is_all => journal::is_longer(conn, id, before, ADDED_UP).await?,
        _ => false,
    };
    if !is_all || is_far {
        let lines = entries.into_iter().map(|entry| Line { entry, left: None }).collect();
        return Ok(Found { lines, next });
    }
    let left = journal::left(conn, id).await?;
    let since = match before {
        // Twice as many, so that what is written meanwhile pushes none of them out.
        Some(before) => journal::changed_since(conn, id, before, 2 * ADDED_UP).await?,
        None => Vec::new(),
    };
    Ok(Found { lines: lines(&left, &since, entries), next })
}

fn fields(visit: &Visit) -> Markup {
    html! {
        (shell::choice(visit, "kind", "Kind", KINDS))
        (shell::text_field(visit, "job_id", "Job"))
        (shell::moment_field(visit, "since", "Since (RFC 3339)", visit.asked("since").unwrap_or_default()))
        (shell::moment_field(visit, "until", "Until", visit.asked("until").unwrap_or_default()))
    }
}

/// Says which entries are shown.
fn which(filter: &EntryFilter, now: DateTime<Utc>) -> Markup {
    html! {
        p {
            "Shown are only the entries"
            @if let Some(kind) = &filter.kind { " of the kind " b { (kind) } }
            @if let Some(job) = filter.job { " of the job " (link("jobs", job)) }
            @if let Some(since) = filter.since { " written since " (time(since, now)) }
            @if let Some(until) = filter.until { " written before " (time(until, now)) }
            ". Whether it adds up is told of the whole account, and what was left after each entry only where all are shown."
        }
    }
}

/// Returns the entries with the balances after each, computed backwards from the current balances.
fn lines(left: &[Left], since: &[MonthChange], entries: Vec<EntryRow>) -> Vec<Line> {
    let mut of_month: HashMap<NaiveDate, Minutes> =
        left.iter().filter_map(|one| Some((one.month?, one.left))).collect();
    let mut bought = left.iter().find(|one| one.month.is_none()).map_or(Minutes::ZERO, |one| one.left);
    for MonthChange { month, month_change, bought_change } in since {
        let of_month = of_month.entry(*month).or_default();
        *of_month -= *month_change;
        bought -= *bought_change;
    }
    let line = |entry: EntryRow| {
        let month = of_month.entry(entry.month).or_default();
        let line = Line { left: Some(LeftAfter { month: *month, bought }), entry };
        *month -= line.entry.month_change;
        bought -= line.entry.bought_change;
        line
    };
    entries.into_iter().map(line).collect()
}

/// Returns the bought minutes that were left before the first entry of these; none if there are older ones, or if what
/// was left is not shown.
fn begins(lines: &[Line], has_more: bool) -> Option<Minutes> {
    let last = lines.last().filter(|_| !has_more)?;
    Some(last.left?.bought - last.entry.bought_change)
}

/// The form that a month is downloaded by.
fn export(id: AccountId, now: DateTime<Utc>) -> Markup {
    html! {
        form.filters action={ "/console/accounts/" (id) "/minutes.csv" } aria-label="A month as a file" {
            div { label for="f-month" { "Month" }
                input #f-month name="month" type="month" pattern="[0-9]{4}-[0-9]{2}" value=(now.format("%Y-%m")) required; }
            button { "Download as CSV" }
        }
    }
}

/// Sends what was booked in a month: what stood before it, each entry but the holds, and what stands after them.
pub(super) async fn file(visit: Visit) -> Answer<Response> {
    visit.takes(&["month"])?;
    let id: AccountId = visit.own_id(Code::AccountNotFound)?;
    let mut conn = visit.conn().await?;
    let month = month_of(&mut conn, visit.asked("month").map(Text::from).as_ref()).await?;
    let entries = statement::entries(&mut conn, id, month, None, MOST_IN_FILE + 1).await?;
    if entries.len() > usize::try_from(MOST_IN_FILE).unwrap_or(usize::MAX) {
        let words = format!("The month has more than {MOST_IN_FILE} entries. `mws statement --all` writes them.");
        return Err(ApiError::new(Code::InvalidRequest, words));
    }
    let sums = statement::sums(&mut conn, id, month).await?.ok_or_else(|| missing(Code::AccountNotFound, id))?;
    let before = Amounts { minutes: Minutes::ZERO, bought: sums.bought_before, credits: sums.credits_before };
    let lines: Vec<FileLine> = entries.into_iter().map(in_file).collect();
    Ok(saved_as(&name_of(month), csv(before, &lines)))
}

fn in_file(entry: Entry) -> FileLine {
    FileLine {
        at: Time(entry.at).to_string(),
        kind: kind_of(&entry.kind).to_owned(),
        job: entry.job_id.map(|job| job.to_string()).unwrap_or_default(),
        reference: entry.reference.unwrap_or_default(),
        change: Amounts { minutes: entry.month_change, bought: entry.bought_change, credits: entry.credit_change },
    }
}

fn row(line: &Line, now: DateTime<Utc>) -> Markup {
    let entry = &line.entry;
    html! {
        tr {
            td.number.medium { (entry.id) }
            td { (time(entry.at, now)) }
            td {
                (entry.kind)
                @if entry.kind == "settle" { " " span.soft { "charged " (amount(entry.month_amount + entry.bought_amount)) } }
                (in_narrow(line))
            }
            td.medium { (about(entry)) }
            td.wide { (entry.month.format("%Y-%m")) }
            td { (change(entry.month_change)) }
            td.medium { @if let Some(left) = line.left { (amount(left.month)) } @else { "–" } }
            td.wide { (change(entry.bought_change)) }
            td.wide { @if let Some(left) = line.left { (amount(left.bought)) } @else { "–" } }
            td.wide { (change(entry.credit_change)) }
            td.long.wide { (or_dash(entry.note.as_ref())) }
        }
    }
}

/// What an entry is about: its job, or the reference that it was given.
fn about(entry: &EntryRow) -> Markup {
    html! { @match entry.job_id { Some(job) => { (link("jobs", job)) } None => { (or_dash(entry.reference.as_ref())) } } }
}

/// Shows what the columns tell that narrow windows have no room for.
fn in_narrow(line: &Line) -> Markup {
    let entry = &line.entry;
    html! {
        (instead(Fit::Medium, "Entry", &amount(entry.id)))
        (instead(Fit::Medium, "About", &about(entry)))
        @if let Some(left) = line.left { (instead(Fit::Medium, "Left of the month", &amount(left.month))) }
        (instead(Fit::Wide, "Month", &html! { (entry.month.format("%Y-%m")) }))
        @if entry.bought_change != Minutes::ZERO {
            (instead(Fit::Wide, "Changes bought by", &change(entry.bought_change)))
            @if let Some(left) = line.left { (instead(Fit::Wide, "Bought left", &amount(left.bought))) }
        }
        @if entry.credit_change != Credits::ZERO { (instead(Fit::Wide, "Changes credits by", &change(entry.credit_change))) }
        @if let Some(note) = &entry.note { (instead(Fit::Wide, "Note", &html! { (note) })) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: i64, kind: &str, month_change: i64, bought_change: i64) -> EntryRow {
        EntryRow {
            id,
            at: DateTime::UNIX_EPOCH,
            month: month(),
            kind: kind.to_owned(),
            job_id: None,
            month_amount: Minutes::ZERO,
            bought_amount: Minutes::ZERO,
            month_change: Minutes::from_hundredths(month_change),
            bought_change: Minutes::from_hundredths(bought_change),
            credit_change: Credits::ZERO,
            note: None,
            reference: None,
        }
    }

    fn month() -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 11, 1).expect("a day")
    }

    #[test]
    fn what_each_entry_left_is_found_backwards_from_what_is_left_now_on_any_page() {
        let left = [
            Left { month: Some(month()), left: Minutes::from_hundredths(9_769) },
            Left { month: None, left: Minutes::from_hundredths(500) },
        ];
        let all = || {
            vec![
                entry(4, "settle", 19, 0),
                entry(3, "hold", -250, 0),
                entry(2, "purchase", 0, 500),
                entry(1, "grant", 10_000, 0),
            ]
        };
        let of = |line: &Line| line.left.map(|left| (left.month.hundredths(), left.bought.hundredths()));
        let shown = |lines: &[Line]| -> Vec<(i64, i64)> { lines.iter().filter_map(of).collect() };
        let whole = lines(&left, &[], all());
        assert_eq!(shown(&whole), [(9_769, 500), (9_750, 500), (10_000, 500), (10_000, 0)]);
        let month_change = Minutes::from_hundredths(-231);
        let since = [MonthChange { month: month(), month_change, bought_change: Minutes::ZERO }];
        let second = lines(&left, &since, all().split_off(2));
        assert_eq!(shown(&second), [(10_000, 500), (10_000, 0)]);
    }
}
