//! Doing something with all that match: the shape of the pages `unsent` and `rerun`. A page counts first, and its form
//! then does it. The form's link fixes the times, so that what is done is what was counted, and less if some of it has
//! been done meanwhile. A form that is refused is shown again as it was sent, with the reason beside the field.

use super::filtered::or_refused;
use super::jobs::moment;
use super::{Visit, responses, shell};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::pages::field;
use crate::http::text::Time;
use chrono::{DateTime, TimeDelta, Utc};
use maud::{Markup, html};
use poem::Response;
use std::fmt::Display;

/// How many are done by a button alone; for more of them their number has to be typed.
pub(super) const BY_A_BUTTON: u64 = 1_000;
/// The field of a form that counts all that match, before anything is done.
pub(super) const COUNT_ALL: &str = "count_all";
/// How far back a page looks, unless it is told.
const USUAL_HOURS: i64 = 24;

/// One of the pages.
pub(super) struct Bulk {
    /// Its path below the console's.
    pub path: &'static str,
    /// The page to go back to, with its whole path.
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
    /// Shows the fields of its filters, but for the times.
    pub fields: fn(&Visit) -> Markup,
}

/// Why a form was refused.
pub(super) struct RefusedForm {
    /// The refusal.
    pub refusal: ApiError,
    /// The name of the field that is wrong; empty if it is none of them.
    pub field: &'static str,
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
    /// How many the button does; without any there is no such button.
    pub many: u64,
    /// Whether there may be more than were counted: the button then counts them all, and does nothing yet.
    pub has_more: bool,
    /// What became of the last press of the button; empty if it was not pressed.
    pub done: Markup,
    /// Why the form was refused, if it was.
    pub refused: Option<RefusedForm>,
    /// What was counted.
    pub found: Markup,
    /// What whoever presses the button should know; may be empty.
    pub warning: Markup,
    /// The fields of the form beside the number, with buttons of their own; may be empty. The form is shown for them
    /// alone too.
    pub asked: Markup,
    /// A link to what comes after these; may be empty.
    pub more: Markup,
    /// The command that does the same.
    pub command: String,
}

impl Bulk {
    /// Refuses parameters that the page does not know.
    pub(super) fn takes(&self, visit: &Visit) -> Answer<()> {
        let known: Vec<&str> = self.filters.iter().chain(self.results).chain(&["since", "until"]).copied().collect();
        visit.takes(&known)
    }

    /// Returns `shown`, or the page without what was counted if its filters were refused.
    pub(super) fn or_refused(&self, visit: Visit, shown: Answer<Response>) -> Answer<Response> {
        let since = visit.asked("since").unwrap_or_default().to_owned();
        or_refused(visit, shown, self.title, self.path, |visit| self.all_fields(visit, since))
    }

    /// Shows the fields of its filters.
    fn all_fields(&self, visit: &Visit, since: impl Display) -> Markup {
        html! {
            ((self.fields)(visit))
            (shell::moment_field(visit, "since", "Since (RFC 3339)", since))
            (shell::moment_field(visit, "until", "Until", visit.asked("until").unwrap_or_default()))
        }
    }

    /// Returns the times in the query.
    pub(super) async fn period(&self, visit: &Visit) -> Answer<Period> {
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
        let main = html! {
            h1 { (self.title) }
            (parts.done)
            @if parts.refused.is_some() {
                p role="status" { b { "Nothing was done." } " What you wrote is still in the form below, with what is wrong." }
            }
            (shell::filters(self.path, &self.all_fields(visit, Time(period.since))))
            (shell::still("found", self.counted, &parts.found))
            @if visit.may_act() && (parts.many > 0 || parts.has_more || !parts.asked.0.is_empty()) {
                (parts.warning) (self.form(visit, here, parts))
            }
            (parts.more)
            (shell::command(&parts.command))
        };
        match &parts.refused {
            None => visit.whole(self.title, &main),
            Some(RefusedForm { refusal, .. }) => {
                responses::refused_on(&shell::whole(Some(&visit.seat), self.title, &main), refusal)
            }
        }
    }

    fn form(&self, visit: &Visit, here: &str, parts: &Parts) -> Markup {
        let many = parts.many;
        let refused = parts.refused.as_ref();
        html! {
            form method="post" action=(here) {
                div.acts {
                    (why(refused, ""))
                    (parts.asked)
                    @if parts.has_more {
                        input type="hidden" name=(COUNT_ALL) value="yes";
                        button { "Count all that match" }
                    } @else if many > BY_A_BUTTON {
                        label for="count" { "To do so with so many, type their number: " }
                        input #count name="count" inputmode="numeric" autocomplete="off" required
                            value=(field(&visit.form, "count")) aria-invalid=[is_wrong(refused, "count").then_some("true")];
                        (why(refused, "count"))
                    }
                    @if many > 0 && !parts.has_more { button { (self.verb) " " (many) " again" } }
                    a href=(self.back) { "Leave it" }
                }
            }
        }
    }
}

/// Whether a form was refused for this field.
pub(super) fn is_wrong(refused: Option<&RefusedForm>, field: &str) -> bool {
    refused.is_some_and(|refused| refused.field == field)
}

/// Shows why a form was refused, if it was for this field.
pub(super) fn why(refused: Option<&RefusedForm>, field: &str) -> Markup {
    html! {
        @if let Some(refused) = refused.filter(|refused| refused.field == field) {
            p.fault role="alert" { (refused.refusal.message()) }
        }
    }
}

/// Shows that nothing matches.
pub(super) fn none() -> Markup {
    html! { p.empty { "Nothing matches these times and filters. Look further back, or with fewer filters." } }
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
    let words = format!("{many} match now: type this number to do it with so many.");
    Err(ApiError::new(Code::InvalidRequest, words))
}
