//! The claim of a request that sends an upload's bytes. A PUT sends all of them, and no other request may send
//! meanwhile. A request that appends sends more of them, and a later one that appends may take its claim.
//!
//! The claim ends with the request, whether that ends by an answer, an error or a client that has gone; if the process
//! dies, the claim expires. Claiming drops the objects of earlier bytes, which no row names from then on, in a task of
//! its own: a client that hangs up at that moment would otherwise leave them behind, and they count to no account's
//! storage. `content` reads the bytes.

use super::{busy, completed};
use crate::app::App;
use crate::auth::in_time;
use crate::http::error::{Answer, ApiError};
use domain::ids::UploadId;
use runtime::media::Written;
use std::time::Duration;
use store::uploads::{self, Received, ReceivingClaim, SoFar};
use tokio::time::sleep;
use tracing::Instrument;
use uuid::Uuid;

/// The interval at which a request renews its claim, well within the time for which a claim lasts.
const RENEWAL: Duration = Duration::from_secs(10);

/// Bytes in the media store that do not belong to an upload yet.
pub(super) struct Stored {
    pub(super) key: String,
    pub(super) written: Written,
}

/// A request that is allowed to send.
pub(super) struct Sending {
    pub(super) upload: UploadId,
    /// The random id of the request in its claim.
    pub(super) by: Uuid,
    app: App,
    settled: bool,
}

/// Renews a claim while its request sends.
pub(super) struct Renewal {
    upload: UploadId,
    by: Uuid,
    app: App,
}

impl Sending {
    /// Claims the upload for a request that sends all bytes, and drops what an earlier one stored.
    ///
    /// # Errors
    /// `upload_incomplete` while another request sends, with the seconds until that one's claim expires.
    pub(super) async fn begin(app: &App, upload: UploadId) -> Answer<Self> {
        to_its_end(Self::claim(app.clone(), upload)).await
    }

    async fn claim(app: App, upload: UploadId) -> Answer<Self> {
        let by = Uuid::from_u128(rand::random());
        let asked = async { uploads::claim_receiving(&mut *app.conn().await?, upload, by).await };
        let ReceivingClaim::Yes { dropped } = in_time(asked).await? else {
            let left = in_time(async { uploads::claim_left(&mut *app.conn().await?, upload).await }).await?;
            return Err(busy(left.unwrap_or(1)));
        };
        let sending = Self { upload, by, app, settled: false };
        sending.drop_object(dropped.as_deref()).await;
        sending.drop_parts().await?;
        Ok(sending)
    }

    /// Claims the upload for a request that appends at this offset, whoever appended before. Returns none when the
    /// upload continues at another offset, or a plain PUT sends its bytes.
    pub(super) async fn append(app: &App, upload: UploadId, offset: i64) -> Answer<Option<(Self, SoFar)>> {
        to_its_end(Self::take_over(app.clone(), upload, offset)).await
    }

    async fn take_over(app: App, upload: UploadId, offset: i64) -> Answer<Option<(Self, SoFar)>> {
        let by = Uuid::from_u128(rand::random());
        let asked = async { uploads::begin_append(&mut *app.conn().await?, upload, by, offset).await };
        let Some(so_far) = in_time(asked).await? else { return Ok(None) };
        let sending = Self { upload, by, app, settled: false };
        sending.drop_object(so_far.dropped.as_deref()).await;
        if offset == 0 {
            sending.drop_parts().await?;
        }
        Ok(Some((sending, so_far)))
    }

    /// Drops the parts of an upload that is sent again from its first byte.
    async fn drop_parts(&self) -> Answer<()> {
        let asked = async { uploads::drop_parts(&mut *self.app.conn().await?, self.upload, self.by).await };
        for key in in_time(asked).await? {
            self.drop_object(Some(&key)).await;
        }
        Ok(())
    }

    /// Returns the renewal of the claim.
    pub(super) fn renewal(&self) -> Renewal {
        Renewal { upload: self.upload, by: self.by, app: self.app.clone() }
    }

    /// Ends the claim, so that others may send.
    pub(super) async fn end(&mut self) {
        let let_go = async { uploads::let_go(&mut *self.app.conn().await?, self.upload, self.by).await };
        if let Err(error) = let_go.await {
            tracing::debug!(upload.id = %self.upload, error = %error, "A claim was not given up; it ends by itself.");
        }
        self.settled = true;
    }

    /// Gives the stored bytes to the upload, or drops them.
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

    /// Drops an object that belongs to no upload.
    pub(super) async fn drop_object(&self, key: Option<&str>) {
        if let Some(key) = key
            && let Err(error) = self.app.process.media.delete(key).await
        {
            tracing::warn!(upload.id = %self.upload, error = %error, "Bytes that nobody needs stay until their item goes.");
        }
    }
}

/// Does this work in a task, which ends even if the client hangs up.
pub(super) async fn to_its_end<T: Send + 'static>(work: impl Future<Output = Answer<T>> + Send + 'static) -> Answer<T> {
    tokio::spawn(work.in_current_span()).await.map_err(ApiError::internal)?
}

impl Renewal {
    /// Renews the claim, and returns when another request has taken over: one that appends, or one that sends all bytes
    /// because this claim had expired.
    pub(super) async fn shut_out(&self) {
        loop {
            sleep(RENEWAL).await;
            let renewed = async { uploads::renew_receiving(&mut *self.app.conn().await?, self.upload, self.by).await };
            match renewed.await {
                Ok(true) => {}
                Ok(false) => return,
                // The claim lasts longer than one renewal; the next may succeed.
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
