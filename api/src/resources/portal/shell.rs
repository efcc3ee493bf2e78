//! What all pages share: their frame in the account's look, its policy, and the pages for visitors who are not signed
//! in.

use super::PORTAL_PATH;
use super::refusals::words;
use crate::http::error::ApiError;
use crate::http::pages::csp_hash;
use crate::usecases::portal::Pass;
use domain::generation::Color;
use domain::portal::{Look, PortalPage, ink_on};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use poem::http::{HeaderValue, StatusCode};

/// The style sheet, which extends the console's.
const STYLE: &str = concat!(include_str!("../console/console.css"), include_str!("portal.css"));
/// The script that sends the form of a link's page at once. Without scripts there is a button.
const GO_ON: &str = "document.forms[0].submit()";
/// The default accent colour: that of links in the light style.
const USUAL: Color = Color([0x0a, 0x59, 0xa3]);

const fn title_of(page: PortalPage) -> &'static str {
    match page {
        PortalPage::Webhooks => "Webhooks",
        PortalPage::Jobs => "Jobs",
        PortalPage::Usage => "Usage",
        PortalPage::Keys => "API keys",
    }
}

/// Returns the style of a look: its accent colour and its colour scheme, from values that can hold nothing else.
fn theme(look: &Look) -> String {
    let accent = look.accent.unwrap_or(USUAL);
    let dark = "--paper:#11151b;--ink:#e6ebf2;--soft:#a5b0bf;--line:#3a4554;--band:#1b212a;--link:#82b9f0;--good:#7fd6a0;\
        --bad:#f59a8b;--warn:#e7bf6b;--going:#82b9f0;--bar:#4f83bb;--wait:#465263";
    let light = "--paper:#fff;--ink:#1a222d;--soft:#55606f;--line:#c6ced9;--band:#f2f5f9;--link:#0a59a3;--good:#146c37;\
        --bad:#a3241b;--warn:#7a5200;--going:#0a59a3;--bar:#5b8cc4;--wait:#c6ced9";
    let colours = match look.scheme {
        domain::portal::Scheme::Auto => "",
        domain::portal::Scheme::Light => light,
        domain::portal::Scheme::Dark => dark,
    };
    let scheme = look.scheme.css();
    format!(":root:root{{--accent:{accent};--on-accent:{};color-scheme:{scheme};{colours}}}", ink_on(accent))
}

/// Returns the pages' content security policy: only their own styles and script, inline images, and frames on these
/// origins.
pub(super) fn policy(look: &Look, ancestors: &[String]) -> HeaderValue {
    let (style, theme, script) = (csp_hash(STYLE), csp_hash(&theme(look)), csp_hash(GO_ON));
    let frames = if ancestors.is_empty() { "'none'".to_owned() } else { ancestors.join(" ") };
    let policy = format!(
        "default-src 'none'; style-src {style} {theme}; script-src {script}; img-src data:; form-action 'self'; \
         base-uri 'none'; frame-ancestors {frames}"
    );
    HeaderValue::from_str(&policy).unwrap_or(HeaderValue::from_static("default-src 'none'"))
}

/// Who is signed in, and what they asked for: what the head of a page shows.
#[derive(Debug)]
pub(super) struct Seat {
    /// The account's name.
    pub account: String,
    /// The path of the request.
    pub path: String,
}

/// Returns a whole page: for somebody who is signed in with the navigation, otherwise with the look alone.
pub(super) fn whole(seat: Option<&Seat>, look: &Look, title: &str, main: &Markup) -> Markup {
    let name = look.name.as_deref().unwrap_or("Portal");
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="robots" content="noindex, nofollow";
                meta name="color-scheme" content=(look.scheme.css());
                link rel="icon" href="data:,";
                title { (title) " · " (name) }
                style { (PreEscaped(STYLE)) }
                style { (PreEscaped(theme(look))) }
            }
            body {
                a.skip href="#main" { "To the content" }
                (head(seat, look, name))
                main #main tabindex="-1" { (main) }
            }
        }
    }
}

fn head(seat: Option<&Seat>, look: &Look, name: &str) -> Markup {
    html! {
        header.top {
            div.brand {
                @if let Some(logo) = &look.logo { img src=(logo) alt=""; }
                span { (name) }
            }
            @if let Some(seat) = seat { (navigation(seat, look)) }
            div.who {
                (leads_back(look, "back"))
                @if let Some(seat) = seat {
                    span { (seat.account) }
                    form method="post" action={ (PORTAL_PATH) "/out" } { button.plain { "Sign out" } }
                }
            }
        }
    }
}

/// The pages that there are, as links.
fn navigation(seat: &Seat, look: &Look) -> Markup {
    html! {
        nav aria-label="Pages" {
            ul {
                @for page in &look.pages {
                    li {
                        a href={ (PORTAL_PATH) "/" (page.name()) }
                            aria-current=[is_here(seat, *page).then_some("page")] {
                            (title_of(*page))
                        }
                    }
                }
            }
        }
    }
}

fn is_here(seat: &Seat, page: PortalPage) -> bool {
    let below = seat.path.strip_prefix(PORTAL_PATH).and_then(|rest| rest.strip_prefix('/'));
    below.and_then(|rest| rest.split('/').next()) == Some(page.name())
}

/// Shows the link back to the site that made the session's link, named by its host.
fn leads_back(look: &Look, class: &str) -> Markup {
    let url = look.return_url.as_deref().and_then(|url| url::Url::parse(url).ok());
    html! {
        @if let Some(url) = &url {
            a class=(class) href=(url) rel="noreferrer" target="_top" {
                "Back to " (url.host_str().unwrap_or("where you came from"))
            }
        }
    }
}

/// Returns a page with one message.
fn alone(look: &Look, title: &str, said: &Markup) -> Markup {
    whole(None, look, title, &html! { section.alone { h1 { (title) } (said) } })
}

/// The way back from a refusal.
#[derive(Debug, Default)]
pub(super) struct WayBack {
    /// The path of the page whose form was refused.
    pub page: Option<String>,
    /// The form as it was sent, below its heading, if there is something to be written or chosen in it.
    pub form: Option<Markup>,
}

/// Returns the page of a refusal: for somebody who is signed in with the navigation, which they go on by.
pub(super) fn refusal(look: &Look, seat: Option<&Seat>, back: &WayBack, refusal: &ApiError) -> Markup {
    let title = match refusal.code().status() {
        StatusCode::NOT_FOUND => "There is no such thing",
        StatusCode::FORBIDDEN => "That is not yours to do",
        StatusCode::CONFLICT => "That can't be done now",
        StatusCode::TOO_MANY_REQUESTS => "That was too much at once",
        status if status.is_server_error() => "This does not work at the moment",
        _ => "That is not possible",
    };
    let main = html! {
        section.alone {
            h1 { (title) }
            p role="alert" { (words(refusal)) }
            p.soft { "Code " code { (refusal.code().name()) } }
            @if let Some(form) = &back.form { (form) }
            @if let Some(page) = &back.page { p { a href=(page) { "Back to the page" } } }
            p { a href=(PORTAL_PATH) { "To the first page" } }
        }
    };
    whole(seat, look, title, &main)
}

/// Returns the page for a session that has ended, or that there never was. `is_form`: something was asked for, which is
/// said not to have been done; `form` is the form as it was sent, below its heading, if something was written into it.
/// `came_back`: the browser was just led to where a new session is made, and has none.
pub(super) fn has_ended(look: &Look, is_form: bool, form: Option<&Markup>, came_back: bool) -> Markup {
    let title = if is_form { "That was not done: your session has ended" } else { "Your session has ended" };
    let said = html! {
        @if is_form {
            p role="alert" { "What you just asked for was not done, and nothing was changed." }
            p { "You are not signed in here, or no longer. Open these pages again from where you came, and do it once more there." }
        } @else if came_back {
            p role="alert" { "You were led to where these pages are opened again, and came back without being signed in." }
            p { "Try it once more, and if that does not help, tell whoever runs the application that you came from." }
        } @else {
            p { "You are not signed in here, or no longer. Open these pages from where you came." }
        }
        @if let Some(url) = &look.refresh_url { p { a.button href=(url) rel="noreferrer" { "Open them again" } } }
        p { (leads_back(look, "button")) }
        @if let Some(form) = form {
            (form)
            p.soft { "It can be sent from here as soon as these pages are open again in another window of this browser." }
        }
    };
    alone(look, title, &said)
}

/// Returns the page after signing out.
pub(super) fn signed_out(look: &Look) -> Markup {
    let said = html! {
        p { "This browser shows your pages no more. To see them again, open them from where you came." }
        @if let Some(url) = &look.refresh_url { p { a.button href=(url) rel="noreferrer" { "Open them again" } } }
        @if look.return_url.is_some() { p { (leads_back(look, "button")) } }
        @else { p { "You can close this window." } }
    };
    alone(look, "You are signed out", &said)
}

/// Returns the page for a link that can't be used any more.
pub(super) fn link_has_ended() -> Markup {
    let said = html! { p { "It was used, or is older than ten minutes. Open these pages anew from where you came." } };
    alone(&Look::default(), "This link has ended", &said)
}

/// The form field of a sender who was asked and confirmed.
pub(super) const SURE: &str = "sure";

/// Returns the page of a link until its form is sent: whose pages it leads to. Asks if the browser is signed in to
/// another.
pub(super) fn goes_on(pass: &Pass, is_anothers: bool) -> Markup {
    let said = html! {
        p { "This signs your browser in to the pages of " strong { (pass.account) } " for an hour." }
        @if is_anothers { p { "It is signed in to another account's: these pages take their place." } }
        form method="post" {
            @if is_anothers { input type="hidden" name=(SURE) value="yes"; }
            button { "Continue" }
        }
        @if !is_anothers { script { (PreEscaped(GO_ON)) } }
    };
    alone(&pass.look, "One moment", &said)
}
