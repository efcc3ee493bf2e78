//! The page of a month's statement: what stood before the month, each entry, what stands after them, and whether the
//! balances are what the journal adds up to; and the same as a file.

use super::fields::{described_by, invalid, why};
use super::lists::{pages, rows, text, when};
use super::refusals::Wrong;
use super::{PORTAL_PATH, Visit};
use crate::http::error::{Answer, ApiError, Code};
use crate::resources::fragments::{Fit, fitted_table, instead, or_dash, short, table};
use crate::resources::statement_file::{Amounts, Line, csv, saved_as};
use domain::credits::Credits;
use domain::minutes::Minutes;
use domain::portal::PortalPage;
use maud::{Markup, html};
use poem::Response;
use poem::http::Method;
use serde_json::Value;

/// The most entries of a file.
const MOST: usize = 5_000;

pub(super) async fn show(visit: Visit) -> Answer<Response> {
    let asked = format!("/statement?{}", visit.filters(&["month", "cursor"]));
    let statement = visit.ask(Method::GET, &asked, None).await?;
    let month = text(&statement, "month");
    let main = html! {
        h1 { "Statement of " (month) }
        (asking(month, None, &html! {
            a href={ (PORTAL_PATH) "/usage/statement.csv?month=" (month) } { "Download as CSV" }
        }))
        (sums(&statement))
        h2 { "Entries, newest first" }
        @if !rows(&statement).is_empty() { (entries(&visit, rows(&statement))) }
        (pages(&visit, &statement, "entries", "Charges are entered when jobs succeed."))
        p.soft {
            "A charge is in the month in which its job was started. What is held for jobs that run is not in a "
            "statement: it is charged when they succeed."
        }
        p { a href={ (PORTAL_PATH) "/usage" } { "Usage" } }
    };
    Ok(visit.whole("Statement", &main))
}

/// Shows the form that chooses the month, and what stands beside it. A month that was refused is shown in a field
/// of text: browsers leave a field of months empty where it is given what is none.
pub(super) fn asking(month: &str, wrong: Option<&Wrong>, beside: &Markup) -> Markup {
    let kind = if invalid(wrong, "month").is_some() { "text" } else { "month" };
    html! {
        form.filters aria-label="Month" {
            div { label for="month" { "Month" }
                input #month name="month" type=(kind) pattern="[0-9]{4}-[0-9]{2}" value=(month) required
                    aria-invalid=[invalid(wrong, "month")] aria-describedby=[described_by(wrong, "month")];
                (why(wrong, "month"))
            }
            button { "Show" }
            (beside)
        }
    }
}

/// What stood before the month, what its entries changed, and what stands after them.
fn sums(statement: &Value) -> Markup {
    let kinds = [("minutes", "Minutes of the month"), ("bought_minutes", "Bought minutes"), ("credits", "AI credits")];
    let body = html! {
        @for (name, label) in kinds {
            tr {
                td { (label) }
                @for part in ["before", "change", "after"] { td.number { (statement[name][part]) } }
            }
        }
    };
    html! {
        (table("Sums", &["Of", "Before", "Change", "After"], &body))
        @if statement["adds_up"] == true {
            p { span.state.good { "✓ adds up" } " The balances are what the whole journal adds up to." }
        } @else {
            p.fault role="alert" { "✗ The balances are not what the journal adds up to. Please tell whoever runs this service." }
        }
    }
}

fn entries(visit: &Visit, entries: &[Value]) -> Markup {
    let body = html! {
        @for entry in entries {
            tr {
                td { (when(&entry["at"])) }
                td { (kind(text(entry, "kind"))) (in_narrow(visit, entry)) }
                td.long.medium { (about(visit, entry)) }
                td.number.medium { (or_dash(entry["held_minutes"].as_number())) }
                td.number { (entry["minutes"]) }
                td.number.medium { (entry["bought_minutes"]) }
                td.number.medium { (entry["credits"]) }
            }
        }
    };
    let columns = [
        ("When", Fit::Any),
        ("What", Fit::Any),
        ("About", Fit::Medium),
        ("At most", Fit::Medium),
        ("Minutes", Fit::Any),
        ("Bought minutes", Fit::Medium),
        ("AI credits", Fit::Medium),
    ];
    fitted_table("Entries", &columns, &body)
}

/// What an entry is about: its job, as a link if the session may see the page of jobs, or its reference.
fn about(visit: &Visit, entry: &Value) -> Markup {
    let has_jobs = visit.pass.look.pages.contains(&PortalPage::Jobs);
    html! {
        @match entry["job_id"].as_str() {
            Some(job) if has_jobs => { a.id href={ (PORTAL_PATH) "/jobs/" (job) } title=(job) { (short(job)) } }
            Some(job) => { span.id title=(job) { (short(job)) } }
            None => { (or_dash(entry["reference"].as_str())) }
        }
    }
}

/// Shows what the columns tell that narrow windows have no room for.
fn in_narrow(visit: &Visit, entry: &Value) -> Markup {
    let changes = [("bought_minutes", "Bought minutes"), ("credits", "AI credits")];
    html! {
        (instead(Fit::Medium, "About", &about(visit, entry)))
        @if let Some(held) = entry["held_minutes"].as_number() { (instead(Fit::Medium, "At most", &html! { (held) })) }
        @for (name, title) in changes {
            @if entry[name].as_f64().is_some_and(|change| change != 0.0) {
                (instead(Fit::Medium, title, &html! { span.number { (entry[name]) } }))
            }
        }
    }
}

/// The kind of an entry, in words for customers.
fn kind(kind: &str) -> &str {
    match kind {
        "grant" => "the month's allowance",
        "purchase" => "bought",
        "charge" => "charged",
        "release" => "failed or cancelled: costs nothing",
        other => other,
    }
}

/// Sends the whole month as a file.
pub(super) async fn file(visit: Visit) -> Answer<Response> {
    let mut month = visit.asked("month").unwrap_or_default().to_owned();
    let (mut lines, mut before, mut cursor) = (Vec::new(), None, None);
    loop {
        let asked = query(&[("month", Some(month.as_str())), ("cursor", cursor.as_deref())]);
        let page = visit.ask(Method::GET, &format!("/statement?{asked}"), None).await?;
        text(&page, "month").clone_into(&mut month);
        before.get_or_insert_with(|| sum(&page, "before"));
        lines.extend(rows(&page).iter().map(line));
        if lines.len() > MOST {
            return Err(too_many(&month));
        }
        match page["next_cursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    Ok(saved_as(&month, csv(before.unwrap_or_default(), &lines)))
}

fn query(given: &[(&str, Option<&str>)]) -> String {
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.append_pair("limit", "100");
    let known = given.iter().filter_map(|(name, value)| Some((*name, value.filter(|value| !value.is_empty())?)));
    query.extend_pairs(known);
    query.finish()
}

fn too_many(month: &str) -> ApiError {
    let words =
        format!("{month} has more than {MOST} entries, which is the most of a file. The statement's pages show all.");
    ApiError::new(Code::InvalidRequest, words)
}

fn line(entry: &Value) -> Line {
    let own = |name: &str| text(entry, name).to_owned();
    let change = Amounts {
        minutes: Minutes::from_hundredths(hundredths(&entry["minutes"])),
        bought: Minutes::from_hundredths(hundredths(&entry["bought_minutes"])),
        credits: Credits::from_hundredths(hundredths(&entry["credits"])),
    };
    Line { at: own("at"), kind: own("kind"), job: own("job_id"), reference: own("reference"), change }
}

fn sum(statement: &Value, part: &str) -> Amounts {
    let of = |name: &str| hundredths(&statement[name][part]);
    Amounts {
        minutes: Minutes::from_hundredths(of("minutes")),
        bought: Minutes::from_hundredths(of("bought_minutes")),
        credits: Credits::from_hundredths(of("credits")),
    }
}

/// Returns the hundredths of an amount of the interface, which may be negative.
fn hundredths(amount: &Value) -> i64 {
    let shown = amount.to_string();
    let (sign, digits) = shown.strip_prefix('-').map_or((1, shown.as_str()), |digits| (-1, digits));
    digits.parse::<Minutes>().map_or(0, |amount| sign * amount.hundredths())
}

#[cfg(test)]
mod tests {
    use super::hundredths;
    use serde_json::json;

    #[test]
    fn amounts_are_read_as_the_interface_writes_them() {
        for (amount, is) in [(json!(-0.31), -31), (json!(1_099.27), 109_927), (json!(50), 5_000), (json!(-2.5), -250)] {
            assert_eq!(hundredths(&amount), is, "{amount}");
        }
    }
}
