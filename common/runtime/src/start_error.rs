//! Why a process can't start, and whether another try may succeed.

use crate::media::{MediaError, WrongFolder};
use crate::operator_webhook::OperatorWebhookError;
use crate::outbound::OutboundError;
use crate::providers::ProvidersError;
use crate::seal::SealError;
use sqlx::migrate::MigrateError;

/// Why a process can't start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A setting that this process needs is not set.
    #[error("{name} is not set: {cure}")]
    Missing {
        /// The variable's name.
        name: &'static str,
        /// What to do about it.
        cure: &'static str,
    },
    /// The database can't be reached.
    #[error("the database can't be reached: {0}")]
    Database(sqlx::Error),
    /// The database can't be brought up to date.
    #[error("the database can't be brought up to date: {0}")]
    Migrate(MigrateError),
    /// A pooler is between this process and the database, and changes its connection between two transactions.
    #[error(
        "the pooler before the database lends a connection for one transaction, and this service needs it for a session: \
         set the pooler to session mode, or name the database itself in DATABASE_URL"
    )]
    Pooler,
    /// The media store can't be used.
    #[error(transparent)]
    Media(#[from] MediaError),
    /// The media folder is not the one that the database's media is in.
    #[error("{}; {}", .0, .0.cure())]
    WrongFolder(WrongFolder),
    /// A key that seals secrets is malformed.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// Secrets are sealed under keys that this process was not given.
    #[error(
        "signing secrets that are sealed under a key which is not configured, and could not be used: {count}. Add that \
         key to MWS_SECRET_KEY_OLD. If it is lost for good, set MWS_ACCEPT_LOST_SECRETS=true: the webhooks of these accounts then \
         fail as secret_unavailable until their owners make new secrets"
    )]
    UnknownSeals {
        /// How many secrets.
        count: i64,
    },
    /// The file of providers has a mistake.
    #[error(transparent)]
    Providers(#[from] ProvidersError),
    /// The outbound client can't be set up.
    #[error(transparent)]
    Outbound(#[from] OutboundError),
    /// The operators' endpoint is set wrongly.
    #[error(transparent)]
    OperatorWebhook(#[from] OperatorWebhookError),
}

impl From<sqlx::Error> for StartError {
    fn from(error: sqlx::Error) -> Self {
        if store::is_lent_by_transaction(&error) { Self::Pooler } else { Self::Database(error) }
    }
}

impl From<MigrateError> for StartError {
    fn from(error: MigrateError) -> Self {
        match &error {
            MigrateError::Execute(inner) | MigrateError::ExecuteMigration(inner, _)
                if store::is_lent_by_transaction(inner) =>
            {
                Self::Pooler
            }
            _ => Self::Migrate(error),
        }
    }
}

impl StartError {
    /// Whether another try may succeed.
    pub(crate) fn may_pass(&self) -> bool {
        match self {
            Self::Database(error)
            | Self::Migrate(MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _)) => {
                store::is_away(error)
            }
            _ => false,
        }
    }
}
