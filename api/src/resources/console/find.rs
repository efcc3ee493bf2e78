//! The search box: any id leads to its page, whatever kind of id it is.

use super::{Visit, leads_to};
use crate::http::error::Answer;
use domain::event::EventId;
use domain::ids::{AccountId, BulkOperationId, DeliveryId, EndpointId, ItemId, JobId, KeyId, UploadId, WorkspaceId};
use maud::html;
use poem::Response;
use store::{events, keys, uploads};

pub(super) async fn show(visit: Visit) -> Answer<Response> {
    visit.takes(&["id"])?;
    let asked = visit.asked("id").unwrap_or_default().to_owned();
    if let Some(path) = path_of(&visit, &asked).await? {
        return Ok(leads_to(&format!("/console{path}")));
    }
    let main = html! {
        h1 { "Nothing was found" }
        p { "Nothing here has the id " code { (asked) } ". These ids have pages:" }
        p { @for kind in ["job_", "dlv_", "evt_", "whe_", "itm_", "acc_", "wsp_", "key_", "blk_", "upl_"] { code { (kind) "…" } " " } }
    };
    Ok(visit.whole("Nothing was found", &main))
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
            let about = events::about(&mut *visit.conn().await?, &id).await?;
            about.and_then(|about| match (about.job_id, about.delivery_id) {
                (Some(job), _) => Some(format!("/jobs/{job}")),
                (None, delivery) => delivery.map(|delivery| format!("/deliveries/{delivery}")),
            })
        }
        _ => None,
    })
}
