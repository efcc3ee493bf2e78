//! The shared parts of a running process: its settings, its pool, its wake-ups and the signal that ends it.
//!
//! `mws up` passes one `Process` to the api, the worker and the scheduler; run separately, each starts its own. A
//! process has a unique name, host-pid-ulid, by which leases, claims and queue workers are known.

mod connections;
mod database_clock;
mod patience;
mod program;
mod start;

pub use database_clock::DatabaseClock;
pub use program::{close_to_others, executor, exit_code, install_crypto};

use crate::clock::Clocks;
use crate::config::Settings;
use crate::descriptors;
use crate::media::MediaStore;
use crate::operator_webhook::OperatorWebhook;
use crate::outbound::OutboundClient;
use crate::own_turns::OwnTurns;
use crate::providers::Providers;
use crate::signs::Signs;
use crate::wake::Wakes;
use connections::turns_of;
use domain::verdict::{Clock, predecessor};
use sqlx::{PgConnection, PgPool};
use std::sync::{Arc, OnceLock};
use store::fleet::{self, Member, Service};
use store::{PoolSize, verdict};
use tokio_util::sync::CancellationToken;

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
    /// How far this host's clock is from the database's.
    pub database_clock: DatabaseClock,
    /// Cancelled when the process is to end.
    pub shutdown: CancellationToken,
    /// The confinement of this process's decoders, once it has a worker: its name, or `refused`.
    pub decoders: Arc<OnceLock<&'static str>>,
}

impl Process {
    /// Returns this process as a member of the fleet that runs `service`.
    pub fn member(&self, service: Service) -> Member<'_> {
        Member { name: &self.name, host: &self.host, service, clock_ahead_ms: self.database_clock.ahead_ms() }
    }

    /// Reads this host's clock beside the database's now, for a verdict by the process that runs `service`.
    pub async fn own_clock(&self, conn: &mut PgConnection, service: Service) -> sqlx::Result<Clock> {
        let ahead_ms = Clocks::read(conn).await?.skew_ms();
        Ok(Clock { whose: format!("{} {}", service.name(), self.name), ahead_ms })
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

    /// Reads the database's clock: new ids follow it, and a metric and the process's row tell how far this host's is
    /// from it. A process does so when it starts, and every ten seconds.
    pub async fn look_at_clock(&self) -> sqlx::Result<()> {
        self.database_clock.look(&self.pool).await
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
