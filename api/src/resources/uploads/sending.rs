//! One request that sends an upload's bytes: it keeps others out while it does, and leaves nothing behind.
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
use store::uploads::{self, LetIn, Received};
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
    app: App,
    by: Uuid,
    settled: bool,
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
        let sending = Self { upload, app: app.clone(), by, settled: false };
        sending.drop_object(dropped.as_deref()).await;
        Ok(sending)
    }

    /// Ends when another request was let in, which it is only after this one was not heard of for a while.
    pub(super) async fn shut_out(&self) {
        loop {
            sleep(RENEWAL).await;
            let renewed = async { uploads::still_in(&mut *self.app.conn().await?, self.upload, self.by).await };
            match renewed.await {
                Ok(true) => {}
                Ok(false) => return,
                // It holds for longer than one renewal; the next may get through.
                Err(error) => tracing::debug!(upload.id = %self.upload, error = %error, "A claim was not renewed."),
            }
        }
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

    async fn drop_object(&self, key: Option<&str>) {
        if let Some(key) = key
            && let Err(error) = self.app.process.media.delete(key).await
        {
            tracing::warn!(upload.id = %self.upload, error = %error, "Bytes that nobody needs stay until their item goes.");
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
