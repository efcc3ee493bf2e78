//! Items that have bytes: what a finished upload leaves, without the upload.
//!
//! For tests of what comes back. What looks at no bytes takes `tenants::item`, which has none.

use super::{Media, Tenant, World};
use bytes::Bytes;
use domain::ids::ItemId;
use futures_util::stream;
use runtime::media::new_media_key;
use std::convert::Infallible;
use std::fs::File;

impl World {
    /// A ready item of this name and type with these bytes behind it.
    pub async fn stored(
        &self,
        tenant: &Tenant,
        (name, content_type): (&str, &str),
        bytes: impl Into<Bytes>,
    ) -> anyhow::Result<ItemId> {
        let item = self.item(tenant, Media::video(60)).await?;
        let key = new_media_key(item);
        let bytes = stream::iter([Ok::<Bytes, Infallible>(bytes.into())]);
        let written = self.process.media.write(&key, bytes, u64::MAX).await?;
        sqlx::query(
            "UPDATE items SET name = $2, content_type = $3, bytes = $4, sha256 = $5, object_key = $6 WHERE id = $1",
        )
        .bind(item)
        .bind(name)
        .bind(content_type)
        .bind(i64::try_from(written.bytes)?)
        .bind(written.sha256.to_vec())
        .bind(key)
        .execute(self.pool())
        .await?;
        Ok(item)
    }

    /// A ready item of so many bytes, all of them nothing, that take no room on the disk.
    pub async fn sparse(&self, tenant: &Tenant, bytes: u64) -> anyhow::Result<ItemId> {
        let item = self.item(tenant, Media::video(60)).await?;
        let key = new_media_key(item);
        let file = self.settings.data_dir.join("media").join(&key);
        std::fs::create_dir_all(file.parent().unwrap_or(&file))?;
        File::create(&file)?.set_len(bytes)?;
        sqlx::query("UPDATE items SET bytes = $2, object_key = $3, content_type = 'video/mp4' WHERE id = $1")
            .bind(item)
            .bind(i64::try_from(bytes)?)
            .bind(key)
            .execute(self.pool())
            .await?;
        Ok(item)
    }
}
