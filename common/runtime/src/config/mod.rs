//! The settings that every process reads, from flags and `MWS_*` variables, with their units and defaults.
//!
//! All are in one struct, so that `mws up` and the three separate processes can't disagree; `api` has those that only
//! the api reads, `derived` what follows from settings. Nothing here reads a clock, a file or the database.

mod api;
mod arguments;
mod choices;
mod derived;
pub mod secret_files;

pub use api::{ApiSettings, OAuthSettings, Signup};
pub use arguments::{arguments, matches_of};
pub use choices::{Confinement, LogFormat};

use self::secret_files::SecretFiles;
use choices::event_kind;
use clap::Args;
use domain::job::JobKind;
use domain::minutes::{Minutes, Rates};
use domain::retry::RetrySchedule;
use ipnet::IpNet;
use secrecy::SecretString;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Settings of the whole deployment (`mws up --help`).
#[derive(Debug, Clone, Args)]
pub struct Settings {
    /// Files that hold secrets.
    #[command(flatten)]
    pub secret_files: SecretFiles,

    /// PostgreSQL to use. Unset: `mws up` starts an embedded server in the data folder.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    pub database_url: Option<String>,

    /// The same database, by the same user, without a pooler in between: for migrations and for listening. Unset: as
    /// `DATABASE_URL`.
    #[arg(long, env = "MWS_DATABASE_DIRECT_URL", hide_env_values = true)]
    pub database_direct_url: Option<String>,

    /// Whether processes tell each other by LISTEN and NOTIFY what there is to do. `false`, for databases without
    /// them: work is looked for each second, what others tell each two seconds, and a cancellation each ten.
    #[arg(long, env = "MWS_DATABASE_NOTIFY", default_value_t = true, action = clap::ArgAction::Set)]
    pub database_notify: bool,

    /// Seconds that a start waits for a database that can't be reached, or does not write, before it gives up.
    #[arg(long, env = "MWS_DATABASE_WAIT_SECONDS", default_value_t = 45)]
    pub database_wait_seconds: u64,

    /// Folder of the embedded server, the media and `credentials.json`.
    #[arg(long, env = "MWS_DATA_DIR", default_value = ".mws")]
    pub data_dir: PathBuf,

    /// Where uploaded media is kept: `file:<folder>` or `s3://bucket/prefix`. Unset: `media` in the data folder.
    #[arg(long, env = "MWS_MEDIA_STORE", visible_alias = "media")]
    pub media_store: Option<String>,

    /// 32 bytes in base64 that seal secrets at rest. Made and kept in the data folder by `mws up`.
    #[arg(long, env = "MWS_SECRET_KEY", hide_env_values = true)]
    pub secret_key: Option<SecretString>,

    /// Keys before it (comma-separated), for what is still sealed under them: docs/operations.md says how to change
    /// keys.
    #[arg(long, env = "MWS_SECRET_KEY_OLD", hide_env_values = true, value_delimiter = ',')]
    pub secret_key_old: Vec<SecretString>,

    /// Start although signing secrets are sealed under keys that are lost: their accounts' webhooks fail as
    /// `secret_unavailable` until they make new ones.
    #[arg(long, env = "MWS_ACCEPT_LOST_SECRETS")]
    pub accept_lost_secrets: bool,

    /// Bearer token of the operator routes. Made and kept in the data folder by `mws up`.
    #[arg(long, env = "MWS_OPERATOR_TOKEN", hide_env_values = true)]
    pub operator_token: Option<SecretString>,

    /// Operators with names: `name:role:token`, comma-separated; the role is `metadata`, `read` or `act`. Beside the
    /// single token.
    #[arg(long, env = "MWS_OPERATOR_TOKENS", hide_env_values = true)]
    pub operator_tokens: Option<SecretString>,

    /// Signs webhooks of accounts without a secret of their own. Made and kept in the data folder by `mws up`.
    #[arg(long, env = "MWS_DEFAULT_WEBHOOK_SECRET", hide_env_values = true)]
    pub default_webhook_secret: Option<SecretString>,

    /// URL (`http(s)://…`) that operators are told at before harm is done, as docs/operators.md says. Unset: they are
    /// told nowhere, and look themselves.
    #[arg(long, env = "MWS_OPERATOR_WEBHOOK_URL")]
    pub operator_webhook_url: Option<String>,

    /// Signs what is sent there: at least 16 characters, needed where the URL is set.
    #[arg(long, env = "MWS_OPERATOR_WEBHOOK_SECRET", hide_env_values = true)]
    pub operator_webhook_secret: Option<SecretString>,

    /// Networks (CIDR, comma-separated) that webhooks and imports may reach although private; plain http to these
    /// alone. For closed networks and tests: it opens every port there to every account. Metadata services of clouds
    /// stay shut.
    #[arg(long, env = "MWS_OUTBOUND_ALLOW", value_delimiter = ',')]
    pub outbound_allow: Vec<IpNet>,

    /// PEM file of root certificates that webhooks and imports trust beside the web's, for closed networks.
    #[arg(long, env = "MWS_OUTBOUND_ROOTS")]
    pub outbound_roots: Option<PathBuf>,

    /// Seconds between the attempts of a webhook delivery (comma-separated, at most seven).
    #[arg(long, env = "MWS_WEBHOOK_RETRY_SECONDS", default_value = "60,300,1800,7200,21600,43200,86400")]
    pub webhook_retry_seconds: RetrySchedule,

    /// Whether deliveries carry the Standard Webhooks headers beside ours.
    #[arg(long, env = "MWS_STANDARD_WEBHOOKS")]
    pub standard_webhooks: bool,

    /// Kinds of jobs whose ends are events, told to endpoints and to `GET /events` (comma-separated).
    #[arg(
        long,
        env = "MWS_EVENT_KINDS",
        value_delimiter = ',',
        default_value = "generation,render,dub,transcription,read",
        value_parser = event_kind
    )]
    pub event_kinds: Vec<JobKind>,

    /// Milliseconds a receiver has for its whole answer.
    #[arg(long, env = "MWS_WEBHOOK_TIMEOUT_MS", default_value_t = 10_000)]
    pub webhook_timeout_ms: u64,

    /// Requests a minute an account.
    #[arg(long, env = "MWS_RATE_PER_MINUTE", default_value_t = 600)]
    pub rate_per_minute: u32,

    /// Requests an account may send at once before the rate counts.
    #[arg(long, env = "MWS_RATE_BURST", default_value_t = 60)]
    pub rate_burst: u32,

    /// Cloud minutes granted an account each month, unless the account has an allowance of its own.
    #[arg(long, env = "MWS_MONTHLY_MINUTES", default_value = "1000")]
    pub monthly_minutes: Minutes,

    /// Minutes charged for a minute of media, as `transcript=1,render=0.5`; what is not named keeps its default.
    #[arg(long, env = "MWS_RATES", default_value = "")]
    pub rates: Rates,

    /// Reads a worker process runs at once. Unset: one a core.
    #[arg(long, env = "MWS_WORKER_READS")]
    pub worker_reads: Option<usize>,

    /// Bytes of a worker's `TMPDIR` that jobs may fill with copies of media from a bucket. One account has half of them
    /// at most. Unset: four fifths of what is free there when the process starts.
    #[arg(long, env = "MWS_SCRATCH_BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    pub scratch_bytes: Option<u64>,

    /// Webhook deliveries a worker process sends at once.
    #[arg(long, env = "MWS_WORKER_WEBHOOKS", default_value_t = 256)]
    pub worker_webhooks: usize,

    /// Reads this worker subscribes to, `render` and `generation` (comma-separated). Unset: all that it can run.
    #[arg(long, env = "MWS_READS", value_delimiter = ',')]
    pub reads: Vec<String>,

    /// Transcription server (`http(s)://…`): OpenAI's `/v1/audio/transcriptions`, or a URL that ends with `/inference`
    /// (whisper.cpp) or `/asr` (Whisper ASR Webservice). Unset: `pocketsphinx`.
    #[arg(long, env = "MWS_TRANSCRIBER")]
    pub transcriber: Option<String>,

    /// Model that the transcription server is asked for.
    #[arg(long, env = "MWS_TRANSCRIBER_MODEL", default_value = "whisper-1")]
    pub transcriber_model: String,

    /// Bearer token of the transcription server.
    #[arg(long, env = "MWS_TRANSCRIBER_KEY", hide_env_values = true)]
    pub transcriber_key: Option<SecretString>,

    /// Server (`http(s)://…`) that tells speakers apart, as docs/engines.md says. Unset: the built-in engine.
    #[arg(long, env = "MWS_DIARIZER")]
    pub diarizer: Option<String>,

    /// Bearer token of that server.
    #[arg(long, env = "MWS_DIARIZER_KEY", hide_env_values = true)]
    pub diarizer_key: Option<SecretString>,

    /// File (TOML) that names the models of providers, as docs/generation.md says. Unset: what is built in is all there
    /// is.
    #[arg(long, env = "MWS_PROVIDERS")]
    pub providers: Option<PathBuf>,

    /// Model of kind `chat` in that file which works on projects, as docs/projects.md says. Unset: the planner that is
    /// built in, which needs none.
    #[arg(long, env = "MWS_AGENT")]
    pub agent: Option<String>,

    /// Questions that an account's projects may ask that model within a day, since whoever runs the service pays for
    /// them. Beyond, its projects go on more slowly: as if the day's questions were spread evenly over it.
    #[arg(long, env = "MWS_AGENT_ASKS_A_DAY", default_value_t = 2_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub agent_asks_a_day: u32,

    /// Bytes of one upload.
    #[arg(long, env = "MWS_MAX_UPLOAD_BYTES", default_value_t = 10 << 30)]
    pub max_upload_bytes: u64,

    /// Bytes of media an account may keep.
    #[arg(long, env = "MWS_STORAGE_QUOTA_BYTES", default_value_t = 1 << 40)]
    pub storage_quota_bytes: u64,

    /// Items an account may have, those that were deleted and whose rows are still kept included.
    #[arg(long, env = "MWS_MAX_ITEMS", default_value_t = 200_000)]
    pub max_items: u64,

    /// Projects an account may have.
    #[arg(long, env = "MWS_MAX_PROJECTS", default_value_t = 10_000)]
    pub max_projects: u64,

    /// Bytes of an account's projects, of the log of their webhooks, and of the log of what their agent did.
    #[arg(long, env = "MWS_PROJECT_QUOTA_BYTES", default_value_t = 256 << 20)]
    pub project_quota_bytes: u64,

    /// Bytes of answers to calls with an Idempotency-Key that an account may have kept in a day.
    #[arg(long, env = "MWS_KEPT_ANSWERS_BYTES", default_value_t = 1 << 30)]
    pub kept_answers_bytes: u64,

    /// Seconds of the longest media that is read.
    #[arg(long, env = "MWS_MAX_MEDIA_SECONDS", default_value_t = 86_400)]
    pub max_media_seconds: u64,

    /// Least confinement of the decoders. A worker that can't have it computes no reads and takes no uploads in.
    #[arg(long, env = "MWS_DECODER_CONFINEMENT", default_value = "filtered")]
    pub decoder_confinement: Confinement,

    /// A read's deadline is this many times its media's duration, and 60 s.
    #[arg(long, env = "MWS_READ_TIMEOUT_FACTOR", default_value_t = 2.0)]
    pub read_timeout_factor: f64,

    /// A render's deadline is this many times its media's duration, and 60 s: encoding takes longer than reading.
    #[arg(long, env = "MWS_RENDER_TIMEOUT_FACTOR", default_value_t = 10.0)]
    pub render_timeout_factor: f64,

    /// Processor seconds that decoders and encoders of this machine take for work of a minute at the default rates. At
    /// five times as much and 10 s a job ends as `not_supported`; what it takes beyond three times is not paid for.
    #[arg(long, env = "MWS_PROCESSOR_SECONDS_A_MINUTE", default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub processor_seconds_a_minute: u32,

    /// Processor seconds that an account's jobs may take unpaid within a day: of those that failed, were stopped, or
    /// took far more than usual. Beyond, none are started for a while.
    #[arg(long, env = "MWS_UNPAID_PROCESSOR_SECONDS", default_value_t = 3_600, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub unpaid_processor_seconds: u32,

    /// Days that ended jobs, deliveries, cancelled projects, and the rows of deleted items are kept.
    #[arg(long, env = "MWS_RETENTION_DAYS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub retention_days: u32,

    /// Days that an account's audit log (`GET /audit`) is kept.
    #[arg(long, env = "MWS_AUDIT_DAYS", default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub audit_days: u32,

    /// Seconds that a stopping worker lets running work end before it hands it back.
    #[arg(long, env = "MWS_DRAIN_SECONDS", default_value_t = 20)]
    pub drain_seconds: u64,

    /// Address and port of `/healthz`, `/readyz` and `/metrics`, another for each process of a host. Unset: a worker
    /// and a scheduler don't serve them, and an api serves them on its own port; set, it keeps `/metrics` off that.
    #[arg(long, env = "MWS_HEALTH_LISTEN")]
    pub health_listen: Option<SocketAddr>,

    /// Filter of the log, in the syntax of `tracing`.
    #[arg(long, env = "MWS_LOG", default_value = "info")]
    pub log: String,

    /// How it is logged. Unset: text on a terminal, else JSON.
    #[arg(long, env = "MWS_LOG_FORMAT")]
    pub log_format: Option<LogFormat>,
}
