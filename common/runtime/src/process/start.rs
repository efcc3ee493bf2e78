//! Starts a process: it checks its settings, waits for the database and brings it up to date, and makes what it shares.

use super::connections::turns_of;
use super::patience::in_patience;
use super::{DatabaseClock, Process};
use crate::config::Settings;
use crate::descriptors;
use crate::measure;
use crate::media::MediaStore;
use crate::operator_webhook::OperatorWebhook;
use crate::outbound::{OutboundClient, OutboundSettings, roots_from_file};
use crate::providers::Providers;
use crate::seal::Sealer;
use crate::signs::Signs;
use crate::start_error::StartError;
use crate::wake::Wakes;
use domain::ids::MediaFolderId;
use domain::url_policy::NetworkPolicy;
use secrecy::SecretString;
use sqlx::PgPool;
use std::sync::Arc;
use std::time::Duration;
use store::{PoolSize, inspect, media_folder, webhook_secrets};
use tokio_util::sync::CancellationToken;
use ulid::Ulid;

impl Process {
    /// Connects, brings the database up to date and starts listening for wake-ups.
    pub async fn start(settings: Settings, connections: PoolSize, service: &str) -> Result<Self, StartError> {
        // What is measured from here on must find a recorder; `Health` says why there is none.
        let _ = measure::recorder();
        let descriptors = descriptors::raise();
        tracing::info!(descriptors, "The process may have so many files and sockets open.");
        let url = settings.database_url.as_deref().ok_or(StartError::Missing {
            name: "DATABASE_URL",
            cure: "name a PostgreSQL, or run `mws up`, which brings its own",
        })?;
        require("MWS_SECRET_KEY", settings.secret_key.as_ref())?;
        require("MWS_OPERATOR_TOKEN", settings.operator_token.as_ref())?;
        require("MWS_DEFAULT_WEBHOOK_SECRET", settings.default_webhook_secret.as_ref())?;
        let patience = Duration::from_secs(settings.database_wait_seconds);
        let clock = DatabaseClock::default();
        let (name, direct) = (format!("mws-{service}"), settings.direct_url(url));
        let (pool, media) = in_patience(patience, async || {
            let pool = store::connect(url, connections, &name).await?;
            store::migrate(&store::connect_lazily(direct, PoolSize(1), &name)?).await?;
            if connections.0 > 1 && inspect::is_lent_by_transaction(&pool).await? {
                return Err(StartError::Pooler);
            }
            can_open(&settings, &pool).await?;
            let media = found_media(&settings, &pool).await?;
            clock.look(&pool).await?;
            Ok((pool, media))
        })
        .await?;
        Self::beside(settings, pool, media, clock)
    }

    /// Returns a process on a database that is up to date.
    pub fn over(settings: Settings, pool: PgPool) -> Result<Self, StartError> {
        let media = MediaStore::open(&settings.media_store_url())?;
        Self::beside(settings, pool, media, DatabaseClock::default())
    }

    /// Returns a process on a database that is up to date and whose clock was read, and on its media store.
    fn beside(
        settings: Settings,
        pool: PgPool,
        media: MediaStore,
        database_clock: DatabaseClock,
    ) -> Result<Self, StartError> {
        let policy = NetworkPolicy::naming(settings.outbound_allow.iter().copied());
        if policy.names_networks() {
            warn_of_networks(&settings);
        }
        let extra_roots = settings.outbound_roots.as_deref().map_or_else(|| Ok(Vec::new()), roots_from_file)?;
        let operator_webhook = OperatorWebhook::of(&settings, &extra_roots)?;
        let outbound = OutboundClient::new(OutboundSettings { policy, extra_roots, ..OutboundSettings::default() })?;
        let providers = settings.providers.as_deref().map_or_else(|| Ok(Providers::default()), Providers::load)?;
        let shutdown = CancellationToken::new();
        let wakes = wakes(&settings, &pool, shutdown.clone())?;
        tokio::spawn(database_clock.clone().follow(pool.clone(), shutdown.clone()));
        let host = host_name();
        let name = format!("{host}-{}-{}", std::process::id(), Ulid::generate());
        Ok(Self {
            settings: Arc::new(settings),
            name: name.into(),
            host: host.into(),
            descriptors_needed: descriptors::of_a_process(pool.options().get_max_connections()),
            own_turns: turns_of(&pool),
            pool,
            media,
            providers,
            outbound,
            operator_webhook,
            wakes,
            signs: Signs::default(),
            database_clock,
            shutdown,
            decoders: Arc::default(),
        })
    }
}

/// Returns wake-ups by the database's notifications; only within this process when the settings turn notifications off.
fn wakes(settings: &Settings, pool: &PgPool, shutdown: CancellationToken) -> sqlx::Result<Wakes> {
    if !settings.database_notify {
        return Ok(Wakes::within_the_process());
    }
    let direct = settings.database_direct_url.as_deref();
    let direct = direct.map(|url| store::connect_lazily(url, PoolSize(1), "mws-wakes")).transpose()?;
    Ok(Wakes::start(direct.as_ref().unwrap_or(pool), shutdown))
}

/// Fails when secrets are sealed under a key that is not in the settings, unless those accept that it is lost.
async fn can_open(settings: &Settings, pool: &PgPool) -> Result<(), StartError> {
    let Some(sealer) = Sealer::of(settings)? else { return Ok(()) };
    let known = sealer.headers();
    let seals = webhook_secrets::by_key(&mut *pool.acquire().await?).await?;
    let count = seals.iter().filter(|seals| !known.contains(&seals.header)).map(|seals| seals.count).sum();
    if count == 0 {
        return Ok(());
    }
    if !settings.accept_lost_secrets {
        return Err(StartError::UnknownSeals { count });
    }
    tracing::error!(
        secrets = count,
        "Signing secrets are sealed under keys that are not configured: they can't be used."
    );
    Ok(())
}

/// Opens the media store. Fails when this process would keep media in another folder than the one that this database's
/// media is in. Whether a bucket is the right one is not looked at: a start does not wait for it.
async fn found_media(settings: &Settings, pool: &PgPool) -> Result<MediaStore, StartError> {
    let media = MediaStore::open(&settings.media_store_url())?;
    let known = media_folder::id(&mut *pool.acquire().await?).await?;
    let expected = match known {
        Some(id) => id,
        None => note_media(&media, pool).await?,
    };
    match media.wrong_folder(expected).await? {
        Some(wrong) => Err(StartError::WrongFolder(wrong)),
        None => Ok(media),
    }
}

/// Notes the id of this database's media, and writes it into the folder. A process that starts at the same moment waits
/// for the end of the transaction, so that whoever knows the id finds the marker.
async fn note_media(media: &MediaStore, pool: &PgPool) -> Result<MediaFolderId, StartError> {
    // A folder keeps the id that it has: an older state of the database may have been restored, which knew none.
    let found = media.folder_id().await?;
    let id = found.unwrap_or_else(MediaFolderId::mint);
    let mut tx = pool.begin().await?;
    let stands = media_folder::note(&mut tx, id).await?;
    if stands == id && found.is_none() {
        media.mark(id).await?;
    }
    tx.commit().await?;
    Ok(stands)
}

fn warn_of_networks(settings: &Settings) {
    let networks: Vec<String> = settings.outbound_allow.iter().map(ToString::to_string).collect();
    tracing::warn!(
        networks = networks.join(","),
        "MWS_OUTBOUND_ALLOW: every account's webhooks and imports may reach any port in these networks, over plain \
         http too, and see the start of what answers there."
    );
}

fn require(name: &'static str, secret: Option<&SecretString>) -> Result<(), StartError> {
    let cure = "separate processes share it, so it can't be made here; `openssl rand -base64 32` makes one";
    secret.map(|_| ()).ok_or(StartError::Missing { name, cure })
}

fn host_name() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname")
        .ok()
        .or_else(|| std::env::var("HOSTNAME").ok())
        .map(|name| name.trim().to_owned())
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| "host".to_owned())
}
