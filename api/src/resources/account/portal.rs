//! Links to the portal: `POST /portal-sessions` (docs/portal.md). `resources::portal` has the pages.

use crate::app::App;
use crate::auth::Auth;
use crate::contract::envelope::Created;
use crate::contract::groups::{Refusals, Tag};
use crate::http::error::{Answer, ApiError, Code};
use crate::http::text::{Text, Time};
use crate::resources::portal::PORTAL_PATH;
use crate::usecases::portal::make_portal_link;
use chrono::{DateTime, Utc};
use domain::credential::PortalCode;
use domain::portal::{self, Look, NAME_CHARS, URL_CHARS};
use poem_openapi::payload::Json;
use poem_openapi::{Enum, Object, OpenApi};
use url::Url;

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[("POST /portal-sessions", &[Code::SessionNotAllowed])];

/// The operations on links to the portal.
pub struct PortalSessions(pub App);

/// A page of the portal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum PortalPage {
    /// Endpoints, their deliveries and the signing secret.
    Webhooks,
    /// Jobs of the workspace.
    Jobs,
    /// Minutes and credits.
    Usage,
    /// API keys, to list and revoke.
    Keys,
}

/// Whether the pages are light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum PortalScheme {
    /// As the browser is set.
    Auto,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

/// The look of the pages.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct PortalTheme {
    /// The name that the pages show, instead of this service's.
    #[oai(validator(max_length = 60))]
    pub name: Option<Text>,
    /// The colour of their header and buttons, `#rrggbb`; text on it is black or white, whichever is readable.
    pub accent: Option<Text>,
    /// Light or dark; as the browser is set when not given.
    pub scheme: Option<PortalScheme>,
    /// An image for their header: a `data:` URL of a PNG, JPEG or WebP in base64, at most 32,768 characters: about 24
    /// kB.
    #[oai(validator(max_length = 32768))]
    pub logo: Option<Text>,
}

/// A link to make.
#[derive(Debug, Default, Object)]
#[oai(deny_unknown_fields)]
pub struct CreatePortalSession {
    /// The pages that the link opens; all when not given.
    #[oai(validator(min_items = 1, max_items = 4))]
    pub pages: Option<Vec<PortalPage>>,
    /// The URL to which the pages lead back, also after the session has ended: http or https.
    #[oai(validator(max_length = 2000))]
    pub return_url: Option<Text>,
    /// The URL to which a browser is sent once the session has run out, where your application makes another link:
    /// http or https, and no page of the portal itself.
    #[oai(validator(max_length = 2000))]
    pub refresh_url: Option<Text>,
    /// The look of the pages.
    pub theme: Option<PortalTheme>,
}

/// A link to the portal.
#[derive(Debug, Object)]
pub struct PortalSession {
    /// The link. Send the browser there, or show it in a frame if the deployment allows your origin.
    pub url: Text,
    /// When it expires, unless it is used before.
    pub expires_at: Time,
}

#[OpenApi(tag = "Tag::Account")]
impl PortalSessions {
    /// Make a link to the account's portal
    ///
    /// Makes a link to pages for people of the account: their webhooks, jobs, usage and keys. It can be used once,
    /// within ten minutes, and signs a browser in for an hour, with its key's rights on those pages; it makes no keys.
    /// The session ends with the key that made the link, which must be an API key.
    #[oai(path = "/portal-sessions", method = "post", operation_id = "create_portal_session")]
    async fn create(&self, auth: Auth, body: Json<Option<CreatePortalSession>>) -> Answer<Created<PortalSession>> {
        let Auth(caller) = auth;
        let look = look(body.0.unwrap_or_default(), &self.0.public_url)?;
        let (code, expires_at) = make_portal_link(&self.0, &caller, &look).await?;
        Ok(Created(PortalSession::of(&self.0, &code, expires_at)))
    }
}

impl PortalSession {
    /// Returns the link that has this code.
    pub fn of(app: &App, code: &PortalCode, expires_at: DateTime<Utc>) -> Self {
        let url = Text(format!("{}{PORTAL_PATH}/in/{}", app.public_url, code.expose()));
        Self { url, expires_at: Time(expires_at) }
    }
}

/// Checks the requested look, and returns what pages may show of it. `own` is the service's public URL.
pub fn look(asked: CreatePortalSession, own: &str) -> Answer<Look> {
    let wrong =
        |field: &str, expected: &str| ApiError::new(Code::InvalidRequest, format!("`{field}`: expected {expected}."));
    let mut look = Look::default();
    if let Some(pages) = asked.pages {
        let asked: Vec<_> = pages.into_iter().map(PortalPage::page).collect();
        look.pages.retain(|page| asked.contains(page));
    }
    let checked = |field, url: Option<Text>| url.map(|url| link(&url.0).ok_or_else(|| wrong(field, A_URL))).transpose();
    look.return_url = checked("return_url", asked.return_url)?;
    look.refresh_url = checked("refresh_url", asked.refresh_url)?;
    if look.refresh_url.as_deref().is_some_and(|url| is_portal(url, own)) {
        return Err(wrong(
            "refresh_url",
            "a page of your application: the portal's own would lead back to it for ever",
        ));
    }
    let Some(theme) = asked.theme else { return Ok(look) };
    look.name = theme.name.map(|name| name.0).filter(|name| !name.trim().is_empty());
    if look.name.as_ref().is_some_and(|name| name.chars().count() > NAME_CHARS || name.chars().any(char::is_control)) {
        return Err(wrong("theme.name", "up to 60 characters that can be seen"));
    }
    let accent = |text: Text| text.0.parse().map_err(|_| wrong("theme.accent", "a colour such as #0a59a3"));
    look.accent = theme.accent.map(accent).transpose()?;
    look.scheme = theme.scheme.map_or(portal::Scheme::Auto, PortalScheme::scheme);
    look.logo = theme.logo.map(|logo| logo.0);
    if look.logo.as_ref().is_some_and(|logo| !portal::is_logo(logo)) {
        return Err(wrong("theme.logo", "a `data:` URL of a PNG, JPEG or WebP in base64, of up to 32,768 characters"));
    }
    Ok(look)
}

const A_URL: &str = "an http or https URL of up to 2,000 characters, without a user in it";

fn link(text: &str) -> Option<String> {
    let url = Url::parse(text).ok()?;
    let is_fit = matches!(url.scheme(), "http" | "https") && url.username().is_empty() && url.password().is_none();
    (is_fit && url.as_str().len() <= URL_CHARS).then(|| url.into())
}

/// Whether a URL is of the portal of the service with this public URL.
fn is_portal(url: &str, own: &str) -> bool {
    let (Ok(url), Ok(own)) = (Url::parse(url), Url::parse(own)) else { return false };
    let below = url.path().strip_prefix(PORTAL_PATH);
    url.origin() == own.origin() && below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

impl PortalPage {
    const fn page(self) -> portal::PortalPage {
        match self {
            Self::Webhooks => portal::PortalPage::Webhooks,
            Self::Jobs => portal::PortalPage::Jobs,
            Self::Usage => portal::PortalPage::Usage,
            Self::Keys => portal::PortalPage::Keys,
        }
    }
}

impl PortalScheme {
    const fn scheme(self) -> portal::Scheme {
        match self {
            Self::Auto => portal::Scheme::Auto,
            Self::Light => portal::Scheme::Light,
            Self::Dark => portal::Scheme::Dark,
        }
    }
}
