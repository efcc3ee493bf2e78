//! The statement of a month: `GET /statement` (contract §10). What stood before the month, each entry of the journal
//! that changed it, what stands after them, and whether the balances are what the whole journal adds up to.
//!
//! The operators' notes of entries are not shown here: they were written for the journal.

use crate::app::App;
use crate::auth::Auth;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::paging::{Limit, List, Page};
use crate::http::text::{CreditCount, MinuteCount, Text, Time};
use chrono::{Datelike, NaiveDate};
use domain::credits::Credits;
use domain::ids::AccountId;
use domain::minutes::Minutes;
use poem_openapi::param::Query;
use poem_openapi::payload::Json;
use poem_openapi::{Object, OpenApi};
use sqlx::PgConnection;
use store::inspect;
use store::statement::{self, Entry, Sums};
use uuid::Uuid;

/// The error codes of this operation, besides those that any operation may return.
pub const ERRORS: Refusals = &[("GET /statement", &[Code::InvalidCursor])];

/// The operation on the account's statement.
pub struct Statements(pub App);

/// A month of the account's journal. What was before the month and the changes of its entries add up to what is after.
#[derive(Debug, Object)]
pub struct StatementAnswer {
    /// The month, such as `2026-11`.
    pub month: Text,
    /// The month's own minutes, which begin with its allowance and lapse at its end.
    pub minutes: MinuteSums,
    /// Bought minutes.
    pub bought_minutes: MinuteSums,
    /// AI credits.
    pub credits: CreditSums,
    /// Whether the account's balances are what its whole journal adds up to, looked at for this answer.
    pub adds_up: bool,
    /// The month's entries, newest first. A hold is none: minutes that are held are still the account's.
    pub data: Vec<StatementEntry>,
    /// Whether there are entries after these.
    pub has_more: bool,
    /// Pass it as `cursor` for the entries after these; null on the last page.
    pub next_cursor: Option<Text>,
}

/// Minutes before a month, by how much all of its entries changed them, and after it. Held minutes are counted in.
#[derive(Debug, Object)]
pub struct MinuteSums {
    /// Before the month.
    pub before: MinuteCount,
    /// The sum of all entries of the month.
    pub change: MinuteCount,
    /// After them.
    pub after: MinuteCount,
}

/// AI credits before a month, by how much all of its entries changed them, and after it. Held ones are counted in.
#[derive(Debug, Object)]
pub struct CreditSums {
    /// Before the month.
    pub before: CreditCount,
    /// The sum of all entries of the month.
    pub change: CreditCount,
    /// After them.
    pub after: CreditCount,
}

/// An entry of the journal.
#[derive(Debug, Object)]
pub struct StatementEntry {
    /// When it was written. A job's charge belongs to the month in which the job was started.
    pub at: Time,
    /// `grant` (the month's allowance), `purchase`, `adjustment`, `charge` (of a job that succeeded) or `release` (of a
    /// job that failed or was cancelled, and cost nothing).
    pub kind: Text,
    /// The job that ended; null for an entry without a job.
    pub job_id: Option<Text>,
    /// The deployment's own name for it, such as an invoice's number, or null.
    pub reference: Option<Text>,
    /// By how much it changed the month's minutes.
    pub minutes: MinuteCount,
    /// By how much it changed the bought minutes.
    pub bought_minutes: MinuteCount,
    /// By how much it changed the AI credits.
    pub credits: CreditCount,
    /// The minutes that were held for the job, the most that it could cost; null for an entry without a job.
    pub held_minutes: Option<MinuteCount>,
    /// The AI credits that were held for the job; null for an entry without a job.
    pub held_credits: Option<CreditCount>,
}

#[OpenApi(tag = "Tag::Account")]
impl Statements {
    /// Get a month's statement
    ///
    /// Returns what stood before a month, the journal's entries of it, newest first, and what stands after them.
    /// `adds_up` says whether the account's balances are what its whole journal adds up to.
    #[oai(path = "/statement", method = "get", operation_id = "get_statement")]
    async fn statement(
        &self,
        auth: Auth,
        /// The month, such as `2026-11`; the open one when it is absent.
        month: Query<Option<Text>>,
        /// Rows to show.
        limit: Query<Option<Limit>>,
        /// The `next_cursor` of the page before.
        cursor: Query<Option<Text>>,
    ) -> Answer<Json<StatementAnswer>> {
        let Auth(caller) = auth;
        // In one of the account's turns: a page of an old month reads past the entries of all later ones, and a file of
        // the portal is up to fifty pages.
        let mut conn = self.0.process.conn_of(caller.account_id).await?;
        let found = statement_of(&mut conn, caller.account_id, month.0.as_ref(), limit.0, cursor.0.as_ref()).await?;
        Ok(Json(found.ok_or_else(|| ApiError::internal("the caller's account is missing"))?))
    }
}

/// Returns a page of an account's statement of a month; none if there is no such account.
pub async fn statement_of(
    conn: &mut PgConnection,
    account: AccountId,
    month: Option<&Text>,
    limit: Option<Limit>,
    cursor: Option<&Text>,
) -> Answer<Option<StatementAnswer>> {
    let month = month_of(conn, month).await?;
    let page = Page::of("statement", number_of(month), limit, cursor)?;
    let before = page.after.map(|last| i64::try_from(last.as_u128()).unwrap_or(i64::MAX));
    let entries = statement::entries(conn, account, month, before, page.fetch()).await?;
    let Some(sums) = statement::sums(conn, account, month).await? else { return Ok(None) };
    let list = page.list(entries, |entry| Uuid::from_u128(entry.id.unsigned_abs().into()), StatementEntry::from);
    Ok(Some(StatementAnswer::of(month, &sums, list)))
}

impl StatementAnswer {
    fn of(month: NaiveDate, sums: &Sums, list: List<StatementEntry>) -> Self {
        Self {
            month: Text(name_of(month)),
            minutes: minutes(Minutes::ZERO, sums.month),
            bought_minutes: minutes(sums.bought_before, sums.bought_change),
            credits: credits(sums.credits_before, sums.credits_change),
            adds_up: sums.adds_up,
            data: list.data,
            has_more: list.has_more,
            next_cursor: list.next_cursor,
        }
    }
}

fn minutes(before: Minutes, change: Minutes) -> MinuteSums {
    MinuteSums { before: before.into(), change: change.into(), after: (before + change).into() }
}

fn credits(before: Credits, change: Credits) -> CreditSums {
    CreditSums { before: before.into(), change: change.into(), after: (before + change).into() }
}

impl From<Entry> for StatementEntry {
    fn from(entry: Entry) -> Self {
        Self {
            at: Time(entry.at),
            kind: Text::of(kind_of(&entry.kind)),
            job_id: entry.job_id.map(Text::of),
            reference: entry.reference.map(Text),
            minutes: entry.month_change.into(),
            bought_minutes: entry.bought_change.into(),
            credits: entry.credit_change.into(),
            held_minutes: entry.held.map(Into::into),
            held_credits: entry.held_credits.map(Into::into),
        }
    }
}

/// Returns the word for a kind of entry.
pub fn kind_of(kind: &str) -> &str {
    match kind {
        "settle" => "charge",
        "adjust" => "adjustment",
        other => other,
    }
}

/// Returns the first day of the month that is asked for, or of the open one by the database's clock.
pub async fn month_of(conn: &mut PgConnection, asked: Option<&Text>) -> Answer<NaiveDate> {
    let found = match asked {
        Some(Text(text)) => first_day(text),
        None => inspect::now(conn).await?.date_naive().with_day(1),
    };
    found.ok_or_else(|| ApiError::new(Code::InvalidRequest, "`month`: expected a month such as 2026-11."))
}

fn first_day(text: &str) -> Option<NaiveDate> {
    let fits = |(place, byte): (usize, u8)| if place == 4 { byte == b'-' } else { byte.is_ascii_digit() };
    let is_month = text.len() == 7 && text.bytes().enumerate().all(fits);
    NaiveDate::parse_from_str(&format!("{text}-01"), "%Y-%m-%d").ok().filter(|_| is_month)
}

/// Returns a month as the interface writes it.
pub fn name_of(month: NaiveDate) -> String {
    month.format("%Y-%m").to_string()
}

/// Returns what a month's cursors carry, so that those of another are refused.
fn number_of(month: NaiveDate) -> Uuid {
    Uuid::from_u128(u128::from(month.year().unsigned_abs()) * 100 + u128::from(month.month()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_month_is_a_year_and_a_month_and_nothing_else() {
        let november = NaiveDate::from_ymd_opt(2026, 11, 1);
        assert_eq!(first_day("2026-11"), november);
        assert_eq!(november.map(name_of).as_deref(), Some("2026-11"));
        for wrong in ["", "2026", "2026-13", "2026-1", "2026-1-", "26-11-1", "2026-11-01", "-026-11", "2026/11"] {
            assert_eq!(first_day(wrong), None, "{wrong}");
        }
    }
}
