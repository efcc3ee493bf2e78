//! The state that all requests share: the process, the settings and the URLs that the service is known by.
//!
//! One value, made at start, cheap to clone. It holds no state of a request: that is `scope`.

pub mod beside;
pub mod doors;
pub mod downloads;
pub mod fair_turns;
pub mod guesses;
pub mod late_answers;
pub mod link_pages;
pub mod links;
pub mod operations;
pub mod permits;
pub mod runs;
pub mod shared_look;
pub mod turns;
pub mod upload_memory;

use crate::contract::Contract;
use crate::http::API_PATH;
use crate::http::answers::Answers;
use crate::http::body::BodyMemory;
use crate::http::rate::{Blocked, First};
use crate::http::shares::Shares;
use crate::http::thread_time::ThreadTime;
use crate::oauth::{Issuer, OAuthError};
use domain::ids::AccountId;
use domain::link::LinkKeys;
use domain::operator::{OperatorError, Operators};
use futures_util::future::BoxFuture;
use runtime::chat::{AgentError, ChatClient};
use runtime::config::ApiSettings;
use runtime::own_turns::OwnTurns;
use runtime::process::Process;
use runtime::seal::{SealError, Sealer};
use runtime::start_error::StartError;
use secrecy::ExposeSecret;
use sqlx::pool::PoolConnection;
use sqlx::{PgPool, Postgres};
use std::net::IpAddr;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;
use store::PoolSize;
use store::deliveries::DeliveryFailureGroup;
use store::jobs::FailureGroup;
use store::verdict::HourRow;

use doors::Door;
use downloads::Downloads;
use guesses::Guesses;
use late_answers::LateAnswers;
use link_pages::LinkPages;
use links::Links;
use operations::OperationsHandle;
use permits::Permits;
use runs::Runs;
use shared_look::SharedLook;
use turns::WorkTurns;
use upload_memory::UploadMemory;

/// Connections for operators' pages.
const PAGES_CONNECTIONS: PoolSize = PoolSize(3);
/// Seconds for which the overview's hours are shown. They are of a day, and a tab looks every five seconds.
const HOURS_SHOWN_FOR: i64 = 10;
/// The same of what failed, which has to be on the page soon after somebody has sent it again.
const FAILURES_SHOWN_FOR: i64 = 2;
/// The patience of pulls. [`OwnTurns`] lets a pull wait three times as long for one of its account's turns, and then as
/// long again for one of those that all accounts share: 30 s each. The pulls before it end within 20 s each.
const PULL_PATIENCE: Duration = Duration::from_secs(10);

/// The state that handlers share.
#[derive(Clone)]
pub struct App {
    state: Arc<AppState>,
    /// Which routes the port that a request came by serves.
    pub door: Door,
}

/// The shared state, which [`App`] derefs to.
pub struct AppState {
    /// Settings, pool, media store, wake-ups and the shutdown signal.
    pub process: Process,
    /// Settings of the api alone.
    pub api: ApiSettings,
    /// The URL clients reach the service by, without a path and without a slash at its end.
    pub public_url: String,
    /// `public_url` and the version segment (contract §4, `{base_url}`).
    pub base_url: String,
    /// The operations and what is promised of each.
    pub contract: Arc<Contract>,
    /// Seals signing secrets.
    pub sealer: Sealer,
    /// The operators of the deployment and their tokens.
    pub operators: Operators,
    /// The issuer whose OAuth access tokens are accepted; none when OAuth is not configured.
    pub oauth: Option<Issuer>,
    /// Makes and checks the links to pictures and to media.
    pub links: Links,
    /// Credentials over the rate limit, so that a flood of requests costs no queries.
    pub blocked: Blocked,
    /// Requests that take access away, which go first.
    pub first: First,
    /// When refusals of requests over the rate limit, and answers to strangers, are sent.
    pub late_answers: LateAnswers,
    /// Wrong credentials, so that guesses cost no queries.
    pub guesses: Guesses,
    /// Room for the bodies that are read before their sender is known.
    pub body_memory: BodyMemory,
    /// Room for the answers that are being sent.
    pub answers: Answers,
    /// Requests under way, by account.
    pub of_account: Shares<AccountId>,
    /// Requests under way that came through a trusted proxy, by address.
    pub of_address: Shares<IpAddr>,
    /// Downloads of media under way, by account and in all.
    pub downloads: Downloads,
    /// How much processor time each account has taken of the threads that answer.
    pub thread_time: ThreadTime<AccountId>,
    /// Turns for what many may ask for without end.
    pub turns: WorkTurns,
    /// The parts of public links' pages that were just shown.
    pub link_pages: LinkPages,
    /// Uploads whose bytes are being sent, by account.
    pub uploads: Shares<AccountId>,
    /// Memory for the bytes of uploads on their way to the media store.
    pub upload_memory: UploadMemory,
    /// Permits to pull posts.
    pub pulls: Permits,
    /// Turns to pull posts.
    pub pull_turns: OwnTurns,
    /// Permits to send many deliveries again.
    pub resends: Permits,
    /// Permits to search.
    pub searches: Permits,
    /// Permits to look through many rows, as a list of items with a filter does.
    pub item_searches: Permits,
    /// Permits to write documents.
    pub document_writes: Permits,
    /// Tells the tasks that work on projects that there is something to do.
    pub runs: Runs,
    /// The endpoint of all operations, for the tools that call another.
    pub operations: OperationsHandle,
    /// The model that works on projects; none where the built-in planner does.
    pub agent: Option<ChatClient>,
    /// Connections for operators' pages, and for routes that show the same. They are few and have a short statement
    /// timeout, so that reading large tables slows nobody else.
    pub pages: PgPool,
    /// The hours of the overview.
    pub hours: SharedLook<Vec<HourRow>>,
    /// What the page of errors shows: the jobs that failed, and the deliveries.
    pub failures: SharedLook<(Vec<FailureGroup>, Vec<DeliveryFailureGroup>)>,
}

/// Why the api can't start.
#[derive(Debug, thiserror::Error)]
pub enum AppError {
    /// A setting is missing.
    #[error(transparent)]
    Setting(#[from] StartError),
    /// The secret keys can't be used.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// The operators' tokens can't be used.
    #[error(transparent)]
    Operators(#[from] OperatorError),
    /// The OAuth settings can't be used.
    #[error(transparent)]
    OAuth(#[from] OAuthError),
    /// The model that is to work on projects can't be asked.
    #[error(transparent)]
    Agent(#[from] AgentError),
}

impl App {
    /// Makes the state.
    ///
    /// # Errors
    /// [`AppError`], each with the setting to change.
    pub fn new(process: Process, api: ApiSettings, contract: Arc<Contract>) -> Result<Self, AppError> {
        let settings = &process.settings;
        let key = settings.secret_key.as_ref().ok_or(StartError::Missing {
            name: "MWS_SECRET_KEY",
            cure: "it seals signing secrets; `openssl rand -base64 32` makes one",
        })?;
        let sealer = Sealer::new(key, &settings.secret_key_old)?;
        let secrets = std::iter::once(key).chain(&settings.secret_key_old);
        let keys = LinkKeys::derived(secrets.map(|secret| secret.expose_secret().trim()));
        let public_url = api.public_url.clone().unwrap_or_else(|| format!("http://{}", api.listen));
        let public_url = public_url.trim_end_matches('/').to_owned();
        let base_url = format!("{public_url}{API_PATH}");
        let operators = Operators::read(settings.operator_token.as_ref(), settings.operator_tokens.as_ref())?;
        let oauth = Issuer::new(&api.oauth)?;
        let links = Links::new(keys, &base_url, api.media_link_seconds);
        let guesses = Guesses::new(api.wrong_credentials_per_minute);
        let downloads = Downloads::new(api.max_account_downloads);
        let agent = ChatClient::configured(settings, &process.providers)?;
        let pages = store::apart_for_pages(&process.pool, PAGES_CONNECTIONS, "mws-console");
        let state = AppState {
            process,
            api,
            public_url,
            base_url,
            contract,
            sealer,
            operators,
            oauth,
            links,
            blocked: Blocked::new(),
            first: First::new(),
            late_answers: LateAnswers::new(),
            guesses,
            body_memory: BodyMemory::new(),
            answers: Answers::new(),
            of_account: Shares::default(),
            of_address: Shares::default(),
            downloads,
            thread_time: ThreadTime::default(),
            turns: WorkTurns::default(),
            link_pages: LinkPages::new(),
            uploads: Shares::default(),
            upload_memory: UploadMemory::default(),
            pulls: Permits::of_pulls(),
            pull_turns: OwnTurns::without_connections(PULL_PATIENCE),
            resends: Permits::of_resends(),
            searches: Permits::of_searches(),
            item_searches: Permits::of_item_searches(),
            document_writes: Permits::of_documents(),
            runs: Runs::default(),
            operations: OperationsHandle::default(),
            agent,
            pages,
            hours: SharedLook::new(HOURS_SHOWN_FOR),
            failures: SharedLook::new(FAILURES_SHOWN_FOR),
        };
        let door = if state.api.operator_listen.is_some() { Door::Customers } else { Door::Everyone };
        Ok(Self { state: Arc::new(state), door })
    }

    /// The same app, on the operators' port.
    #[must_use]
    pub fn for_operators(&self) -> Self {
        Self { state: Arc::clone(&self.state), door: Door::Operators }
    }

    /// Returns a connection of the process's pool.
    pub fn conn(&self) -> BoxFuture<'_, sqlx::Result<PoolConnection<Postgres>>> {
        self.process.conn()
    }
}

impl Deref for App {
    type Target = AppState;
    fn deref(&self) -> &AppState {
        &self.state
    }
}
