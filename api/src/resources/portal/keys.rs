//! The page of the account's API keys, to list and revoke them. Keys are not made here: a key that a page has shown
//! stays in the browser's history.

use super::lists::{pages, rows, text, when};
use super::{PORTAL_PATH, Visit, leads_to};
use crate::http::error::{Answer, Code};
use crate::http::text::Text;
use crate::resources::fragments::{Fit, fitted_table, instead, or_dash};
use domain::ids::KeyId;
use maud::{Markup, html};
use poem::Response;
use poem::http::Method;
use serde_json::Value;

const COLUMNS: [(&str, Fit); 5] = [
    ("Name", Fit::Any),
    ("Begins with", Fit::Any),
    ("Made", Fit::Medium),
    ("Last used", Fit::Medium),
    ("Revoke", Fit::Any),
];

pub(super) async fn show(visit: Visit) -> Answer<Response> {
    let list = visit.ask(Method::GET, &format!("/keys?{}", visit.filters(&["cursor"])), None).await?;
    let own = visit.caller.key_id.map(|key| key.to_string());
    let body = html! {
        @for key in rows(&list) {
            tr {
                td.long {
                    (or_dash(key["name"].as_str()))
                    (instead(Fit::Medium, "Made", &when(&key["created_at"])))
                    (instead(Fit::Medium, "Last used", &used(key)))
                }
                td { code { (text(key, "prefix")) "…" } }
                td.medium { (when(&key["created_at"])) }
                td.medium { (used(key)) }
                td {
                    details {
                        summary { "Revoke" span.hidden { " " (text(key, "prefix")) } }
                        p {
                            "Programs that use it are refused from then on."
                            @if own.as_deref() == Some(text(key, "id")) {
                                " It is the key that made your link here: this session ends with it."
                            }
                        }
                        form method="post" {
                            input type="hidden" name="key" value=(text(key, "id"));
                            button.risky { "Revoke it" }
                        }
                    }
                }
            }
        }
    };
    let main = html! {
        h1 { "API keys" }
        @if !rows(&list).is_empty() { (fitted_table("Keys", &COLUMNS, &body)) }
        (pages(&visit, &list, "keys", "Whoever runs this service makes the first one."))
    };
    Ok(visit.whole("API keys", &main))
}

/// Shows when a key was last used.
fn used(key: &Value) -> Markup {
    if key["last_used_at"].is_null() {
        html! { span.soft { "never" } }
    } else {
        when(&key["last_used_at"])
    }
}

/// Revokes a key.
pub(super) async fn revoke(visit: Visit) -> Answer<Response> {
    let key: KeyId = Text(visit.sent("key").to_owned()).id(Code::KeyNotFound)?;
    visit.ask(Method::DELETE, &format!("/keys/{key}"), None).await?;
    Ok(leads_to(&format!("{PORTAL_PATH}/keys")))
}
