//! The search box: any id leads to its page, whatever kind of id it is, and the id of a trace to the jobs that were
//! started within it.

use super::jobs::{as_json, table};
use super::{Visit, leads_to, shell};
use crate::http::error::Answer;
use domain::event::EventId;
use domain::ids::{AccountId, BulkOperationId, DeliveryId, EndpointId, ItemId, JobId, KeyId, UploadId, WorkspaceId};
use maud::html;
use poem::Response;
use store::{Seen, events, jobs, keys, uploads};

pub(super) async fn show(visit: Visit) -> Answer<Response> {
    visit.takes(&["id", "cursor", "format"])?;
    let asked = visit.asked("id").unwrap_or_default().to_owned();
    if let Some(path) = path_of(&visit, &asked).await? {
        return Ok(leads_to(&format!("/console{path}")));
    }
    if let Some(trace) = trace_of(&asked)
        && let Some(found) = of_trace(&visit, &trace).await?
    {
        return Ok(found);
    }
    let main = html! {
        h1 { "Nothing was found" }
        p { "Nothing here has the id " code { (asked) } ". These ids have pages:" }
        p {
            @for kind in ["job_", "dlv_", "evt_", "whe_", "acc_", "wsp_", "key_"] { code { (kind) "…" } " " }
            @if visit.may_read() { @for kind in ["itm_", "upl_", "blk_"] { code { (kind) "…" } " " } }
        }
        p { "So have the jobs of a trace: give its 32 digits, or a whole " code { "traceparent" } ", with or without the header's name." }
    };
    Ok(visit.whole("Nothing was found", &main))
}

/// Returns the id of the trace that was asked for: as such, or within a `traceparent`, which may have the header's name
/// before it, as in a log, and more behind it, as on a job's page. Quotes around each are left out. None if what was
/// asked for is neither.
pub(super) fn trace_of(asked: &str) -> Option<String> {
    let asked = match asked.split_once(':') {
        Some((name, value)) if unquoted(name).eq_ignore_ascii_case("traceparent") => unquoted(value),
        _ => unquoted(asked),
    };
    let id = match asked.split_once('-') {
        Some((version, rest)) if version.len() == 2 => rest.split('-').next()?,
        Some(_) => return None,
        None => asked,
    };
    let is_id = id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then(|| id.to_ascii_lowercase())
}

/// Returns a text without the blanks and quotes around it.
fn unquoted(text: &str) -> &str {
    text.trim_matches(|letter: char| letter.is_whitespace() || matches!(letter, '"' | '\'' | '`'))
}

/// Returns what shows the jobs that were started within a trace: the page of the only one, or a list of them, page by
/// page. None if there are none.
async fn of_trace(visit: &Visit, trace: &str) -> Answer<Option<Response>> {
    let page = visit.page("jobs of a trace")?;
    let now = visit.now().await?;
    let mut conn = visit.conn().await?;
    let rows = jobs::of_trace(&mut conn, trace, page.after.map(JobId::from), page.fetch()).await?;
    match rows.as_slice() {
        [] if page.after.is_none() => return Ok(None),
        [only] if page.after.is_none() => return Ok(Some(leads_to(&format!("/console/jobs/{}", only.job)))),
        _ => {}
    }
    let seen = Seen { rows, last_seen: None };
    if visit.wants_json()? {
        return as_json(visit, &mut conn, &page, seen).await.map(Some);
    }
    let (found, next) = page.cut(seen, |found| found.job.uuid());
    let table = table(visit, &mut conn, &found, now).await?;
    let main = html! {
        h1 { "Jobs of a trace" }
        p { "These were started within the trace " code data-copy="" { (trace) } ", newest first." }
        (shell::section("rows", "Jobs", &table))
        (shell::pages(visit, found.len(), next.as_deref(), "jobs"))
    };
    Ok(Some(visit.whole("Jobs of a trace", &main)))
}

/// Returns the path of the page of this id; none if there is no such page.
async fn path_of(visit: &Visit, asked: &str) -> Answer<Option<String>> {
    let is = |prefix: &str| asked.starts_with(prefix);
    Ok(match asked {
        _ if is("job_") => asked.parse::<JobId>().ok().map(|id| format!("/jobs/{id}")),
        _ if is("dlv_") => asked.parse::<DeliveryId>().ok().map(|id| format!("/deliveries/{id}")),
        _ if is("whe_") => asked.parse::<EndpointId>().ok().map(|id| format!("/endpoints/{id}")),
        _ if is("itm_") => asked.parse::<ItemId>().ok().map(|id| format!("/items/{id}")),
        _ if is("acc_") => asked.parse::<AccountId>().ok().map(|id| format!("/accounts/{id}")),
        _ if is("blk_") => asked.parse::<BulkOperationId>().ok().map(|id| format!("/bulk/{id}")),
        _ if is("wsp_") => asked.parse::<WorkspaceId>().ok().map(|id| format!("/jobs?workspace_id={id}")),
        _ if is("key_") => {
            let Ok(id) = asked.parse::<KeyId>() else { return Ok(None) };
            let found = keys::find(&mut *visit.conn().await?, id).await?;
            found.map(|(account, _)| format!("/accounts/{account}#keys"))
        }
        _ if is("upl_") => {
            let Ok(id) = asked.parse::<UploadId>() else { return Ok(None) };
            let found = uploads::find(&mut *visit.conn().await?, id).await?;
            found.map(|upload| format!("/items/{}", upload.item_id))
        }
        _ if is("evt_") => {
            let Ok(id) = asked.parse::<EventId>() else { return Ok(None) };
            path_of_event(visit, &id).await?
        }
        _ => None,
    })
}

/// Returns the path of the page of an event's job; where it has none, of one of its deliveries.
async fn path_of_event(visit: &Visit, id: &EventId) -> Answer<Option<String>> {
    let about = events::about(&mut *visit.conn().await?, id).await?;
    Ok(about.and_then(|about| match (about.job_id, about.delivery_id) {
        (Some(job), _) => Some(format!("/jobs/{job}")),
        (None, delivery) => delivery.map(|delivery| format!("/deliveries/{delivery}")),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_found_by_its_id_and_by_a_traceparent_with_whatever_is_behind_it() {
        let id = "0af7651916cd43dd8448eb211c80319c";
        let parent = format!("00-{id}-b7ad6b7169203331-01");
        for asked in [id, &id.to_uppercase(), &parent, &format!("{parent};tracestate=a=b-c"), &format!("{parent};@7")] {
            assert_eq!(trace_of(asked).as_deref(), Some(id), "{asked}");
        }
        for asked in ["", "00-", "-", &id[1..], &format!("{id}0"), &format!("000-{id}-b7ad-01"), "job_1-2"] {
            assert_eq!(trace_of(asked), None, "{asked}");
        }
    }

    #[test]
    fn a_traceparent_is_found_with_the_name_of_its_header_and_in_quotes() {
        let id = "0af7651916cd43dd8448eb211c80319c";
        let parent = format!("00-{id}-b7ad6b7169203331-01");
        for asked in [
            format!("traceparent: {parent}"),
            format!("Traceparent:{parent}"),
            format!("TRACEPARENT : {parent};tracestate=a=b:c"),
            format!("'traceparent: {parent}'"),
            format!("\"traceparent\": \"{parent}\","),
            format!("\"{parent}\""),
            format!("`{id}`"),
        ] {
            assert_eq!(trace_of(&asked).as_deref(), Some(id), "{asked}");
        }
        for asked in [format!("tracestate: {parent}"), "traceparent:".to_owned(), format!("traceparent {parent}")] {
            assert_eq!(trace_of(&asked), None, "{asked}");
        }
    }
}
