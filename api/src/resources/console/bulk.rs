//! Doing something with all that match: the shape of the pages `unsent` and `rerun`. A page counts first, and its form
//! then does it. The form's link fixes the times, so that what is done is what was counted, and less if some of it has
//! been done meanwhile.

use super::jobs::moment;
use super::{Visit, shell};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::pages::field;
use crate::http::text::Time;
use chrono::{DateTime, TimeDelta, Utc};
use maud::{Markup, html};
use poem::Response;

/// How many are done by a button alone; for more of them their number has to be typed.
pub(super) const BY_A_BUTTON: u64 = 1_000;
/// How far back a page looks, unless it is told.
const USUAL_HOURS: i64 = 24;

/// One of the pages.
pub(super) struct Bulk {
    /// Its path below the console's.
    pub path: &'static str,
    /// The page that is left for, with its whole path.
    pub back: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// The heading of what was counted.
    pub counted: &'static str,
    /// What is done, as the word of the button, such as `Send`.
    pub verb: &'static str,
    /// The parameters of its query that select.
    pub filters: &'static [&'static str],
    /// The other parameters: where it goes on, and what became of the last press of the button.
    pub results: &'static [&'static str],
}

/// The times that a page looks between.
#[derive(Debug, Clone, Copy)]
pub(super) struct Period {
    /// From this time on.
    pub since: DateTime<Utc>,
    /// Before this time.
    pub until: DateTime<Utc>,
}

/// What a page shows.
pub(super) struct Parts {
    /// How many the button does; without any there is no button.
    pub many: u64,
    /// What became of the last press of the button; empty if it was not pressed.
    pub done: Markup,
    /// The fields of its filters, but for the times.
    pub fields: Markup,
    /// What was counted.
    pub found: Markup,
    /// What whoever presses the button should know; may be empty.
    pub warning: Markup,
    /// The fields of the form beside the number; may be empty.
    pub asked: Markup,
    /// A link to what comes after these; may be empty.
    pub more: Markup,
    /// The command that does the same.
    pub command: String,
}

impl Bulk {
    /// Returns the times in the query, and refuses parameters that the page does not know.
    pub(super) async fn period(&self, visit: &Visit) -> Answer<Period> {
        let known: Vec<&str> = self.filters.iter().chain(self.results).chain(&["since", "until"]).copied().collect();
        visit.takes(&known)?;
        let until = match moment(visit, "until")? {
            Some(until) => until,
            None => visit.now().await?,
        };
        let since = moment(visit, "since")?.unwrap_or(until - TimeDelta::hours(USUAL_HOURS));
        Ok(Period { since, until })
    }

    /// Returns the link that asks for the same whenever it is followed, with these parameters too.
    pub(super) fn link(&self, visit: &Visit, period: Period, more: &[(&str, String)]) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.append_pair("since", &Time(period.since).to_string());
        query.append_pair("until", &Time(period.until).to_string());
        query.extend_pairs(self.filters.iter().filter_map(|name| Some((*name, visit.asked(name)?))));
        query.extend_pairs(more);
        format!("/console{}?{}", self.path, query.finish())
    }

    /// Returns the page. `here` is the link that its form is sent to.
    pub(super) fn page(&self, visit: &Visit, period: Period, here: &str, parts: &Parts) -> Response {
        let fields = html! {
            (parts.fields)
            (shell::moment_field("since", "Since (RFC 3339)", Time(period.since)))
            (shell::moment_field("until", "Until", visit.asked("until").unwrap_or_default()))
        };
        let main = html! {
            h1 { (self.title) }
            (parts.done)
            (shell::filters(self.path, &fields))
            (shell::still("found", self.counted, &parts.found))
            @if visit.may_act() && parts.many > 0 { (parts.warning) (self.form(here, parts)) }
            (parts.more)
            (shell::command(&parts.command))
        };
        visit.whole(self.title, &main)
    }

    fn form(&self, here: &str, parts: &Parts) -> Markup {
        let many = parts.many;
        html! {
            form method="post" action=(here) {
                div.acts {
                    (parts.asked)
                    @if many > BY_A_BUTTON {
                        label for="count" { "To do so with so many, type their number: " }
                        input #count name="count" inputmode="numeric" autocomplete="off" required;
                    }
                    button { (self.verb) " " (many) " again" }
                    a href=(self.back) { "Leave it" }
                }
            }
        }
    }
}

/// Shows that nothing matches.
pub(super) fn none() -> Markup {
    html! { p.empty { "There are none. Look further back, or with fewer filters." } }
}

/// Shows the result of the last press of the button, and where it is logged.
pub(super) fn done(result: &Markup, action: &str, link: &str) -> Markup {
    html! { p.done role="status" { (result) " " a href={ "/console/audit?action=" (action) } { (link) } } }
}

/// Refuses a form that is to do so many that their number has to be typed, and does not have that number.
///
/// # Errors
/// `invalid_request`.
pub(super) fn refuse_untyped(visit: &Visit, many: u64) -> Answer<()> {
    if many <= BY_A_BUTTON || field(&visit.form, "count").trim() == many.to_string() {
        return Ok(());
    }
    let words = format!("{many} match now. Go back, and type their number to do it with so many.");
    Err(ApiError::new(Code::InvalidRequest, words))
}
