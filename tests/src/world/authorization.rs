//! A certified authorization server (npm's oidc-provider) that issues the access tokens of a test.
//!
//! It is installed from the lock file of `tests/oidc`, once for each version of it, and runs on a loopback port until
//! it is dropped. A machine without Node or without the package fails the test: nothing here skips.

use super::World;
use anyhow::{Context, ensure};
use domain::ids::UserId;
use runtime::config::{OAuthSettings, Signup};
use serde_json::Value;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use store::accounts;
use store::users::Identity;

/// What the service is called in the tests: the `resource` that clients ask for.
pub const RESOURCE: &str = "https://mws.example/api/v1";

const FILES: [(&str, &str); 3] = [
    ("package.json", include_str!("../../oidc/package.json")),
    ("package-lock.json", include_str!("../../oidc/package-lock.json")),
    ("server.mjs", include_str!("../../oidc/server.mjs")),
];

/// A server that runs.
pub struct AuthorizationServer {
    /// How it names itself.
    pub issuer: String,
    http: reqwest::Client,
    process: Child,
    /// It ends when its input is closed, however the test ends; its output is kept open for what the provider has to
    /// say.
    _streams: (ChildStdin, BufReader<ChildStdout>),
}

impl AuthorizationServer {
    /// Starts one; `temporary` is cargo's folder for the files of tests, `env!("CARGO_TARGET_TMPDIR")`.
    pub fn start(temporary: &str) -> anyhow::Result<Self> {
        // Its client may be made before any process of ours is.
        runtime::process::install_crypto();
        let folder = installed(Path::new(temporary))?;
        let mut command = Command::new("node");
        command.arg(folder.join("server.mjs")).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().context("Node could not be run; scripts/setup installs it")?;
        let input = process.stdin.take().context("its input")?;
        let mut issuer = String::new();
        let mut output = BufReader::new(process.stdout.take().context("its output")?);
        output.read_line(&mut issuer)?;
        ensure!(issuer.starts_with("http://"), "the authorization server said `{issuer}`");
        #[expect(clippy::disallowed_methods, reason = "a client of the test's server, not of a customer's")]
        let http = reqwest::Client::builder().no_proxy().build()?;
        Ok(Self { issuer: issuer.trim().to_owned(), http, process, _streams: (input, output) })
    }

    /// Settings of a service that takes its tokens.
    pub fn settings(&self, signup: Signup) -> OAuthSettings {
        OAuthSettings {
            issuer: Some(self.issuer.clone()),
            audience: vec![RESOURCE.to_owned()],
            signup,
            signups_a_day: 1_000,
            signups_a_network: None,
        }
    }

    /// How tokens are made from now on: `alg=RS256`, `ttl=60`, `scope=media workspace:…`.
    pub async fn change(&self, what: &[(&str, &str)]) -> anyhow::Result<()> {
        self.tell("change", what).await.map(|_| ())
    }

    /// Publishes new keys, and no longer the old ones.
    pub async fn rotate(&self) -> anyhow::Result<()> {
        self.tell("rotate", &[]).await.map(|_| ())
    }

    /// Whether it answers nobody.
    pub async fn away(&self, is_away: bool) -> anyhow::Result<()> {
        self.tell("away", &[("is", if is_away { "true" } else { "false" })]).await.map(|_| ())
    }

    /// Signs somebody in by authorization code with PKCE: `access_token`, `id_token` and the rest of the answer.
    pub async fn sign_in(&self, subject: &str, resource: &str) -> anyhow::Result<Value> {
        self.tell("sign-in", &[("sub", subject), ("resource", resource)]).await
    }

    /// An access token for somebody who signed in.
    pub async fn token(&self, subject: &str) -> anyhow::Result<String> {
        access_token(&self.sign_in(subject, RESOURCE).await?)
    }

    /// An access token of the client `machine` itself, by client credentials.
    pub async fn machine_token(&self) -> anyhow::Result<String> {
        let form = format!("grant_type=client_credentials&scope=media&resource={RESOURCE}");
        let request = self.http.post(format!("{}/token", self.issuer)).basic_auth("machine", Some("machine-secret"));
        let request = request.header("content-type", "application/x-www-form-urlencoded").body(form);
        access_token(&request.send().await?.json().await?)
    }

    /// The keys that it publishes.
    pub async fn keys(&self) -> anyhow::Result<Value> {
        Ok(self.http.get(format!("{}/jwks", self.issuer)).send().await?.error_for_status()?.json().await?)
    }

    async fn tell(&self, what: &str, query: &[(&str, &str)]) -> anyhow::Result<Value> {
        let mut url: reqwest::Url = format!("{}/test/{what}", self.issuer).parse()?;
        url.query_pairs_mut().extend_pairs(query);
        let answer = self.http.post(url).send().await?;
        let status = answer.status();
        let text = answer.text().await?;
        ensure!(status.is_success(), "/test/{what} answered {status}: {text}");
        Ok(serde_json::from_str(&text)?)
    }
}

impl Drop for AuthorizationServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn access_token(answer: &Value) -> anyhow::Result<String> {
    Ok(answer["access_token"].as_str().with_context(|| format!("no token but {answer}"))?.to_owned())
}

/// The folder with the server and what it needs. Tests that start at once wait for the one that installs.
fn installed(temporary: &Path) -> anyhow::Result<PathBuf> {
    let version = domain::credential::CredentialHash::of(FILES[1].1);
    let folder = temporary.join(format!("oidc-{}", hex::encode(&version.as_bytes()[..8])));
    fs::create_dir_all(&folder)?;
    let lock = File::create(folder.join("lock"))?;
    lock.lock()?;
    for (name, text) in FILES {
        let path = folder.join(name);
        if fs::read_to_string(&path).ok().as_deref() != Some(text) {
            fs::write(path, text)?;
        }
    }
    let done = folder.join("installed");
    if !done.exists() {
        let mut npm = Command::new("npm");
        npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(&folder);
        let output = npm.output().context("npm could not be run; scripts/setup installs it")?;
        ensure!(output.status.success(), "npm ci failed: {}", String::from_utf8_lossy(&output.stderr));
        fs::write(done, "")?;
    }
    Ok(folder)
}

impl World {
    /// A user of the account whom this server knows by this subject, as an operator would add them.
    pub async fn signed_in(
        &self,
        server: &AuthorizationServer,
        subject: &str,
        account: domain::ids::AccountId,
    ) -> anyhow::Result<UserId> {
        let identity = Identity { issuer: &server.issuer, subject };
        Ok(accounts::create_user(&mut *self.pool().acquire().await?, account, subject, Some(identity)).await?)
    }
}
