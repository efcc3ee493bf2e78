//! What the page `unsent` counts: all that match, or as much as a page looks at, and which endpoints it shows.

use super::Visit;
use super::bulk::{BY_A_BUTTON, Period};
use crate::http::error::Answer;
use crate::usecases::operator::deliveries::UnsentSelection;
use domain::event::EventType;
use domain::ids::EndpointId;
use domain::series::DeliveryStatus::{self, Failed, Skipped};
use std::fmt::Display;
use store::deliveries::{self, UNSENT_LOOKED_AT, UnsentFilter, UnsentOf, UnsentPage};

/// The endpoints on a page.
const ROWS: usize = 50;

/// What was counted, and the endpoints of it that a page shows.
pub(super) struct UnsentCounts {
    /// The times that were looked between.
    pub period: Period,
    /// What was selected.
    pub selection: UnsentSelection,
    /// The enabled endpoints that were counted.
    pub open: Vec<UnsentOf>,
    /// The disabled ones.
    pub closed: Vec<UnsentOf>,
    /// Those of a page, of both kinds.
    pub shown: Vec<UnsentOf>,
    /// The endpoint of which not all was looked at.
    pub cut: Option<EndpointId>,
    /// The last endpoint of the page, if there may be more.
    pub next: Option<EndpointId>,
    /// Whether more may match than was counted.
    pub has_more: bool,
}

impl UnsentCounts {
    /// How many deliveries can be sent: those to endpoints that are enabled.
    pub(super) fn total(&self) -> u64 {
        self.open.iter().map(|one| one.count.unsigned_abs()).sum()
    }

    /// Whether a bulk operation sends them. How many there are is to be known before.
    pub(super) fn is_bulk(&self) -> bool {
        self.total() > BY_A_BUTTON && !self.has_more
    }

    /// Returns a number of what matches, or the least that it is.
    pub(super) fn number(&self, many: impl Display) -> String {
        if self.has_more { format!("{many} or more") } else { many.to_string() }
    }
}

/// Returns what the query selects between these times.
fn selected(visit: &Visit, period: Period) -> Answer<UnsentSelection> {
    let http_status = |text: &str| text.parse::<i16>().ok().filter(|status| (100..=599).contains(status));
    let filter = UnsentFilter {
        since: period.since,
        until: Some(period.until),
        status: visit.word("status", unarrived)?,
        event_type: visit.word("event_type", EventType::from_name)?,
        http_status: visit.word("http_status", http_status)?,
        error: visit.asked("error").map(str::to_owned),
    };
    let (account, endpoint) = (visit.id_in("account_id")?, visit.id_in("endpoint_id")?);
    Ok(UnsentSelection { account, endpoint, filter })
}

/// Counts all that is selected.
pub(super) async fn count_all(visit: &Visit, period: Period) -> Answer<UnsentCounts> {
    let selection = selected(visit, period)?;
    let UnsentSelection { account, endpoint, filter } = &selection;
    let found = deliveries::unsent_of(&mut *visit.conn().await?, *account, *endpoint, filter).await?;
    let shown: Vec<UnsentOf> = found.iter().take(ROWS).copied().collect();
    let next = shown.last().filter(|_| found.len() > ROWS).map(|last| last.endpoint_id);
    let (open, closed) = found.into_iter().partition(|one| one.enabled);
    Ok(UnsentCounts { period, selection, open, closed, shown, cut: None, next, has_more: false })
}

/// Counts what a page looks at: from the first endpoint on for the first page, and what the page shows for another.
pub(super) async fn count(visit: &Visit, period: Period) -> Answer<UnsentCounts> {
    let selection = selected(visit, period)?;
    let after: Option<EndpointId> = visit.id_in("cursor")?;
    let mut conn = visit.conn().await?;
    let named = deliveries::named(&mut conn, selection.account, selection.endpoint).await?;
    let most = if after.is_some() { i64::try_from(ROWS + 1).unwrap_or(i64::MAX) } else { i64::MAX };
    let looked_at = UNSENT_LOOKED_AT;
    let page = deliveries::unsent_page(&mut conn, named.as_deref(), &selection.filter, after, looked_at, most).await?;
    drop(conn);
    let UnsentPage { endpoints: found, cut, whole, has_more } = page;
    // An endpoint of which not all was looked at stands on the next page, unless it was looked at alone.
    let cut_alone = cut.filter(|_| whole.is_none());
    let is_shown = |one: &&UnsentOf| Some(one.endpoint_id) != cut || cut_alone.is_some();
    let mut shown: Vec<UnsentOf> = found.iter().filter(is_shown).take(ROWS + 1).copied().collect();
    let next = if shown.len() > ROWS {
        shown.truncate(ROWS);
        shown.last().map(|last| last.endpoint_id)
    } else {
        cut_alone.or(whole).filter(|_| has_more)
    };
    let has_more = has_more || after.is_some();
    let (open, closed) = found.into_iter().partition(|one| one.enabled);
    Ok(UnsentCounts { period, selection, open, closed, shown, cut: cut_alone, next, has_more })
}

fn unarrived(text: &str) -> Option<DeliveryStatus> {
    DeliveryStatus::from_name(text).filter(|status| [Failed, Skipped].contains(status))
}
