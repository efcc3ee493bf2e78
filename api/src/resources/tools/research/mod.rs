//! `pull_posts`, `list_posts`, `keep_post`, `delete_post`: posts of feeds and pages, pulled and kept (contract §4.10).

mod shapes;

use crate::app::App;
use crate::app::beside::polled_beside;
use crate::app::permits::Permit;
use crate::auth::Auth;
use crate::auth::Caller;
use crate::contract::envelope::{Stored, ToolAnswer, Written};
use crate::contract::groups::{Refusals, Tag};
use crate::contract::idempotency::IdempotencyKey;
use crate::http::error::{Answer, ApiError, Code};
use crate::http::paging::Page;
use crate::http::text::{Text, True};
use crate::resources::tools::written::write_list;
use crate::resources::uploads::{AskedImport, checked_import, wished_reads};
use crate::usecases::once::Once;
use crate::usecases::research::{delete_post, keep_post, pull_posts, reach};
use crate::usecases::uploads::import::Import;
use domain::ids::PostId;
use domain::item::checked_tags;
use domain::post::{MOST_PULLED, MOST_QUERY_CHARACTERS};
use poem_openapi::OpenApi;
use poem_openapi::payload::Json;
use poem_openapi::types::ToJSON;
use shapes::{DeletedPost, KeepPost, ListPosts, OnePost, Post, PostAnswer, PostPage, PullPosts, PulledPosts};
use store::posts::{self, PostFilter, PostRow};

/// The error codes of these operations, besides those that any operation may return.
pub const ERRORS: Refusals = &[
    ("POST /tools/pull_posts", &[Code::RoleForbidden, Code::UrlNotAllowed, Code::PullFailed, Code::QuotaReached]),
    ("POST /tools/list_posts", &[Code::InvalidCursor]),
    (
        "POST /tools/keep_post",
        &[
            Code::RoleForbidden,
            Code::PostNotFound,
            Code::WorkspaceForbidden,
            Code::UrlNotAllowed,
            Code::FileTooLarge,
            Code::QuotaReached,
        ],
    ),
    ("POST /tools/delete_post", &[Code::RoleForbidden, Code::PostNotFound, Code::WorkspaceForbidden]),
];

/// The research tools.
pub struct ResearchTools(pub App);

#[OpenApi(tag = "Tag::Research")]
impl ResearchTools {
    /// Pull posts
    ///
    /// Fetches the newest posts of a feed (RSS, Atom, JSON Feed), or the one post that a page is (Open Graph, oEmbed).
    /// Texts are plain. A post is stored once, by its URL; pulled again, it is updated. Posts that nobody keeps
    /// (`keep_post`) are deleted after 30 days, or once the workspaces of the account have 5,000 posts. A kept post
    /// changes only when its own source changes, whatever another source says of it. Nothing is fetched behind a login.
    #[oai(path = "/tools/pull_posts", method = "post", operation_id = "pull_posts")]
    async fn pull_posts(&self, auth: Auth, arguments: Json<PullPosts>) -> Answer<Json<ToolAnswer<PulledPosts>>> {
        let Auth(caller) = auth;
        let limit = arguments.0.limit.map_or(MOST_PULLED, |limit| usize::try_from(limit).unwrap_or(MOST_PULLED));
        let rows = pull_posts(&self.0, &caller, &arguments.0.url, limit).await?;
        let data = PulledPosts { posts: rows.into_iter().map(Post::from).collect() };
        Ok(ToolAnswer::new(&caller.request_id, data).json())
    }

    /// List posts
    ///
    /// Lists the posts that were pulled into the workspace, newest first.
    #[oai(path = "/tools/list_posts", method = "post", operation_id = "list_posts")]
    async fn list_posts(&self, auth: Auth, arguments: Json<ListPosts>) -> Answer<Written<ToolAnswer<PostPage>>> {
        let Auth(caller) = auth;
        let ListPosts { query, source, kept, limit, cursor } = arguments.0;
        let is_long = |query: &Text| query.chars().count() > MOST_QUERY_CHARACTERS;
        if query.as_ref().is_some_and(is_long) {
            let message = format!("`query`: expected at most {MOST_QUERY_CHARACTERS} characters.");
            return Err(ApiError::new(Code::InvalidRequest, message));
        }
        let page = Page::new("posts", limit, cursor.as_ref())?;
        let filter = PostFilter { query: query.as_deref(), source: source.as_deref(), kept };
        let permit = match filter.query {
            Some(_) => Some(self.0.searches.take(caller.account_id).await?),
            None => None,
        };
        let mut conn = self.0.process.conn_among(caller.account_id, permit.as_ref().map(Permit::few)).await?;
        let before = page.after.map(PostId::from);
        let rows = polled_beside(posts::page(&mut conn, caller.workspace.id, filter, before, page.fetch())).await?;
        drop(conn);
        let list = page.list(rows, |row| row.id.uuid(), Post::from);
        let data = PostPage { posts: list.data, has_more: list.has_more, next_cursor: list.next_cursor };
        Ok(write_list(&caller, data))
    }

    /// Keep a post
    ///
    /// The post stays until it is deleted. `import_media: true` imports the first of its media as an item, as
    /// `import_media` does, with the reads of the workspace's settings; a post whose media was imported before is not
    /// imported again.
    #[oai(path = "/tools/keep_post", method = "post", operation_id = "keep_post")]
    async fn keep_post(
        &self,
        auth: Auth,
        key: IdempotencyKey,
        arguments: Json<KeepPost>,
    ) -> Answer<Stored<ToolAnswer<PostAnswer>>> {
        let Auth(caller) = auth;
        let once = Once::of(&self.0, &caller, "keep_post", key, &arguments.0);
        if let Some(before) = once.before(&self.0).await? {
            return Ok(Stored::replayed(before.body));
        }
        let KeepPost { post_id, tags, import_media } = arguments.0;
        let post: PostId = post_id.id(Code::PostNotFound)?;
        let tags = tags.map(|tags| checked_tags(&tags.into_iter().map(|tag| tag.0).collect::<Vec<_>>())).transpose();
        let tags = tags.map_err(|wrong| ApiError::new(Code::InvalidRequest, format!("`tags`: {wrong}.")))?;
        let media = match import_media {
            Some(true) => self.import_of(&caller, post).await?,
            _ => None,
        };
        let show = |row: PostRow| ToolAnswer::new(&caller.request_id, PostAnswer { post: row.into() }).to_json_string();
        Ok(keep_post(&self.0, &caller, &once, post, tags, media, show).await?.into())
    }

    /// Delete a post
    ///
    /// An item that was imported from it stays.
    #[oai(path = "/tools/delete_post", method = "post", operation_id = "delete_post")]
    async fn delete_post(&self, auth: Auth, arguments: Json<OnePost>) -> Answer<Json<ToolAnswer<DeletedPost>>> {
        let Auth(caller) = auth;
        let post: PostId = arguments.0.post_id.id(Code::PostNotFound)?;
        delete_post(&self.0, &caller, post).await?;
        Ok(ToolAnswer::new(&caller.request_id, DeletedPost { post_id: Text::of(post), deleted: True }).json())
    }
}

impl ResearchTools {
    /// Returns the import of the post's first media; none if it was imported before.
    async fn import_of(&self, caller: &Caller, post: PostId) -> Answer<Option<Import>> {
        let row = reach(&mut *self.0.conn().await?, caller, post).await?;
        if row.item_id.is_some() {
            return Ok(None);
        }
        let url = row.media[0]["url"].as_str().ok_or_else(|| {
            let refusal = ApiError::new(Code::InvalidRequest, "`import_media`: the post shows no media.");
            refusal.suggest("Leave it out, or give `import_media` a URL of its own.")
        })?;
        let reads = wished_reads(&self.0, caller, None).await?;
        let asked = AskedImport { url, name: None, item_ref: None, reads: reads.as_deref() };
        Ok(Some(checked_import(&self.0.process, caller, &asked).await?))
    }
}
