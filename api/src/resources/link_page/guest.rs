//! The forms that visitors send: the passphrase, and comments. They work without a script.

use super::view::{self, Written};
use super::{COOKIE, Visit, html, page_url, parts, seconds};
use crate::app::App;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::pages::{field, form};
use crate::http::refusal::Refused;
use crate::usecases::comments::{Said, add_guests_comment};
use crate::usecases::public_links::{admission, check_passphrase};
use poem::http::{HeaderValue, StatusCode, header};
use poem::{Request, Response};

/// Admits a visitor who gives the passphrase.
pub(super) async fn admit(app: App, request: Request) -> Answer<Response> {
    refuse_other_pages(&app, &request)?;
    let visit = Visit::of(&app, &request).await?;
    let given = field(&form(&request), "passphrase");
    let turn = app.turns.page_parts.turn_soon(visit.link.account_id).await?;
    let is_right = check_passphrase(&app, &visit.link, &given).await?;
    drop(turn);
    if !is_right {
        return Ok(html(
            StatusCode::FORBIDDEN,
            &view::asks_passphrase(&visit.token, Some("This is not the passphrase.")),
        ));
    }
    let mut response = back(&app, &visit.token, "");
    if let Some((value, expires)) = admission(&app, &visit.link) {
        let secure = if app.public_url.starts_with("https://") { "; Secure" } else { "" };
        let (token, seconds) = (&visit.token, expires - visit.link.now.timestamp());
        let cookie = format!("{COOKIE}={value}; Path=/l/{token}; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
        let cookie = HeaderValue::from_str(&cookie).map_err(ApiError::internal)?;
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    Ok(response)
}

/// Stores a comment. One that can't be stored is shown in the form again, with the reason.
pub(super) async fn comment(app: App, request: Request) -> Answer<Response> {
    refuse_other_pages(&app, &request)?;
    let visit = Visit::admit(&app, &request).await?;
    if !visit.link.may_comment {
        return Err(ApiError::new(Code::RoleForbidden, "This link shows the media, and takes no comments."));
    }
    let fields = form(&request);
    let mut written = Written {
        name: field(&fields, "name"),
        // Browsers send a line break as CR LF.
        text: field(&fields, "text").replace("\r\n", "\n"),
        at: field(&fields, "at"),
        fault: String::new(),
    };
    let at = match written.at.trim() {
        "" => Ok(None),
        given => seconds(given).map(Some).ok_or("Write the moment as minutes and seconds: 1:15."),
    };
    let refusal = match at {
        Ok(at) => {
            let said = Said { text: &written.text, at, until: None, region: None, reply_to: None };
            // Comments on an account's links wait for one another here, where they hold no database connection.
            let turn = app.turns.guest_comments.turn_soon(visit.link.account_id).await?;
            let added = add_guests_comment(&app, &visit.link, &written.name, said).await;
            drop(turn);
            match added {
                Ok(comment) => {
                    app.link_pages.forget(visit.link.id).await;
                    return Ok(back(&app, &visit.token, &format!("#{comment}")));
                }
                Err(refusal) => refusal,
            }
        }
        Err(fault) => ApiError::new(Code::InvalidRequest, fault),
    };
    if refusal.code().status().is_server_error() {
        return Err(refusal);
    }
    refusal.message().clone_into(&mut written.fault);
    let parts = parts::of(&visit).await?;
    let page = view::page(&visit.link, &visit.token, &parts, None, Some(&written));
    let mut response = html(refusal.code().status(), &page);
    response.set_data(Refused(refusal.code()));
    Ok(response)
}

/// Sends a visitor who loads the address of the form to the page: browsers show that address after a refusal.
pub(super) async fn to_page(app: App, request: Request) -> Answer<Response> {
    let visit = Visit::of(&app, &request).await?;
    Ok(back(&app, &visit.token, "#comment"))
}

/// Redirects to the page, so that reloading it sends no form twice.
fn back(app: &App, token: &str, fragment: &str) -> Response {
    let url = format!("{}{fragment}", page_url(app, token));
    Response::builder().status(StatusCode::SEE_OTHER).header(header::LOCATION, url).finish()
}

/// Refuses a form that was sent from another site.
fn refuse_other_pages(app: &App, request: &Request) -> Answer<()> {
    let site = request.header("sec-fetch-site");
    let is_ours = match (site, request.header(header::ORIGIN)) {
        (Some(site), _) => ["same-origin", "none"].contains(&site),
        (None, Some(origin)) => origin == app.public_url,
        (None, None) => true,
    };
    if is_ours {
        return Ok(());
    }
    Err(ApiError::new(Code::OriginForbidden, "This form was sent from another page. Open the link, and use its own."))
}
