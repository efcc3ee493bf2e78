//! The shared parts of a running process: its settings, its pool, its wake-ups and the signal that ends it.
//!
//! `mws up` passes one `Process` to the api, the worker and the scheduler; run separately, each starts its own. A
//! process has a unique name, host-pid-ulid, by which leases, claims and queue workers are known.

mod database_clock;
mod patience;
mod program;

pub use program::{close_to_others, executor, exit_code, install_crypto};

use crate::config::Settings;
use crate::descriptors;
use crate::measure;
use crate::media::MediaStore;
use crate::operator_webhook::OperatorWebhook;
use crate::outbound::{OutboundClient, OutboundSettings, roots_from_file};
use crate::own_connections::{OwnConnection, OwnTransaction};
use crate::own_turns::{Line, OwnTurn, OwnTurns, TurnError};
use crate::providers::Providers;
use crate::seal::Sealer;
use crate::signs::Signs;
use crate::start_error::StartError;
use crate::wake::Wakes;
use database_clock::{follow_clock, look_at_clock};
use domain::ids::AccountId;
use domain::url_policy::NetworkPolicy;
use domain::verdict::predecessor;
use futures_util::future::BoxFuture;
use patience::in_patience;
use secrecy::SecretString;
use sqlx::pool::PoolConnection;
use sqlx::{PgPool, Postgres, Transaction};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use store::fleet::{self, Member, Service};
use store::{PoolSize, inspect, verdict, webhook_secrets};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use ulid::Ulid;

/// A running process's shared parts. Cheap to clone.
#[derive(Clone)]
pub struct Process {
    /// The settings it was started with.
    pub settings: Arc<Settings>,
    /// host-pid-ulid, a new name at every start.
    pub name: Arc<str>,
    /// The host's name.
    pub host: Arc<str>,
    /// Connections to the database.
    pub pool: PgPool,
    /// How many descriptors this process needs beside its clients' connections (`descriptors`).
    pub descriptors_needed: usize,
    /// The store of uploaded media and large results.
    pub media: MediaStore,
    /// The models of providers that the operator has configured.
    pub providers: Providers,
    /// The only client for customers' URLs.
    pub outbound: OutboundClient,
    /// The operators' own endpoint, if the settings name one.
    pub operator_webhook: Option<OperatorWebhook>,
    /// Notifications to and from other processes.
    pub wakes: Wakes,
    /// Signs of life, for `/readyz`.
    pub signs: Signs,
    /// Turns for transactions and long lists of one account, which have a share of the connections together.
    pub own_turns: OwnTurns,
    /// Cancelled when the process is to end.
    pub shutdown: CancellationToken,
    /// The confinement of this process's decoders, once it has a worker: its name, or `refused`.
    pub decoders: Arc<OnceLock<&'static str>>,
}

impl Process {
    /// Returns a connection of the pool. The time that this takes is measured.
    ///
    /// It is boxed, like [`Process::begin`], because nearly every caller waits for one: the compiler would otherwise
    /// prove for each of them anew that everything a connection waits for is `Send`.
    pub fn conn(&self) -> BoxFuture<'_, sqlx::Result<PoolConnection<Postgres>>> {
        Box::pin(async {
            let asked = Instant::now();
            let conn = self.pool.acquire().await;
            metrics::histogram!("mws_db_pool_wait_seconds").record(asked.elapsed().as_secs_f64());
            conn
        })
    }

    /// Begins a transaction.
    pub fn begin(&self) -> BoxFuture<'_, sqlx::Result<Transaction<'static, Postgres>>> {
        Box::pin(self.pool.begin())
    }

    /// Returns a connection for an account's call that reads much, in one of the account's turns (`own_turns`): sixty
    /// such calls at once would else have all connections. Call it with no other connection in hand.
    pub fn conn_of(&self, account: AccountId) -> BoxFuture<'_, Result<OwnConnection, TurnError>> {
        self.conn_among(account, None)
    }

    /// As [`Process::conn_of`], for a costly call, which waits for one of these few turns as well.
    pub fn conn_among<'a>(
        &'a self,
        account: AccountId,
        few: Option<&'a Line>,
    ) -> BoxFuture<'a, Result<OwnConnection, TurnError>> {
        Box::pin(async move {
            let turn = self.own_turns.list_turn_among(account, few).await?;
            Ok(OwnConnection::new(self.conn().await?, turn))
        })
    }

    /// Returns this connection for a transaction, in one of the account's turns. Where the turn has to be waited for,
    /// the connection goes back meanwhile, and another one is returned: whoever waits for a turn holds none. A
    /// connection that goes back is checked, which a call with no need to wait is spared.
    pub fn in_turn(
        &self,
        conn: PoolConnection<Postgres>,
        account: AccountId,
    ) -> BoxFuture<'_, Result<OwnConnection, TurnError>> {
        Box::pin(async move {
            if let Some(turn) = self.own_turns.turn_now(account) {
                return Ok(OwnConnection::new(conn, turn));
            }
            drop(conn);
            let turn = self.own_turns.turn(account).await?;
            Ok(OwnConnection::new(self.conn().await?, turn))
        })
    }

    /// Begins a transaction of an account's call, in one of the account's turns (`own_turns`). Call it with no
    /// connection in hand.
    pub fn begin_of(&self, account: AccountId) -> BoxFuture<'_, Result<OwnTransaction, TurnError>> {
        self.begin_among(account, None)
    }

    /// As [`Process::begin_of`], for a costly call, which waits for one of these few turns as well.
    pub fn begin_among<'a>(
        &'a self,
        account: AccountId,
        few: Option<&'a Line>,
    ) -> BoxFuture<'a, Result<OwnTransaction, TurnError>> {
        Box::pin(async move { self.begin_in(self.own_turns.turn_among(account, few).await?).await })
    }

    /// As [`Process::begin_among`], for a call that locks what `host` has, which may be another account.
    pub fn begin_at<'a>(
        &'a self,
        account: AccountId,
        host: AccountId,
        few: &'a Line,
    ) -> BoxFuture<'a, Result<OwnTransaction, TurnError>> {
        Box::pin(async move { self.begin_in(self.own_turns.turn_at(account, host, few).await?).await })
    }

    async fn begin_in(&self, turn: OwnTurn) -> Result<OwnTransaction, TurnError> {
        let conn = OwnConnection::new(self.pool.acquire().await?, turn);
        Ok(OwnTransaction::begin(conn).await?)
    }

    /// Returns this process as a member of the fleet that runs `service`.
    pub fn member(&self, service: Service) -> Member<'_> {
        Member { name: &self.name, host: &self.host, service }
    }

    /// Takes this process, which stops normally, out of the fleet. If it was started in the place of one that fell
    /// silent, that one's row says so from here on.
    ///
    /// It leaves also where that can't be told: its own row would tell of it as killed.
    pub async fn leave_fleet(&self) -> sqlx::Result<()> {
        let told = self.tell_predecessor().await;
        fleet::leave(&mut *self.pool.acquire().await?, &self.name).await?;
        told
    }

    async fn tell_predecessor(&self) -> sqlx::Result<()> {
        let mut conn = self.pool.acquire().await?;
        let processes = verdict::fleet(&mut conn).await?;
        match predecessor(&processes, &self.name) {
            Some(silent) => fleet::successor_leaves(&mut conn, silent).await,
            None => Ok(()),
        }
    }

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
        let (name, direct) = (format!("mws-{service}"), settings.direct_url(url));
        let pool = in_patience(patience, async || {
            let pool = store::connect(url, connections, &name).await?;
            store::migrate(&store::connect_lazily(direct, PoolSize(1), &name)?).await?;
            if connections.0 > 1 && inspect::is_lent_by_transaction(&pool).await? {
                return Err(StartError::Pooler);
            }
            can_open(&settings, &pool).await?;
            look_at_clock(&pool).await?;
            Ok(pool)
        })
        .await?;
        Self::over(settings, pool)
    }

    /// Returns a process on a database that is up to date.
    pub fn over(settings: Settings, pool: PgPool) -> Result<Self, StartError> {
        let media = MediaStore::open(&settings.media_store_url())?;
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
        tokio::spawn(follow_clock(pool.clone(), shutdown.clone()));
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
            shutdown,
            decoders: Arc::default(),
        })
    }

    /// Reads the database's clock: new ids follow it, and a metric tells how far this host's is from it. A process does
    /// so when it starts, and each minute.
    pub async fn look_at_clock(&self) -> sqlx::Result<()> {
        look_at_clock(&self.pool).await
    }

    /// Returns this process with its connections to the database open at any time, for one that answers calls.
    #[must_use]
    pub async fn kept_open(self) -> Self {
        Self { pool: store::kept_open(&self.pool).await, ..self }
    }

    /// Returns a part of this process, with its own name, its own connections and turns at those, so that no part can
    /// use up the others'. Connections are opened when they are needed.
    #[must_use]
    pub fn part(&self, name: &str, connections: PoolSize) -> Self {
        let pool = store::apart(&self.pool, connections, &format!("mws-{name}"));
        Self {
            name: format!("{}-{name}", self.name).into(),
            descriptors_needed: self.descriptors_needed + descriptors::of_a_process(connections.0),
            own_turns: turns_of(&pool),
            pool,
            ..self.clone()
        }
    }

    /// Cancels `shutdown` at the first Ctrl-C or SIGTERM.
    pub fn end_on_signals(&self) -> std::io::Result<()> {
        use tokio::signal::unix::{SignalKind, signal};
        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let shutdown = self.shutdown.clone();
        tokio::spawn(async move {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
                () = shutdown.cancelled() => return,
            }
            tracing::info!("Stopping: running work is let end or handed back.");
            shutdown.cancel();
        });
        Ok(())
    }
}

/// Returns the turns of accounts at the connections of this pool.
fn turns_of(pool: &PgPool) -> OwnTurns {
    let options = pool.options();
    OwnTurns::of(options.get_max_connections(), options.get_acquire_timeout())
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
