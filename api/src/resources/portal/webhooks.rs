//! The pages of the account's endpoints, of a new one, and of the secret that signs their events.

use super::addresses::without_user;
use super::fields::{described_by, invalid, why};
use super::lists::{pages, rows, text, when};
use super::refusals::Wrong;
use super::{PORTAL_PATH, Visit, leads_to};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::pages::field;
use crate::resources::fragments::{Fit, fitted_table, instead, state};
use domain::event::EventType;
use domain::job::JobKind;
use maud::{Markup, html};
use poem::Response;
use poem::http::Method;
use serde_json::{Value, json};

/// Why an address with a user name or a password is refused.
const NO_USER: &str = "`url` must be like https://example.com/hooks, without a user name and a password: what stood \
    before the @ is left out. Your server tells requests of ours from others by their signature.";

pub(super) async fn show(visit: Visit) -> Answer<Response> {
    let list = visit.ask(Method::GET, &format!("/webhooks?{}", visit.filters(&["cursor"])), None).await?;
    let body = html! {
        @for one in rows(&list) {
            tr {
                td.long {
                    a href={ (PORTAL_PATH) "/webhooks/" (text(one, "id")) } { (text(one, "url")) }
                    (instead(Fit::Medium, "Events", &html! { (events(one)) }))
                }
                td {
                    (state(if one["enabled"] == true { "enabled" } else { "disabled" }))
                    @if let Some(because) = because(one) { div.soft { (because) } }
                    (instead(Fit::Medium, "Last success", &when(&one["last_success_at"])))
                    (instead(Fit::Medium, "Failures in a row", &html! { (one["consecutive_failures"]) }))
                }
                td.medium { (events(one)) }
                td.medium { (when(&one["last_success_at"])) }
                td.number.medium { (one["consecutive_failures"]) }
            }
        }
    };
    let columns = [
        ("Address", Fit::Any),
        ("Status", Fit::Any),
        ("Events", Fit::Medium),
        ("Last success", Fit::Medium),
        ("Failures in a row", Fit::Medium),
    ];
    let main = html! {
        h1 { "Webhooks" }
        @if !rows(&list).is_empty() { (fitted_table("Endpoints", &columns, &body)) }
        (pages(&visit, &list, "endpoints", "Add the address of your server below: it is told of each job that ends."))
        h2 { "Add an endpoint" }
        (add_form(None, None))
        h2 { "Signing secret" }
        p { "Each request is signed, so that your server can tell it from others." }
        form.acts method="post" action={ (PORTAL_PATH) "/secret" } {
            button name="do" value="show" { "Show the secret" }
        }
        details {
            summary { "Make a new one" }
            p { "The secret of now goes on verifying for 24 hours." }
            form method="post" action={ (PORTAL_PATH) "/secret" } {
                button.risky name="do" value="rotate" { "Make a new secret" }
            }
        }
    };
    Ok(visit.whole("Webhooks", &main))
}

/// Returns why an endpoint is disabled, in words for customers; none if it is enabled.
pub(super) fn because(endpoint: &Value) -> Option<&str> {
    endpoint["disabled_reason"].as_str().map(|reason| match reason {
        "user" => "it was paused here, or by one of your programs",
        "operator" => "the operators of this service disabled it",
        "too_many_failures" => "it failed twenty times in a row",
        "suspended" => "the account is suspended",
        other => other,
    })
}

/// Returns the event types that an endpoint gets.
pub(super) fn events(endpoint: &Value) -> String {
    let words = endpoint["event_types"].as_array().into_iter().flatten().filter_map(Value::as_str);
    words.map(|word| word.trim_start_matches("job.")).collect::<Vec<_>>().join(", ")
}

/// The fields that a form was sent with; none for a form that is to be filled in.
type Sent<'a> = Option<&'a [(String, String)]>;

/// Shows a checkbox for each word, ticked as it was sent, and each of a new form.
fn boxes(
    name: &str,
    title: &str,
    sent: Sent<'_>,
    wrong: Option<&Wrong>,
    words: impl Iterator<Item = &'static str>,
) -> Markup {
    let is_ticked = |word: &str| sent.is_none_or(|sent| sent.iter().any(|(own, value)| own == name && value == word));
    html! {
        fieldset aria-describedby=[described_by(wrong, name)] {
            legend { (title) }
            @for word in words {
                label {
                    input type="checkbox" name=(name) value=(word) checked[is_ticked(word)]
                        aria-invalid=[invalid(wrong, name)];
                    (word)
                }
            }
            (why(wrong, name))
        }
    }
}

/// Shows the form that adds an endpoint, with what was sent by it; of an address no user name and no password.
pub(super) fn add_form(sent: Sent<'_>, wrong: Option<&Wrong>) -> Markup {
    let written = |name: &str| sent.map(|sent| field(sent, name));
    html! {
        form.form method="post" action={ (PORTAL_PATH) "/webhooks" } {
            div { label for="url" { "Address (https)" }
                input #url name="url" type="url" required maxlength="2048" placeholder="https://example.com/hooks"
                    value=[written("url").map(|address| without_user(&address))]
                    aria-invalid=[invalid(wrong, "url")] aria-describedby=[described_by(wrong, "url")];
                (why(wrong, "url"))
            }
            div { label for="description" { "Description" }
                input #description name="description" maxlength="200" value=[written("description")]
                    aria-invalid=[invalid(wrong, "description")] aria-describedby=[described_by(wrong, "description")];
                (why(wrong, "description"))
            }
            (boxes("event_types", "Tell it of", sent, wrong, EventType::SUBSCRIBABLE.iter().map(|one| one.name())))
            (boxes("kinds", "Of jobs of these kinds", sent, wrong, JobKind::ALL.iter().map(|one| one.name())))
            div { button { "Add" } }
        }
    }
}

/// Adds an endpoint.
pub(super) async fn add(visit: Visit) -> Answer<Response> {
    let ticked = |name: &str| -> Vec<&str> {
        visit.form.iter().filter(|(own, _)| own == name).map(|(_, value)| value.as_str()).collect()
    };
    let (types, kinds) = (ticked("event_types"), ticked("kinds"));
    if without_user(visit.sent("url")) != visit.sent("url") {
        return Err(ApiError::new(Code::InvalidRequest, NO_USER));
    }
    if types.is_empty() {
        return Err(ApiError::new(Code::InvalidRequest, "`event_types`: tick one at least."));
    }
    if kinds.is_empty() {
        return Err(ApiError::new(Code::InvalidRequest, "`kinds`: tick one at least."));
    }
    let mut body = json!({ "url": visit.sent("url"), "event_types": types });
    if kinds.len() < JobKind::ALL.len() {
        body["kinds"] = json!(kinds);
    }
    if !visit.sent("description").is_empty() {
        body["description"] = visit.sent("description").into();
    }
    let made = visit.ask(Method::POST, "/webhooks", Some(&body)).await?;
    Ok(leads_to(&format!("{PORTAL_PATH}/webhooks/{}", text(&made, "id"))))
}

/// Shows the signing secret, or makes a new one and shows that: only for a button, never for a link.
pub(super) async fn secret(visit: Visit) -> Answer<Response> {
    let body = if visit.sent("do") == "rotate" { json!({ "rotate": true }) } else { json!({}) };
    let secret = visit.ask(Method::POST, "/webhook-secret", Some(&body)).await?;
    let main = html! {
        h1 { "Signing secret" }
        p.secret { (text(&secret, "secret")) }
        p {
            "The whole text is the key of the signature, " code { "whsec_" } " and all. "
            "Keep it where your server's secrets are."
        }
        @let until = &secret["previous_expires_at"];
        @if !until.is_null() {
            p { "The one before verifies until " (when(until)) "." }
        }
        p { a href={ (PORTAL_PATH) "/webhooks" } { "Back to the endpoints" } }
    };
    Ok(visit.whole("Signing secret", &main))
}
