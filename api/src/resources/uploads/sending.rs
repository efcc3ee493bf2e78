//! One request that sends an upload's bytes: all of them, which keeps others out meanwhile, or more of them, which a
//! later request that appends may take over. Either leaves nothing behind.
//!
//! However a request ends, by an answer, an error or a client that has gone, its claim ends with it; should the process
//! die, the claim ends by itself. `content` reads the bytes.

use super::{busy, completed};
use crate::app::App;
use crate::auth::in_time;
use crate::http::error::Answer;
use domain::ids::UploadId;
use runtime::media::Written;
use std::time::Duration;
use store::uploads::{self, LetIn, Received, SoFar};
use tokio::time::sleep;
use uuid::Uuid;

/// How often a request says that it still sends: well within the time that others are kept out for it.
const RENEWAL: Duration = Duration::from_secs(10);

/// Bytes in the media store that are nobody's yet.
pub(super) struct Stored {
    pub(super) key: String,
    pub(super) written: Written,
}

/// A request that was let in.
pub(super) struct Sending {
    pub(super) upload: UploadId,
    /// The request, as its claim names it.
    pub(super) by: Uuid,
    app: App,
    settled: bool,
}

/// Keeps a claim while its request sends.
pub(super) struct Renewal {
    upload: UploadId,
    by: Uuid,
    app: App,
}

impl Sending {
    /// Keeps other requests out, and drops what an earlier one had stored.
    ///
    /// # Errors
    /// `upload_incomplete` while another request sends, with the time after which that one is no longer waited for.
    pub(super) async fn begin(app: &App, upload: UploadId) -> Answer<Self> {
        let by = Uuid::from_u128(rand::random());
        let asked = async { uploads::let_in(&mut *app.conn().await?, upload, by).await };
        let LetIn::Yes { dropped } = in_time(asked).await? else {
            let left = in_time(async { uploads::claim_left(&mut *app.conn().await?, upload).await }).await?;
            return Err(busy(left.unwrap_or(1)));
        };
        let sending = Self { upload, by, app: app.clone(), settled: false };
        sending.drop_object(dropped.as_deref()).await;
        sending.drop_parts().await?;
        Ok(sending)
    }

    /// Lets the request append at this offset, whoever appended before. None when that can't be: the bytes go on
    /// elsewhere, or a plain PUT sends them.
    pub(super) async fn append(app: &App, upload: UploadId, offset: i64) -> Answer<Option<(Self, SoFar)>> {
        let by = Uuid::from_u128(rand::random());
        let asked = async { uploads::begin_append(&mut *app.conn().await?, upload, by, offset).await };
        let Some(so_far) = in_time(asked).await? else { return Ok(None) };
        let sending = Self { upload, by, app: app.clone(), settled: false };
        if offset == 0 {
            sending.drop_parts().await?;
        }
        Ok(Some((sending, so_far)))
    }

    /// Drops the parts of an upload that is sent from its first byte on.
    async fn drop_parts(&self) -> Answer<()> {
        let asked = async { uploads::drop_parts(&mut *self.app.conn().await?, self.upload, self.by).await };
        for key in in_time(asked).await? {
            self.drop_object(Some(&key)).await;
        }
        Ok(())
    }

    /// What keeps the claim.
    pub(super) fn renewal(&self) -> Renewal {
        Renewal { upload: self.upload, by: self.by, app: self.app.clone() }
    }

    /// Lets others in.
    pub(super) async fn end(&mut self) {
        let let_go = async { uploads::let_go(&mut *self.app.conn().await?, self.upload, self.by).await };
        if let Err(error) = let_go.await {
            tracing::debug!(upload.id = %self.upload, error = %error, "A claim was not given up; it ends by itself.");
        }
        self.settled = true;
    }

    /// Makes what was stored the upload's, or drops it.
    pub(super) async fn settle(mut self, Stored { key, written }: Stored) -> Answer<Written> {
        let bytes = i64::try_from(written.bytes).unwrap_or(i64::MAX);
        let received = in_time(async {
            let mut conn = self.app.conn().await?;
            uploads::receive(&mut conn, self.upload, self.by, &key, bytes, &written.sha256).await
        });
        let received = received.await?;
        self.settled = true;
        match received {
            Received::Recorded => Ok(written),
            Received::NotAwaiting => {
                self.drop_object(Some(&key)).await;
                Err(completed())
            }
        }
    }

    /// Drops an object that is nobody's.
    pub(super) async fn drop_object(&self, key: Option<&str>) {
        if let Some(key) = key
            && let Err(error) = self.app.process.media.delete(key).await
        {
            tracing::warn!(upload.id = %self.upload, error = %error, "Bytes that nobody needs stay until their item goes.");
        }
    }
}

impl Renewal {
    /// Ends when another request was let in: to send all, which it is only after this one was not heard of for a while,
    /// or to append.
    pub(super) async fn shut_out(&self) {
        loop {
            sleep(RENEWAL).await;
            let renewed = async { uploads::renew_receiving(&mut *self.app.conn().await?, self.upload, self.by).await };
            match renewed.await {
                Ok(true) => {}
                Ok(false) => return,
                // It holds for longer than one renewal; the next may get through.
                Err(error) => tracing::debug!(upload.id = %self.upload, error = %error, "A claim was not renewed."),
            }
        }
    }
}

impl Drop for Sending {
    fn drop(&mut self) {
        if self.settled {
            return;
        }
        let (app, upload, by) = (self.app.clone(), self.upload, self.by);
        tokio::spawn(async move {
            let let_go = async { uploads::let_go(&mut *app.conn().await?, upload, by).await };
            if let Err(error) = let_go.await {
                tracing::debug!(upload.id = %upload, error = %error, "A claim was not given up; it ends by itself.");
            }
        });
    }
}
