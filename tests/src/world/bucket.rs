//! A bucket that speaks S3: `SeaweedFS`, its master, volume, filer and gateway each a process of its own on loopback.

use super::until;
use crate::clients;
use anyhow::{Context, ensure};
use object_store::aws::AmazonS3Builder;
use object_store::path::Path as Key;
use runtime::media::MediaStore;
use runtime::outbound::trusted_client;
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use tempfile::TempDir;

const NAME: &str = "media";
/// The key that a bucket takes at first.
const ACCESS_KEY: &str = "mws-test";
/// Where media is kept in it.
const PREFIX: &str = "kept/here";

/// A bucket; its processes are killed when this is dropped.
pub struct Bucket {
    program: PathBuf,
    folder: TempDir,
    ports: Ports,
    processes: Vec<Child>,
    volume: Option<Child>,
    gateway: Option<Child>,
    access_key: &'static str,
}

/// Where a bucket is, and how to come in.
#[derive(Debug, Clone)]
pub struct BucketAddress {
    endpoint: String,
    access_key: &'static str,
}

/// The secret of an access key.
fn secret_key(access_key: &str) -> String {
    format!("the secret of {access_key}")
}

/// The port of each process, and that of its gRPC.
#[derive(Debug, Clone, Copy)]
struct Ports {
    master: [u16; 2],
    volume: [u16; 2],
    filer: [u16; 2],
    gateway: [u16; 2],
}

/// The port from which the next bucket of this process looks for its own: a process of the one before may be down.
static NEXT_PORT: Mutex<Option<u16>> = Mutex::new(None);

impl Ports {
    /// Eight that nobody has, below those that the system gives to connections.
    fn free() -> anyhow::Result<Self> {
        let mut next = NEXT_PORT.lock().unwrap_or_else(PoisonError::into_inner);
        let of_process = 20_000 + u16::try_from(std::process::id() % 1_000).unwrap_or_default() * 12;
        let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
        let mut free = (next.unwrap_or(of_process)..32_768).filter(is_free);
        let mut pair = || anyhow::Ok([free.next().context("a port")?, free.next().context("a port")?]);
        let ports = Self { master: pair()?, volume: pair()?, filer: pair()?, gateway: pair()? };
        *next = Some(ports.gateway[1] + 1);
        Ok(ports)
    }
}

impl BucketAddress {
    /// That of a test's own server at this endpoint.
    pub fn at(endpoint: String) -> Self {
        Self { endpoint, access_key: ACCESS_KEY }
    }

    /// The same behind another endpoint.
    #[must_use]
    pub fn through(self, endpoint: &str) -> Self {
        Self { endpoint: endpoint.to_owned(), ..self }
    }

    /// The media store in it.
    pub fn store(&self) -> anyhow::Result<MediaStore> {
        self.store_below(PREFIX)
    }

    /// Somebody's store under another prefix of it.
    pub fn store_below(&self, prefix: &str) -> anyhow::Result<MediaStore> {
        let builder = AmazonS3Builder::new()
            .with_endpoint(&self.endpoint)
            .with_allow_http(true)
            .with_region("us-east-1")
            .with_bucket_name(NAME)
            .with_access_key_id(self.access_key)
            .with_secret_access_key(secret_key(self.access_key));
        Ok(MediaStore::in_bucket(builder, Key::parse(prefix)?)?)
    }
}

impl Bucket {
    /// Starts one, and waits until it serves.
    pub async fn start() -> anyhow::Result<Self> {
        let program = tokio::task::spawn_blocking(clients::python).await??.join("weed");
        let folder = TempDir::new()?;
        for name in ["master", "volume", "filer"] {
            std::fs::create_dir(folder.path().join(name))?;
        }
        let (ports, processes, access_key) = (Ports::free()?, Vec::new(), ACCESS_KEY);
        let mut bucket = Self { program, folder, ports, processes, volume: None, gateway: None, access_key };
        bucket.start_all().await?;
        Ok(bucket)
    }

    /// Where it is.
    pub fn address(&self) -> BucketAddress {
        BucketAddress { endpoint: self.endpoint(), access_key: self.access_key }
    }

    /// The URL that its objects' URLs begin with.
    pub fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.ports.gateway[0])
    }

    /// Kills the process that holds the bytes, as a crash does.
    pub fn kill_volume(&mut self) -> anyhow::Result<()> {
        let mut volume = self.volume.take().context("it runs")?;
        volume.kill()?;
        volume.wait()?;
        Ok(())
    }

    /// Starts it again.
    pub async fn start_volume(&mut self) -> anyhow::Result<()> {
        let Ports { master, volume, .. } = self.ports;
        let dir = format!("-dir={}", self.path("volume"));
        let server = format!("-mserver=127.0.0.1:{}.{}", master[0], master[1]);
        // By itself it takes nothing once less than a hundredth of the disk is free, which is gigabytes of a large one.
        let more = [&dir, &server, "-ip=127.0.0.1", "-max=50", "-minFreeSpace=64MiB"];
        self.volume = Some(self.run("volume", volume, &more)?);
        serves(volume[0]).await
    }

    async fn start_all(&mut self) -> anyhow::Result<()> {
        let Ports { master, filer, .. } = self.ports;
        let dir = format!("-mdir={}", self.path("master"));
        let run = self.run("master", master, &[&dir, "-ip=127.0.0.1", "-volumeSizeLimitMB=100"])?;
        self.processes.push(run);
        serves(master[0]).await?;
        self.start_volume().await?;
        let server = format!("-master=127.0.0.1:{}.{}", master[0], master[1]);
        let run = self.run("filer", filer, &[&server, "-ip=127.0.0.1"])?;
        self.processes.push(run);
        serves(filer[0]).await?;
        self.start_gateway().await?;
        // A bucket is a folder of the filer's.
        let folder = format!("http://127.0.0.1:{}/buckets/{NAME}/", filer[0]);
        let made = trusted_client(&[])?.post(folder).send().await?;
        ensure!(made.status().is_success(), "the bucket was not made: {}", made.status());
        self.takes_objects().await
    }

    /// Takes this key from now on, and no other.
    pub async fn rotate(&mut self, access_key: &'static str) -> anyhow::Result<()> {
        let mut gateway = self.gateway.take().context("it runs")?;
        gateway.kill()?;
        gateway.wait()?;
        self.access_key = access_key;
        self.start_gateway().await?;
        self.takes_objects().await
    }

    async fn start_gateway(&mut self) -> anyhow::Result<()> {
        let Ports { filer, gateway, .. } = self.ports;
        let identity = serde_json::json!({ "identities": [{
            "name": "mws",
            "credentials": [{ "accessKey": self.access_key, "secretKey": secret_key(self.access_key) }],
            "actions": ["Admin", "Read", "Write", "List", "Tagging"],
        }]});
        std::fs::write(self.path("s3.json"), identity.to_string())?;
        let of = format!("-filer=127.0.0.1:{}.{}", filer[0], filer[1]);
        let config = format!("-config={}", self.path("s3.json"));
        self.gateway = Some(self.run("s3", gateway, &[&of, &config, "-port.iceberg=0", "-port.lance=0"])?);
        serves(gateway[0]).await
    }

    /// Waits until an object can be put: the gateway hears of volumes and buckets a moment later.
    async fn takes_objects(&self) -> anyhow::Result<()> {
        let store = self.address().store()?;
        let put = async || Ok(store.put("first", "here".into()).await.is_ok().then_some(()));
        until("the bucket takes an object", put).await?;
        Ok(store.delete("first").await?)
    }

    fn run(&self, what: &str, [port, grpc]: [u16; 2], more: &[&str]) -> anyhow::Result<Child> {
        let mut command = Command::new(&self.program);
        command.arg(what).arg("-ip.bind=127.0.0.1").arg(format!("-port={port}")).arg(format!("-port.grpc={grpc}"));
        command.args(more).current_dir(self.folder.path().join("filer"));
        // Its logs go with the folder.
        command.env("TMPDIR", self.folder.path());
        let log = || std::fs::File::create(self.folder.path().join(format!("{what}.log")));
        command.stdin(Stdio::null()).stdout(log()?).stderr(log()?);
        command.spawn().with_context(|| format!("{} can't be run", self.program.display()))
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }
}

impl Drop for Bucket {
    fn drop(&mut self) {
        for process in self.volume.iter_mut().chain(&mut self.gateway).chain(&mut self.processes) {
            // One that has ended by itself can't be killed.
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

async fn serves(port: u16) -> anyhow::Result<()> {
    let connects = async || Ok(tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_ok().then_some(()));
    until("a process of the bucket serves", connects).await
}
