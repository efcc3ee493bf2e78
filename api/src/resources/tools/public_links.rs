//! `create_public_link`, `list_public_links`, `revoke_public_link`: links for people who have no account. `link_page`
//! serves the pages (docs/links.md).

use crate::app::App;
use crate::auth::{Auth, Caller};
use crate::contract::envelope::{Stored, ToolAnswer};
use crate::contract::groups::{Refusals, Tag};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::paging::{Limit, Page};
use crate::http::text::{Text, Time};
use crate::resources::link_page::page_url;
use crate::usecases::library::reach;
use crate::usecases::once::{Before, Made, Once};
use crate::usecases::public_links::{Wanted, create_link, revoke_link, token_made_before};
use domain::ids::PublicLinkId;
use domain::public_link::{LONGEST_SECONDS, LinkToken, PASSPHRASE_CHARACTERS, USUAL_SECONDS};
use poem_openapi::payload::Json;
use poem_openapi::types::ToJSON;
use poem_openapi::{Enum, Object, OpenApi};
use serde_json::Value;
use store::public_links::{self, LinkRow, Rights};

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    (
        "POST /tools/create_public_link",
        &[
            Code::RoleForbidden,
            Code::SessionNotAllowed,
            Code::ItemNotFound,
            Code::WorkspaceForbidden,
            Code::QuotaReached,
        ],
    ),
    ("POST /tools/list_public_links", &[Code::ItemNotFound, Code::WorkspaceForbidden, Code::InvalidCursor]),
    ("POST /tools/revoke_public_link", &[Code::RoleForbidden, Code::PublicLinkNotFound, Code::WorkspaceForbidden]),
];

/// The links' tools.
pub struct PublicLinkTools(pub App);

/// What a link lets its visitors do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum LinkRight {
    /// See the item; every link allows this.
    View,
    /// Save the item's bytes as a file.
    Download,
    /// See the item's comments, and write some.
    Comment,
}

/// A public link to make.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct CreatePublicLink {
    /// An item ref, an item id, or the id of the job that made the item.
    #[oai(rename = "ref")]
    pub item_ref: Text,
    /// Seconds that the link works, 60 to 7,776,000 (90 days); 2,592,000 (30 days) when not given.
    #[oai(validator(minimum(value = "60"), maximum(value = "7776000")))]
    pub expires_in: Option<i64>,
    /// What its visitors may do besides seeing the item; nothing when not given.
    #[oai(validator(max_items = 3))]
    pub rights: Option<Vec<LinkRight>>,
    /// A passphrase that visitors must enter first, 4 to 200 characters. Only its hash is kept, and nothing shows it.
    pub passphrase: Option<Text>,
}

/// Which links to list.
#[derive(Debug, Default, Object)]
#[oai(deny_unknown_fields)]
pub struct ListPublicLinks {
    /// Only links to the item with this ref or id.
    #[oai(rename = "ref")]
    pub item_ref: Option<Text>,
    /// Links to show, 1 to 100; 20 when not given.
    pub limit: Option<Limit>,
    /// The `next_cursor` of the page before.
    pub cursor: Option<Text>,
}

/// Which link.
#[derive(Debug, Object)]
#[oai(deny_unknown_fields)]
pub struct RevokePublicLink {
    /// The link's id, which is not a part of its URL.
    pub link_id: Text,
}

/// A public link, without its URL.
#[derive(Debug, Object)]
pub struct PublicLink {
    /// Its id.
    pub id: Text,
    /// The item.
    pub item_id: Text,
    /// The item's ref, or its id when it has none.
    #[oai(rename = "ref")]
    pub item_ref: Text,
    /// What its visitors may do.
    pub rights: Vec<LinkRight>,
    /// Whether its visitors must enter a passphrase.
    pub has_passphrase: bool,
    /// Whether it works now.
    pub live: bool,
    /// When it expires.
    pub expires_at: Time,
    /// When it was revoked; null when it has not been.
    pub revoked_at: Option<Time>,
    /// The number of times that its page was requested.
    pub views: i64,
    /// When its page was last requested; null when it never was.
    pub last_viewed_at: Option<Time>,
    /// When it was made.
    pub created_at: Time,
    /// The id of the user or the key that made it, or null.
    pub created_by: Option<Text>,
}

impl From<LinkRow> for PublicLink {
    fn from(row: LinkRow) -> Self {
        let rights =
            [(true, LinkRight::View), (row.may_download, LinkRight::Download), (row.may_comment, LinkRight::Comment)];
        Self {
            id: Text::of(row.id),
            item_id: Text::of(row.item_id),
            item_ref: Text(row.item_ref),
            rights: rights.into_iter().filter_map(|(has, right)| has.then_some(right)).collect(),
            has_passphrase: row.has_passphrase,
            live: row.live,
            expires_at: Time(row.expires_at),
            revoked_at: row.revoked_at.map(Time),
            views: row.views,
            last_viewed_at: row.last_viewed_at.map(Time),
            created_at: Time(row.created_at),
            created_by: row.user_id.map(Text::of).or(row.key_id.map(Text::of)),
        }
    }
}

/// A link that was just made.
#[derive(Debug, Object)]
pub struct CreatedPublicLink {
    /// The link.
    pub link: PublicLink,
    /// The URL of its page, which only this answer shows. Whoever has it can see the item.
    pub url: Text,
}

/// A link.
#[derive(Debug, Object)]
pub struct PublicLinkAnswer {
    /// The link.
    pub link: PublicLink,
}

/// A page of the workspace's links.
#[derive(Debug, Object)]
pub struct PublicLinkPage {
    /// The links, newest first.
    pub links: Vec<PublicLink>,
    /// Whether there are links after these.
    pub has_more: bool,
    /// Pass it as `cursor` for the links after these; null on the last page.
    pub next_cursor: Option<Text>,
}

#[OpenApi(tag = "Tag::Library")]
impl PublicLinkTools {
    /// Make a public link
    ///
    /// Makes a page that shows one item to whoever has its URL, until the link expires or is revoked, or the item is
    /// deleted: the media, its waveform and its transcript if those reads are stored, and its comments if `rights`
    /// allows them. The link works no longer than its maker could: it ends with their key, or their membership of the
    /// workspace. A script session's token can't make links.
    #[oai(path = "/tools/create_public_link", method = "post", operation_id = "create_public_link")]
    async fn create_public_link(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        arguments: Json<CreatePublicLink>,
    ) -> Answer<Stored<ToolAnswer<CreatedPublicLink>>> {
        let Auth(caller) = auth;
        // A link is a credential, and outlives a session.
        caller.refuse_session()?;
        let once = Once::of(&self.0, &caller, "create_public_link", key, &arguments.0);
        if let Some(before) = once.before(&self.0).await? {
            return self.again(&caller, &once, &before).await;
        }
        let CreatePublicLink { item_ref, expires_in, rights, passphrase } = arguments.0;
        let has = |right| rights.as_ref().is_some_and(|rights| rights.contains(&right));
        let wanted = Wanted {
            item: &item_ref,
            seconds: expires_in.unwrap_or(USUAL_SECONDS).min(LONGEST_SECONDS),
            rights: Rights { may_download: has(LinkRight::Download), may_comment: has(LinkRight::Comment) },
            passphrase: passphrase.as_deref().map(|given| checked_passphrase(given)).transpose()?,
        };
        let show = |row: LinkRow, token: &LinkToken| {
            let data = CreatedPublicLink { link: row.into(), url: Text(page_url(&self.0, &token.expose())) };
            ToolAnswer::new(&caller.request_id, data).to_json_string()
        };
        match create_link(&self.0, &caller, &once, &wanted, show).await? {
            Made::Now(body) => Ok(Stored::composed(body)),
            Made::Before(before) => self.again(&caller, &once, &before).await,
        }
    }

    /// List public links
    ///
    /// The workspace's links, newest first, without their URLs. Links that ended are kept as long as ended jobs.
    #[oai(path = "/tools/list_public_links", method = "post", operation_id = "list_public_links")]
    async fn list_public_links(
        &self,
        auth: Auth,
        arguments: Json<Option<ListPublicLinks>>,
    ) -> Answer<Json<ToolAnswer<PublicLinkPage>>> {
        let Auth(caller) = auth;
        let ListPublicLinks { item_ref, limit, cursor } = arguments.0.unwrap_or_default();
        let page = Page::new("public_links", limit, cursor.as_ref())?;
        let mut conn = self.0.conn().await?;
        let item = match item_ref {
            Some(name) => Some(reach(&mut conn, caller.workspace, &name).await?.id),
            None => None,
        };
        let before = page.after.map(PublicLinkId::from);
        let rows = public_links::page(&mut conn, caller.workspace.id, item, before, page.fetch()).await?;
        let list = page.list(rows, |row| row.id.uuid(), PublicLink::from);
        let data = PublicLinkPage { links: list.data, has_more: list.has_more, next_cursor: list.next_cursor };
        Ok(ToolAnswer::new(&caller.request_id, data).json())
    }

    /// Revoke a public link
    ///
    /// It stops working at once, also for those who have its page open.
    #[oai(path = "/tools/revoke_public_link", method = "post", operation_id = "revoke_public_link")]
    async fn revoke_public_link(
        &self,
        auth: Auth,
        arguments: Json<RevokePublicLink>,
    ) -> Answer<Json<ToolAnswer<PublicLinkAnswer>>> {
        let Auth(caller) = auth;
        let link: PublicLinkId = arguments.0.link_id.id(Code::PublicLinkNotFound)?;
        let link = revoke_link(&self.0, &caller, link).await?.into();
        Ok(ToolAnswer::new(&caller.request_id, PublicLinkAnswer { link }).json())
    }
}

impl PublicLinkTools {
    /// The stored answer of the call that made the link, with the link's URL put in again.
    async fn again(
        &self,
        caller: &Caller,
        once: &Once,
        before: &Before,
    ) -> Answer<Stored<ToolAnswer<CreatedPublicLink>>> {
        let token = token_made_before(&self.0, caller, once, before).await?;
        let mut body: Value = serde_json::from_str(&before.body).map_err(ApiError::internal)?;
        let url = body.pointer_mut("/data/url").ok_or_else(|| ApiError::internal("a link's answer without its URL"))?;
        // The URL is made anew: the service's own URL may have changed since the first answer.
        *url = page_url(&self.0, &token.expose()).into();
        Ok(Stored::replayed(body.to_string()))
    }
}

fn checked_passphrase(given: &str) -> Answer<&str> {
    let is_fit = PASSPHRASE_CHARACTERS.contains(&given.chars().count()) && !given.chars().any(char::is_control);
    is_fit.then_some(given).ok_or_else(|| {
        let (least, most) = (PASSPHRASE_CHARACTERS.start(), PASSPHRASE_CHARACTERS.end());
        ApiError::new(Code::InvalidRequest, format!("`passphrase`: expected {least} to {most} characters on one line."))
    })
}
