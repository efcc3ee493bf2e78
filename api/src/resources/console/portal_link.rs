//! A link to an account's portal, which an operator makes for the account's people.

use super::words::link;
use super::{Visit, shell};
use crate::http::error::{Answer, Code};
use crate::resources::account::portal::PortalSession;
use crate::usecases::operator::missing;
use crate::usecases::operator::portal::make_any_portal_link;
use domain::ids::AccountId;
use domain::portal::Look;
use maud::html;
use poem::Response;
use store::accounts;

/// The page that asks before a link is made.
pub(super) async fn confirm(visit: Visit) -> Answer<Response> {
    visit.takes(&[])?;
    let id: AccountId = visit.own_id(Code::AccountNotFound)?;
    let found = accounts::find(&mut *visit.conn().await?, id).await?;
    found.ok_or_else(|| missing(Code::AccountNotFound, id))?;
    let title = "Make a link to its portal?";
    let main = html! {
        h1 { (title) }
        p {
            "Whoever opens it first sees webhooks, jobs, minutes and keys of " (link("accounts", id))
            ", and can change there what the account can: endpoints and the signing secret, and revoke keys."
        }
        p {
            "It can be used once, within ten minutes, and signs a browser in for an hour. It stands for the newest key "
            "of the account's default workspace, or else for its newest one, and ends with that."
        }
        p { "The account's audit log says that an operator made it." }
        form method="post" { div.acts { button { "Make a link" } a href={ "/console/accounts/" (id) } { "Leave it" } } }
        (shell::command(&format!("mws admin accounts portal {id}")))
    };
    Ok(visit.whole(title, &main))
}

/// Makes a link, and shows it. It is on no page that could be loaded again.
pub(super) async fn make(visit: Visit) -> Answer<Response> {
    let id: AccountId = visit.own_id(Code::AccountNotFound)?;
    let (code, expires_at) = make_any_portal_link(&visit.app, &visit.caller, id, &Look::default()).await?;
    let made = PortalSession::of(&visit.app, &code, expires_at);
    let title = "A link to its portal";
    let main = html! {
        h1 { (title) }
        p.done role="status" { "Good for one sign-in within ten minutes, and shown this once:" }
        p { code { (made.url.0) } }
        p { "It is of " (link("accounts", id)) ". Whoever opens it first is signed in." }
    };
    Ok(visit.whole(title, &main))
}
