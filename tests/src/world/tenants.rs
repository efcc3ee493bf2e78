//! Who acts in a test's service, and what they have in their libraries.

use super::{Client, World};
use anyhow::Context;
use domain::credential::{ApiKey, SessionCode, SessionToken};
use domain::credits::Credits;
use domain::event::EventType;
use domain::ids::{AccountId, DubId, EndpointId, ItemId, KeyId, PostId, TimelineId, UserId, WorkspaceId};
use domain::minutes::Minutes;
use store::credentials::Pace;
use store::credits::{self, CreditChange, CreditEntry};
use store::endpoints::{self, NewEndpoint};
use store::posts::{self, NewPost};
use store::sessions::{self, NewCode, Redemption};
use store::{accounts, minutes};

/// Sixteen bytes that nothing else has: enough for a credential of a test.
fn random() -> [u8; 16] {
    AccountId::mint().uuid().into_bytes()
}

/// An account with a workspace and a key to it.
#[derive(Debug, Clone)]
pub struct Tenant {
    /// The account.
    pub account: AccountId,
    /// Its workspace.
    pub workspace: WorkspaceId,
    /// The key's id.
    pub key_id: KeyId,
    /// The key itself.
    pub key: ApiKey,
    /// A caller with that key.
    pub client: Client,
}

/// What an item is, as a finished upload says it.
#[derive(Debug, Clone, Copy)]
pub struct Media {
    /// Its duration in milliseconds.
    pub duration_ms: i64,
    /// Whether it has sound.
    pub audio: bool,
    /// Whether it has moving pictures.
    pub video: bool,
}

impl Media {
    /// Pictures and sound.
    pub const fn video(seconds: i64) -> Self {
        Self { duration_ms: seconds * 1000, audio: true, video: true }
    }

    /// Sound alone.
    pub const fn audio(seconds: i64) -> Self {
        Self { duration_ms: seconds * 1000, audio: true, video: false }
    }

    /// Moving pictures alone.
    pub const fn silent(seconds: i64) -> Self {
        Self { duration_ms: seconds * 1000, audio: false, video: true }
    }

    /// One picture.
    pub const fn image() -> Self {
        Self { duration_ms: 0, audio: false, video: false }
    }

    const fn kind(self) -> &'static str {
        match (self.video, self.audio) {
            (true, _) => "video",
            (false, true) => "audio",
            (false, false) => "image",
        }
    }
}

impl World {
    /// A new account with a workspace and a key.
    pub async fn tenant(&self, name: &str) -> anyhow::Result<Tenant> {
        let key = ApiKey::from_random(random());
        let mut tx = self.pool().begin().await?;
        let made = accounts::create_with_key(&mut tx, name, &key).await?;
        tx.commit().await?;
        let client = self.client(Some(key.expose().to_owned()));
        Ok(Tenant { account: made.account_id, workspace: made.workspace_id, key_id: made.key_id, key, client })
    }

    /// An account as [`Self::tenant`] makes it, with this many minutes a month.
    pub async fn tenant_with(&self, name: &str, monthly: Minutes) -> anyhow::Result<Tenant> {
        let tenant = self.tenant(name).await?;
        self.under_lock(&tenant, async |conn| minutes::allow(conn, tenant.account, monthly, "a test").await).await?;
        Ok(tenant)
    }

    /// Bought minutes for this account.
    pub async fn buy(&self, tenant: &Tenant, amount: Minutes) -> anyhow::Result<()> {
        let purchase = async |conn: &mut sqlx::PgConnection| {
            minutes::purchase(conn, tenant.account, amount, "a test", None).await.map(|_| ())
        };
        self.under_lock(tenant, purchase).await
    }

    /// AI credits for this account.
    pub async fn credit(&self, tenant: &Tenant, amount: Credits) -> anyhow::Result<()> {
        let change = CreditChange { entry: CreditEntry::Purchase, amount, note: "a test", reference: None };
        let give = async |conn: &mut sqlx::PgConnection| credits::give(conn, tenant.account, change).await.map(|_| ());
        self.under_lock(tenant, give).await
    }

    async fn under_lock(
        &self,
        tenant: &Tenant,
        change: impl AsyncFnOnce(&mut sqlx::PgConnection) -> sqlx::Result<()>,
    ) -> anyhow::Result<()> {
        let mut tx = self.pool().begin().await?;
        accounts::lock(&mut tx, tenant.account).await?;
        minutes::fold(&mut tx, tenant.account, self.settings.monthly_minutes).await?;
        change(&mut tx).await?;
        Ok(tx.commit().await?)
    }

    /// A user of `home` who has this role in the workspace of `host`: a caller with a session token there.
    pub async fn member(&self, home: &Tenant, host: &Tenant, role: &str) -> anyhow::Result<Client> {
        let mut tx = self.pool().begin().await?;
        let user = accounts::create_user(&mut tx, home.account, "a member", None).await?;
        accounts::set_member(&mut tx, host.workspace, user, role).await?;
        let token = session(&mut tx, home.account, host.workspace, Some(user), None).await?;
        tx.commit().await?;
        Ok(self.client(Some(token.expose().to_owned())))
    }

    /// A session of the account's own key.
    pub async fn session(&self, tenant: &Tenant) -> anyhow::Result<Client> {
        Ok(self.client(Some(self.session_token(tenant).await?)))
    }

    /// The token of such a session.
    pub async fn session_token(&self, tenant: &Tenant) -> anyhow::Result<String> {
        let mut tx = self.pool().begin().await?;
        let token = session(&mut tx, tenant.account, tenant.workspace, None, Some(tenant.key_id)).await?;
        tx.commit().await?;
        Ok(token.expose().to_owned())
    }

    /// An item that is ready. There are no bytes behind it: it is for runners that look at none.
    pub async fn item(&self, tenant: &Tenant, media: Media) -> anyhow::Result<ItemId> {
        Ok(self.items(tenant, 1, media).await?[0])
    }

    /// A post that was pulled from this URL.
    pub async fn post(&self, tenant: &Tenant, url: &str) -> anyhow::Result<PostId> {
        let media = serde_json::json!([]);
        let new =
            NewPost { url, author: None, title: None, text: "", published_at: None, media: &media, sha256: &[0; 32] };
        let mut conn = self.pool().acquire().await?;
        Ok(posts::put_all(&mut conn, tenant.workspace, url, &[new]).await?[0].id)
    }

    /// A dub of this item into Spanish, of one segment that was spoken.
    pub async fn dub(&self, tenant: &Tenant, item: ItemId) -> anyhow::Result<DubId> {
        let dub = DubId::mint();
        let segment = serde_json::json!({
            "id": "segment-1", "start": 0.0, "end": 2.0, "speaker": "speaker_1", "translation": "Hola.", "voice": "es",
        });
        let body = serde_json::json!({ "source": item, "target_language": "es", "segments": [segment] });
        sqlx::query(
            "WITH made AS (
                 INSERT INTO documents (id, workspace_id, account_id, kind, name, body, summary, kept_bytes)
                 SELECT $1, $2, $3, 'dub', ref || ' (es)', $5::json, '{}', octet_length($5::json::text)
                 FROM items WHERE id = $4
                 RETURNING id
             )
             INSERT INTO dub_outputs (document_id, plan_hash, revision, item_id, voice_item_id, timeline_id, pieces)
             SELECT id, sha256('test'), 1, $6, $7, $8, '[]' FROM made",
        )
        .bind(dub.uuid())
        .bind(tenant.workspace)
        .bind(tenant.account)
        .bind(item)
        .bind(&body)
        .bind(ItemId::mint())
        .bind(ItemId::mint())
        .bind(TimelineId::mint())
        .execute(self.pool())
        .await?;
        Ok(dub)
    }

    /// Several such items.
    pub async fn items(&self, tenant: &Tenant, count: usize, media: Media) -> anyhow::Result<Vec<ItemId>> {
        let ids: Vec<ItemId> = (0..count).map(|_| ItemId::mint()).collect();
        // The runners of tests read the duration off the key.
        let keys: Vec<String> = ids.iter().map(|id| format!("items/{id}/media/{}", media.duration_ms)).collect();
        let refs: Vec<String> = ids.iter().map(ToString::to_string).collect();
        sqlx::query(
            "INSERT INTO items (id, workspace_id, account_id, ref, name, type, status, duration_ms, has_audio, has_video,
                 object_key)
             SELECT id, $2, $3, ref, 'test', $4, 'ready', NULLIF($5, 0), $6, $7, object_key
             FROM unnest($1::uuid[], $8::text[], $9::text[]) AS made (id, ref, object_key)",
        )
        .bind(&ids)
        .bind(tenant.workspace)
        .bind(tenant.account)
        .bind(media.kind())
        .bind(media.duration_ms)
        .bind(media.audio)
        .bind(media.video)
        .bind(&refs)
        .bind(&keys)
        .execute(self.pool())
        .await?;
        Ok(ids)
    }

    /// An endpoint of the account that is told of everything.
    pub async fn endpoint(&self, tenant: &Tenant, url: &str) -> anyhow::Result<EndpointId> {
        let id = EndpointId::mint();
        let event_types = vec![EventType::JobSucceeded, EventType::JobFailed, EventType::JobCancelled];
        let (account_id, url) = (tenant.account, url.to_owned());
        let new = NewEndpoint { id, account_id, url, description: None, event_types, kinds: None };
        let mut conn = self.pool().acquire().await?;
        endpoints::insert(&mut conn, &new).await?.context("the account has as many endpoints as it may")?;
        Ok(id)
    }
}

/// Makes a session the way callers do: by a code that is redeemed.
async fn session(
    conn: &mut sqlx::PgConnection,
    account_id: AccountId,
    workspace_id: WorkspaceId,
    user_id: Option<UserId>,
    key_id: Option<KeyId>,
) -> anyhow::Result<SessionToken> {
    let code = SessionCode::from_random(random());
    let (one, other) = (random(), random());
    let mut bytes = [0; 32];
    bytes[..16].copy_from_slice(&one);
    bytes[16..].copy_from_slice(&other);
    let token = SessionToken::from_random(bytes);
    let new = NewCode { code_hash: code.hash(), account_id, workspace_id, user_id, key_id, seconds: 600 };
    sessions::insert_code(conn, &new).await?;
    let redemption = Redemption {
        code_hash: code.hash(),
        token_hash: token.hash(),
        token_seconds: 1800,
        address: AccountId::mint().uuid(),
    };
    let redeemed = sessions::redeem(conn, &redemption, Pace::new(600, 60)).await?;
    redeemed.workspace_id.context("the code was not redeemed")?;
    Ok(token)
}
