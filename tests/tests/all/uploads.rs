//! Items and uploads in the database: what a ref names, who may write to an upload, and what becomes of one that is
//! abandoned, lost or deleted.

use domain::ids::{AccountId, ItemId, JobId, UploadId, WorkspaceId};
use domain::item::ItemType;
use mws_tests::world::{Tenant, World};
use runtime::queue::{self, Queue, Subject, Ticket};
use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, Postgres};
use std::time::Duration;
use store::items::{self, Added, NewItem, Resolved, Tombstone};
use store::uploads::{
    self, Claim, Completed, Counts, DueUpload, Facts, Finished, NewImport, NewUpload, Received, ReceivingClaim,
    Reserved, Stage,
};
use store::usage;

/// More fetches than any test makes.
const MANY: i64 = 100;

struct Library {
    world: World,
    /// Seconds by which the clock was moved.
    passed: u64,
    conn: PoolConnection<Postgres>,
    account: AccountId,
    workspace: WorkspaceId,
}

impl Library {
    async fn new() -> anyhow::Result<Self> {
        let world = World::new().await?;
        world.stop_clock().await?;
        let Tenant { account, workspace, .. } = world.tenant("one").await?;
        let conn = world.pool().acquire().await?;
        Ok(Self { world, passed: 0, conn, account, workspace })
    }

    async fn item(&mut self, item_ref: &str) -> anyhow::Result<ItemId> {
        let id = ItemId::mint();
        let new = NewItem {
            id,
            workspace_id: self.workspace,
            account_id: self.account,
            item_ref,
            name: "a.wav",
            content_type: None,
            bytes: 3,
        };
        assert_eq!(items::add(&mut self.conn, &new).await?, Added::Yes);
        Ok(id)
    }

    /// An upload of three bytes that announces no checksum.
    async fn upload(&mut self, item_id: ItemId) -> anyhow::Result<UploadId> {
        let id = UploadId::mint();
        let new = NewUpload {
            id,
            item_id,
            workspace_id: self.workspace,
            account_id: self.account,
            filename: "a.wav",
            content_type: "audio/wav",
            bytes: 3,
            sha256: None,
            token_hash: &[0; 32],
            user_id: None,
            key_id: None,
        };
        uploads::add(&mut self.conn, &new).await?;
        Ok(id)
    }

    /// An upload whose bytes have arrived and that is due.
    async fn due(&mut self, item: ItemId) -> anyhow::Result<UploadId> {
        let upload = self.upload(item).await?;
        assert_eq!(self.send(upload, "items/x/media/1", 3).await?, Received::Recorded);
        assert_eq!(uploads::complete(&mut self.conn, upload, "none").await?, Completed::Now);
        Ok(upload)
    }

    /// Bytes sent by a request of their own.
    async fn send(&mut self, upload: UploadId, key: &str, bytes: i64) -> anyhow::Result<Received> {
        let by = UploadId::mint().uuid();
        uploads::claim_receiving(&mut self.conn, upload, by).await?;
        Ok(uploads::receive(&mut self.conn, upload, by, key, bytes, &[1; 32]).await?)
    }

    async fn import(&mut self) -> anyhow::Result<UploadId> {
        let id = UploadId::mint();
        let item_id = self.item(&id.to_string()).await?;
        let (workspace_id, account_id) = (self.workspace, self.account);
        let url = "https://media.example/a.wav";
        let new = NewImport { id, item_id, workspace_id, account_id, filename: "a.wav", url, ticket_id: "none" };
        uploads::add_import(&mut self.conn, &new).await?;
        Ok(id)
    }

    async fn stage(&mut self, upload: UploadId) -> sqlx::Result<Stage> {
        let asked = "SELECT object_key IS NULL AND source_url IS NOT NULL FROM uploads WHERE id = $1";
        let to_fetch: bool = sqlx::query_scalar(asked).bind(upload).fetch_one(&mut *self.conn).await?;
        Ok(if to_fetch { Stage::Fetch } else { Stage::Probe })
    }

    async fn claim(&mut self, upload: UploadId) -> sqlx::Result<Option<Claim>> {
        let stage = self.stage(upload).await?;
        uploads::claim(&mut self.conn, upload, stage, MANY).await
    }

    /// Moves the clock to so many seconds after the beginning.
    async fn pass(&mut self, seconds: u64) -> anyhow::Result<()> {
        self.world.advance(Duration::from_secs(seconds - self.passed)).await?;
        self.passed = seconds;
        Ok(())
    }

    /// Ends in what must hold of the whole database.
    async fn end(self) -> anyhow::Result<()> {
        drop(self.conn);
        self.world.end().await
    }
}

async fn add_workspace(conn: &mut PgConnection, account: AccountId, workspace: WorkspaceId) -> sqlx::Result<()> {
    sqlx::query("INSERT INTO accounts (id, name) VALUES ($1, 'a')").bind(account).execute(&mut *conn).await?;
    let insert = "INSERT INTO workspaces (id, account_id, name) VALUES ($1, $2, 'w')";
    sqlx::query(insert).bind(workspace).bind(account).execute(&mut *conn).await?;
    Ok(())
}

fn sound() -> Facts {
    Facts {
        frame_rate: None,
        item_type: ItemType::Audio,
        duration_ms: Some(1_000),
        has_audio: true,
        has_video: false,
        width: None,
        height: None,
        content_type: "audio/wav".to_owned(),
        seekable: false,
        streams: Vec::new(),
        thumbnail_key: None,
    }
}

#[tokio::test]
async fn refs_of_all_three_forms_are_answered_in_the_order_they_were_asked() -> anyhow::Result<()> {
    let mut library = Library::new().await?;
    let (named, made, gone) = (library.item("song").await?, library.item("made").await?, library.item("gone").await?);
    let job = JobId::mint();
    sqlx::query("UPDATE items SET made_by_job_id = $2 WHERE id = $1")
        .bind(made)
        .bind(job)
        .execute(&mut *library.conn)
        .await?;
    items::tombstone(&mut library.conn, gone, library.workspace).await?;
    let (stranger, elsewhere) = (AccountId::mint(), WorkspaceId::mint());
    add_workspace(&mut library.conn, stranger, elsewhere).await?;

    let asked =
        [job.to_string(), "song".to_owned(), "gone".to_owned(), gone.to_string(), named.to_string(), "song".to_owned()];
    let found = items::resolve(&mut library.conn, &asked, library.workspace).await?;
    let shown: Vec<_> = found
        .iter()
        .map(|one| match one {
            Resolved::Here(item) => Some(item.id),
            Resolved::Elsewhere | Resolved::Unknown => None,
        })
        .collect();
    assert_eq!(shown, [Some(made), Some(named), None, None, Some(named), Some(named)]);

    let found = items::resolve(&mut library.conn, &asked, elsewhere).await?;
    assert!(matches!(found[0], Resolved::Elsewhere), "a job's id is known everywhere");
    assert!(matches!(found[1], Resolved::Unknown), "a free text is the caller's own");
    assert!(matches!(found[3], Resolved::Unknown), "a tombstone is nowhere");
    assert!(matches!(found[4], Resolved::Elsewhere));
    library.end().await
}

#[tokio::test]
async fn a_lease_is_told_only_while_it_lives() -> anyhow::Result<()> {
    let mut library = Library::new().await?;
    let item = library.item("song").await?;
    assert!(items::lease(&mut library.conn, item, library.workspace, 60).await?.is_some());
    assert!(items::find(&mut library.conn, item).await?.is_some_and(|row| row.leased_until.is_some()));
    library.pass(61).await?;
    assert!(items::find(&mut library.conn, item).await?.is_some_and(|row| row.leased_until.is_none()));
    library.end().await
}

#[tokio::test]
async fn an_upload_is_completed_once_and_with_the_announced_bytes_alone() -> anyhow::Result<()> {
    let mut library = Library::new().await?;
    let item = library.item("song").await?;
    let upload = library.upload(item).await?;
    assert_eq!(uploads::complete(&mut library.conn, upload, "t").await?, Completed::No);
    assert_eq!(library.send(upload, "k1", 2).await?, Received::Recorded);
    assert_eq!(uploads::complete(&mut library.conn, upload, "t").await?, Completed::No);
    assert_eq!(library.send(upload, "k2", 3).await?, Received::Recorded);
    assert_eq!(uploads::complete(&mut library.conn, upload, "t").await?, Completed::Now);
    assert_eq!(uploads::complete(&mut library.conn, upload, "t").await?, Completed::No);
    assert_eq!(library.send(upload, "k3", 3).await?, Received::NotAwaiting);
    library.end().await
}

#[tokio::test]
async fn one_request_at_a_time_sends_an_uploads_bytes_and_the_next_drops_what_was_sent() -> anyhow::Result<()> {
    let mut library = Library::new().await?;
    let item = library.item("song").await?;
    let upload = library.upload(item).await?;
    let [first, second, third] = [(); 3].map(|()| UploadId::mint().uuid());
    assert_eq!(
        uploads::claim_receiving(&mut library.conn, upload, first).await?,
        ReceivingClaim::Yes { dropped: None }
    );
    assert_eq!(uploads::claim_receiving(&mut library.conn, upload, second).await?, ReceivingClaim::No);
    library.pass(59).await?;
    assert!(uploads::renew_receiving(&mut library.conn, upload, first).await?);
    library.pass(70).await?;
    assert_eq!(
        uploads::claim_receiving(&mut library.conn, upload, second).await?,
        ReceivingClaim::No,
        "the claim was renewed"
    );
    library.pass(120).await?;
    assert_eq!(
        uploads::claim_receiving(&mut library.conn, upload, second).await?,
        ReceivingClaim::Yes { dropped: None }
    );
    // The first was not heard of for too long: what it stored is nobody's.
    assert!(!uploads::renew_receiving(&mut library.conn, upload, first).await?);
    uploads::let_go(&mut library.conn, upload, first).await?;
    let late = uploads::receive(&mut library.conn, upload, first, "k1", 3, &[1; 32]).await?;
    assert_eq!(late, Received::NotAwaiting);
    let stored = uploads::receive(&mut library.conn, upload, second, "k2", 3, &[1; 32]).await?;
    assert_eq!(stored, Received::Recorded);
    let again = uploads::claim_receiving(&mut library.conn, upload, third).await?;
    assert_eq!(again, ReceivingClaim::Yes { dropped: Some("k2".to_owned()) });
    assert_eq!(uploads::complete(&mut library.conn, upload, "t").await?, Completed::No, "its bytes are being replaced");
    library.end().await
}

#[tokio::test]
async fn a_worker_whose_lease_was_lost_writes_nothing() -> anyhow::Result<()> {
    let mut library = Library::new().await?;
    let item = library.item("song").await?;
    let upload = library.due(item).await?;
    let first = library.claim(upload).await?.expect("it is due");
    assert!(library.claim(upload).await?.is_none(), "it is held");
    library.pass(31).await?;
    let second = library.claim(upload).await?.expect("the lease has run out");
    assert_eq!((second.claim_no, second.losses), (first.claim_no + 1, 1));

    assert!(!uploads::renew(&mut library.conn, &first).await?);
    assert!(uploads::finish(&mut library.conn, &first, &sound()).await?.is_none());
    assert_eq!(uploads::fail(&mut library.conn, &first, "x", "x").await?, Finished::Lost);
    assert_eq!(uploads::retry(&mut library.conn, &first, Counts::Yes, 10, "x", "x").await?, Finished::Lost);

    let kept = uploads::finish(&mut library.conn, &second, &sound()).await?;
    assert_eq!(kept.as_deref(), Some("items/x/media/1"));
    let media = items::media(&mut library.conn, item).await?.expect("it is ready");
    assert_eq!((media.object_key.as_str(), media.duration_ms), ("items/x/media/1", Some(1_000)));
    assert!(uploads::finish(&mut library.conn, &second, &sound()).await?.is_none(), "it has ended");
    library.end().await
}

#[tokio::test]
async fn a_retry_waits_and_then_gets_one_new_ticket() -> anyhow::Result<()> {
    let mut library = Library::new().await?;
    let item = library.item("song").await?;
    let upload = library.due(item).await?;
    let claim = library.claim(upload).await?.expect("it is due");
    uploads::retry(&mut library.conn, &claim, Counts::Yes, 10, "fetch_failed", "503").await?;
    assert!(uploads::lock_due(&mut library.conn, 10).await?.is_empty(), "it waits");
    library.pass(11).await?;
    let due = DueUpload { id: upload, account: library.account, stage: Stage::Probe };
    assert_eq!(uploads::lock_due(&mut library.conn, 10).await?, [due]);

    let ticket = Ticket::new(Queue::Ingest, Subject::Upload(upload));
    uploads::assign_tickets(&mut library.conn, &[upload], std::slice::from_ref(&ticket.id)).await?;
    queue::push(&mut library.conn, &[ticket]).await?;
    assert!(uploads::lock_due(&mut library.conn, 10).await?.is_empty(), "it has a ticket");
    sqlx::query("UPDATE apalis.jobs SET status = 'Done'").execute(&mut *library.conn).await?;
    assert_eq!(uploads::lock_due(&mut library.conn, 10).await?, [due], "a done ticket brings nothing");
    let again = library.claim(upload).await?.expect("it is due again");
    assert_eq!((again.failures, again.losses), (1, 0));
    assert!(uploads::finish(&mut library.conn, &again, &sound()).await?.is_some());
    let said: (String, Option<String>, Option<String>) =
        sqlx::query_as("SELECT status, error_code, error_message FROM uploads WHERE id = $1")
            .bind(upload)
            .fetch_one(&mut *library.conn)
            .await?;
    assert_eq!(said, ("done".to_owned(), None, None), "what ended well keeps no error of an attempt before");
    library.end().await
}

#[tokio::test]
async fn one_account_fetches_from_so_many_urls_at_once_and_no_more() -> anyhow::Result<()> {
    let mut library = Library::new().await?;
    let (one, other) = (library.import().await?, library.import().await?);
    assert!(uploads::claim(&mut library.conn, one, Stage::Fetch, 1).await?.is_some());
    assert!(uploads::claim(&mut library.conn, other, Stage::Fetch, 1).await?.is_none());
    uploads::defer(&mut library.conn, other).await?;
    assert!(uploads::claim(&mut library.conn, other, Stage::Fetch, 2).await?.is_none(), "it waits for two seconds");
    library.pass(3).await?;
    assert!(uploads::claim(&mut library.conn, other, Stage::Fetch, 2).await?.is_some());
    library.end().await
}

#[tokio::test]
async fn what_an_import_reserves_is_given_back_at_every_end() -> anyhow::Result<()> {
    let mut library = Library::new().await?;
    let account = library.account;
    let kept = async |library: &mut Library| items::bytes_kept(&mut library.conn, account).await;
    let upload = library.import().await?;
    let before = kept(&mut library).await?;
    let first = library.claim(upload).await?.expect("it is due");
    // An import's item is made with no bytes; the helper's has three.
    sqlx::query("UPDATE items SET bytes = 0").execute(&mut *library.conn).await?;
    let quota = 1_000;
    let reserve = async |library: &mut Library, claim: &Claim, bytes| {
        uploads::reserve(&mut library.conn, claim, bytes, quota).await
    };
    assert_eq!((before, reserve(&mut library, &first, 400).await?), (3, Reserved::Bytes(400)));
    assert_eq!(reserve(&mut library, &first, 700).await?, Reserved::Bytes(700), "its own counts once");
    assert_eq!(reserve(&mut library, &first, 5_000).await?, Reserved::Bytes(1_000), "what there is");
    uploads::retry(&mut library.conn, &first, Counts::No, 0, "internal", "x").await?;
    assert_eq!(kept(&mut library).await?, 0, "a retry");
    assert_eq!(reserve(&mut library, &first, 1).await?, Reserved::Lost);

    let second = library.claim(upload).await?.expect("it is due again");
    assert_eq!((second.failures, reserve(&mut library, &second, 300).await?), (0, Reserved::Bytes(300)));
    uploads::hand_back(&mut library.conn, &second, "t").await?;
    assert_eq!(kept(&mut library).await?, 0, "a worker that stops");

    let third = library.claim(upload).await?.expect("it is due again");
    reserve(&mut library, &third, 300).await?;
    assert!(uploads::record_fetched(&mut library.conn, &third, "items/x/media/2", 20, &[1; 32], None, "t").await?);
    assert_eq!(kept(&mut library).await?, 20, "what was not needed");
    let probing = library.claim(upload).await?.expect("it is due to be probed");
    assert_eq!(uploads::fail(&mut library.conn, &probing, "media_unreadable", "x").await?, Finished::Written);
    assert_eq!(kept(&mut library).await?, 0, "a failure");

    let other = library.import().await?;
    sqlx::query("UPDATE items SET bytes = 0").execute(&mut *library.conn).await?;
    let claim = library.claim(other).await?.expect("it is due");
    reserve(&mut library, &claim, 300).await?;
    assert_eq!(items::tombstone(&mut library.conn, claim.item_id, library.workspace).await?, Tombstone::Set);
    assert_eq!(kept(&mut library).await?, 0, "a deleted item");
    let noted = usage_notes(&mut library).await?.unsigned_abs();
    assert_eq!(usage::fold(&mut library.conn, 1_000).await?, noted);
    assert_eq!((usage_notes(&mut library).await?, kept(&mut library).await?), (0, 0));
    library.end().await
}

/// Notes of what accounts keep that are not folded yet.
async fn usage_notes(library: &mut Library) -> anyhow::Result<i64> {
    Ok(sqlx::query_scalar("SELECT count(*) FROM account_usage_changes").fetch_one(&mut *library.conn).await?)
}

#[tokio::test]
async fn a_deleted_item_ends_its_upload_and_frees_its_ref() -> anyhow::Result<()> {
    let mut library = Library::new().await?;
    let item = library.item("song").await?;
    let upload = library.due(item).await?;
    let claim = library.claim(upload).await?.expect("it is due");
    let workspace = library.workspace;
    assert_eq!(items::tombstone(&mut library.conn, item, WorkspaceId::mint()).await?, Tombstone::NotThere);
    assert_eq!(items::tombstone(&mut library.conn, item, workspace).await?, Tombstone::Set);
    assert_eq!(items::tombstone(&mut library.conn, item, workspace).await?, Tombstone::NotThere);
    assert!(!uploads::renew(&mut library.conn, &claim).await?, "its worker learns of it");
    assert!(uploads::finish(&mut library.conn, &claim, &sound()).await?.is_none());
    assert!(items::find(&mut library.conn, item).await?.is_none());
    library.item("song").await?;
    library.end().await
}

#[tokio::test]
async fn an_abandoned_upload_goes_with_its_item_and_its_bytes() -> anyhow::Result<()> {
    let mut library = Library::new().await?;
    let item = library.item("song").await?;
    let upload = library.upload(item).await?;
    let account = library.account;
    assert_eq!(items::bytes_kept(&mut library.conn, account).await?, 3);
    assert_eq!(uploads::expire(&mut library.conn, 10).await?, 0);
    library.pass(25 * 3_600).await?;
    assert_eq!(uploads::complete(&mut library.conn, upload, "t").await?, Completed::No);
    assert_eq!(uploads::expire(&mut library.conn, 10).await?, 1);
    assert_eq!(items::bytes_kept(&mut library.conn, account).await?, 0);
    assert_eq!(items::to_purge(&mut library.conn, 10).await?, [item]);
    assert_eq!(items::purge(&mut library.conn, &[item]).await?, 1);
    assert!(items::to_purge(&mut library.conn, 10).await?.is_empty());
    assert_eq!(uploads::prune(&mut library.conn, 30, 10).await?, 0);
    library.pass(32 * 86_400).await?;
    assert_eq!(uploads::prune(&mut library.conn, 30, 10).await?, 1);
    library.end().await
}
