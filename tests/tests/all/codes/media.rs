//! The refusals of links to media and of bytes that are appended.

use super::CodeBench;
use api::http::error::Code;
use mws_tests::world::Answer;
use std::time::Duration;

/// What a link does not show: it was changed, its time is over, or there are no such bytes.
pub(super) async fn linked(stage: &CodeBench, code: Code) -> anyhow::Result<Answer> {
    let CodeBench { world, tenant, .. } = stage;
    let item = world.stored(tenant, ("a.mp4", "video/mp4"), "bytes").await?;
    let shown = stage.send("GET", &format!("/library/items/{item}")).await?.json;
    let link = shown["media_url"].as_str().and_then(|link| link.split("/api/v1").nth(1)).unwrap_or_default().to_owned();
    let anyone = world.client(None);
    match code {
        Code::RangeNotSatisfiable => anyone.send("GET", &link, &[("range", "bytes=5-")], None).await,
        Code::PreconditionFailed => anyone.send("GET", &link, &[("if-match", "\"other\"")], None).await,
        Code::LinkExpired => {
            world.advance(Duration::from_secs(7_201)).await?;
            anyone.send("GET", &link, &[], None).await
        }
        _ => anyone.send("GET", &link.replace("expires=", "expires=1"), &[], None).await,
    }
}

/// Bytes that are appended in another version of tus, elsewhere, or with another checksum.
pub(super) async fn appended(stage: &CodeBench, code: Code) -> anyhow::Result<Answer> {
    let (_, path) = stage.upload(None).await?;
    let version = if code == Code::TusVersionUnsupported { "0.2.2" } else { "1.0.0" };
    let mut headers = vec![("tus-resumable", version), ("content-type", "application/offset+octet-stream")];
    headers.push(("upload-offset", if code == Code::UploadOffsetMismatch { "1" } else { "0" }));
    if code == Code::ChunkMismatch {
        headers.push(("upload-checksum", "sha1 qvTGHdzF6KLavt4PO0gs2a6pQ00="));
    }
    stage.world.client(None).send("PATCH", &path, &headers, Some("R".to_owned())).await
}
