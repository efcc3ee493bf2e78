//! Lists whose filters were refused: the page has all that was given, marks the wrong filter, and shows no list.

use super::{Visit, responses, shell};
use crate::http::error::{Answer, ApiError, Code};
use maud::{Markup, html};
use poem::Response;

/// Returns `shown`, or the list's page without a list if its filters were refused. `title` and `path` (below the
/// console's) are the page's, and `fields` shows the fields of its filters.
///
/// # Errors
/// Every refusal but `invalid_request`.
pub(super) fn or_refused(
    visit: Visit,
    shown: Answer<Response>,
    title: &str,
    path: &str,
    fields: impl FnOnce(&Visit) -> Markup,
) -> Answer<Response> {
    let refusal = match shown {
        Err(refusal) if refusal.code() == Code::InvalidRequest => refusal,
        shown => return shown,
    };
    let visit = Visit { wrong: named(&refusal).map(str::to_owned), ..visit };
    let main = html! {
        h1 { (title) }
        p.fault role="alert" { (refusal.message()) }
        p { "Nothing was looked for. What you gave is still in the filters: correct it there, and show the list." }
        (shell::filters(path, &fields(&visit)))
    };
    Ok(responses::refused_on(&shell::whole(Some(&visit.seat), title, &main), &refusal))
}

/// Returns the filter that a refusal is about: its message begins with it.
fn named(refusal: &ApiError) -> Option<&str> {
    refusal.message().strip_prefix('`')?.split('`').next()
}
