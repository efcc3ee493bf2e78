//! A write of several parts that is aborted when it is dropped before its end, as where a client hangs up while its
//! last parts are on their way. S3 keeps the parts of a write that nobody ends: no list of objects shows them, and they
//! count to no account's storage. Those of a killed process are found by `unfinished`.

use async_trait::async_trait;
use object_store::{MultipartUpload, PutPayload, PutResult, UploadPart};
use tokio::runtime::Handle;

/// See the module.
#[derive(Debug)]
pub(super) struct BegunWrite {
    /// None once it was completed or aborted.
    upload: Option<Box<dyn MultipartUpload>>,
}

impl BegunWrite {
    /// A write that has begun in the store.
    pub(super) const fn new(upload: Box<dyn MultipartUpload>) -> Self {
        Self { upload: Some(upload) }
    }
}

fn has_ended() -> object_store::Error {
    object_store::Error::Generic { store: "media", source: "the write has ended".into() }
}

#[async_trait]
impl MultipartUpload for BegunWrite {
    fn put_part(&mut self, part: PutPayload) -> UploadPart {
        match &mut self.upload {
            Some(upload) => upload.put_part(part),
            None => Box::pin(async { Err(has_ended()) }),
        }
    }

    async fn complete(&mut self) -> object_store::Result<PutResult> {
        let completed = self.upload.as_mut().ok_or_else(has_ended)?.complete().await?;
        self.upload = None;
        Ok(completed)
    }

    async fn abort(&mut self) -> object_store::Result<()> {
        self.upload.as_mut().ok_or_else(has_ended)?.abort().await?;
        self.upload = None;
        Ok(())
    }
}

impl Drop for BegunWrite {
    fn drop(&mut self) {
        let Some(mut upload) = self.upload.take() else { return };
        let Ok(runtime) = Handle::try_current() else { return };
        runtime.spawn(async move {
            match upload.abort().await {
                // It ended in the moment in which it was dropped.
                Ok(()) | Err(object_store::Error::NotFound { .. }) => {}
                Err(error) => tracing::warn!(error = %error, "A half-written object was left behind."),
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use object_store::WriteMultipart;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;
    use tokio::task::yield_now;
    use tokio::time::timeout;

    /// A write whose parts never arrive, and that counts how often it was aborted.
    #[derive(Debug)]
    struct Counted(Arc<AtomicUsize>);

    #[async_trait]
    impl MultipartUpload for Counted {
        fn put_part(&mut self, _: PutPayload) -> UploadPart {
            Box::pin(std::future::pending())
        }

        async fn complete(&mut self) -> object_store::Result<PutResult> {
            Ok(PutResult { e_tag: None, version: None, extensions: http::Extensions::default() })
        }

        async fn abort(&mut self) -> object_store::Result<()> {
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }
    }

    #[tokio::test]
    async fn a_write_that_is_dropped_before_its_end_is_aborted_and_no_other_once_more() {
        let aborted = Arc::new(AtomicUsize::new(0));
        let begun = || Box::new(BegunWrite::new(Box::new(Counted(Arc::clone(&aborted)))));
        let mut dropped = WriteMultipart::new_with_chunk_size(begun(), 2);
        dropped.write(b"abc");
        // Its last parts are on their way.
        let mut finishing = Box::pin(dropped.finish());
        assert!(futures_util::poll!(&mut finishing).is_pending());
        drop(finishing);
        let seen = async {
            while aborted.load(Ordering::Relaxed) == 0 {
                yield_now().await;
            }
        };
        timeout(Duration::from_mins(1), seen).await.expect("it is aborted");
        WriteMultipart::new(begun()).abort().await.expect("aborted");
        WriteMultipart::new(begun()).finish().await.expect("completed");
        yield_now().await;
        assert_eq!(aborted.load(Ordering::Relaxed), 2, "one was dropped, and one was aborted");
    }
}
