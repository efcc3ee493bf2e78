//! The service that is brought to answer a code, and the ways to what a code is about.

use api::http::error::Code;
use mws_tests::world::{Answer, Media, Tenant, World};
use serde_json::{Value, json};

/// Codes whose way takes something from the whole service: its time, an engine, its files, its connections, or a name
/// that one user alone may have.
pub const BREAKING: [Code; 6] = [
    Code::TokenExpired,
    Code::LinkExpired,
    Code::EngineNotConfigured,
    Code::Unavailable,
    Code::DatabaseUnavailable,
    Code::SubjectTaken,
];

/// A service, an account in it, and a stranger.
pub struct CodeBench {
    pub world: World,
    pub tenant: Tenant,
    pub other: Tenant,
}

impl CodeBench {
    pub async fn new() -> anyhow::Result<Self> {
        let world = World::new().await?;
        Ok(Self { tenant: world.tenant("a").await?, other: world.tenant("b").await?, world })
    }

    /// The same service with accounts that nothing was done with.
    pub async fn with_new_accounts(self) -> anyhow::Result<Self> {
        let world = self.world;
        Ok(Self { tenant: world.tenant("a").await?, other: world.tenant("b").await?, world })
    }

    pub async fn post(&self, path: &str, body: Value) -> anyhow::Result<Answer> {
        self.tenant.client.post(path, &body).await
    }

    pub async fn send(&self, method: &str, path: &str) -> anyhow::Result<Answer> {
        self.tenant.client.send(method, path, &[], None).await
    }

    pub async fn item(&self, media: Media) -> anyhow::Result<String> {
        Ok(self.world.item(&self.tenant, media).await?.to_string())
    }

    /// The id of what this call makes.
    pub async fn made(&self, path: &str, body: Value) -> anyhow::Result<String> {
        let made = self.post(path, body).await?;
        assert_eq!(made.status, 201, "{path}: {}", made.text);
        Ok(made.json["id"].as_str().unwrap_or_default().to_owned())
    }

    pub async fn endpoint(&self) -> anyhow::Result<String> {
        self.made("/webhooks", json!({ "url": "https://93.184.216.34/" })).await
    }

    /// An upload of four bytes, and where they go.
    pub async fn upload(&self, sha256: Option<&str>) -> anyhow::Result<(String, String)> {
        let body = json!({ "filename": "a.wav", "content_type": "audio/wav", "bytes": 4, "sha256": sha256 });
        let made = self.post("/uploads", body).await?;
        let url = made.json["upload"]["url"].as_str().unwrap_or_default();
        let path = url.split_once("/api/v1").map(|(_, path)| path.to_owned()).unwrap_or_default();
        Ok((made.json["id"].as_str().unwrap_or_default().to_owned(), path))
    }
}
