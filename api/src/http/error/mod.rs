//! Every refusal of the interface: its code, HTTP status and whether a retry may succeed (contract §7).
//!
//! One table makes the tool envelope, the route envelope and the OpenAPI document. The path decides which envelope an
//! answer takes, in `guard` and `outer`, never here or in a handler. A cause that a caller can't do anything about is
//! logged once, where it becomes an [`ApiError`], and never shown.

mod codes;

pub use codes::Code;

use poem::error::ResponseError;
use poem::http::StatusCode;
use poem_openapi::ApiResponse;
use poem_openapi::registry::{MetaResponses, Registry};
use runtime::media::MediaError;
use runtime::own_turns::TurnError;
use std::fmt;

/// A handler's answer.
pub type Answer<T> = Result<T, ApiError>;

/// A refusal. One pointer wide, since every handler returns it.
#[derive(Debug)]
pub struct ApiError(Box<Refusal>);

#[derive(Debug)]
struct Refusal {
    code: Code,
    message: String,
    suggested_action: Option<String>,
    cloud_processing: Option<serde_json::Value>,
    cost: Option<serde_json::Value>,
    revision: Option<i32>,
    retry_after: Option<u64>,
}

impl ApiError {
    /// A refusal whose message tells the caller what went wrong and what to change.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self(Box::new(Refusal {
            code,
            message: message.into(),
            suggested_action: None,
            cloud_processing: None,
            cost: None,
            revision: None,
            retry_after: None,
        }))
    }

    /// The refusal of something that is in another workspace than the one that the call acts in.
    pub fn elsewhere(noun: &str) -> Self {
        Self::new(Code::WorkspaceForbidden, format!("The {noun} is in another workspace."))
            .suggest("Name its workspace in x-workspace-id, if you can reach it.")
    }

    /// A fault of the service. Its cause is logged once, here; the caller learns only that there was one.
    pub fn internal(cause: impl fmt::Display) -> Self {
        tracing::error!(error.code = Code::Internal.name(), error = %cause, "A request failed for a fault of the service.");
        Self::new(Code::Internal, "The service failed to answer. Try again, and quote the request id if it persists.")
    }

    /// Sets the next step that helps (contract §7, `error.suggested_action`; shown by tools).
    #[must_use]
    pub fn suggest(mut self, action: impl Into<String>) -> Self {
        self.0.suggested_action = Some(action.into());
        self
    }

    /// Adds the account's minutes, in `CloudProcessing`'s form (contract §7, `error.cloud_processing`; shown by tools).
    #[must_use]
    pub fn cloud_processing(mut self, cloud_processing: serde_json::Value) -> Self {
        self.0.cloud_processing = Some(cloud_processing);
        self
    }

    /// Adds the account's AI credits, in the form of `meta.cost`; shown by tools.
    #[must_use]
    pub fn cost(mut self, cost: serde_json::Value) -> Self {
        self.0.cost = Some(cost);
        self
    }

    /// Adds the document's present revision, 0 where there is none (contract §7, `error.revision`; shown by tools).
    #[must_use]
    pub fn revision(mut self, revision: i32) -> Self {
        self.0.revision = Some(revision);
        self
    }

    /// Sets the seconds until a retry may succeed. Every 429 and 503 has them; one second where this is not called.
    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.0.retry_after = Some(seconds);
        self
    }

    /// The refusal of a statement that took a lock of the caller's account or document: where it waited for too long,
    /// other calls of the account hold it, and the database is well.
    pub fn of_own_lock(error: sqlx::Error) -> Self {
        if !store::waited_too_long(&error) {
            return error.into();
        }
        Self::new(Code::RateLimited, "Other changes of the account are under way, and this one waited for them.")
            .retry_after(1)
            .suggest("Wait for the answers of those, then send the same request again.")
    }

    /// Its code.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// Its message.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The next step that helps.
    pub fn suggested_action(&self) -> &str {
        self.0.suggested_action.as_deref().unwrap_or(self.code().suggested_action())
    }

    /// The value of `Retry-After`: of a 429, of a 503, and of any other refusal that sets it.
    pub fn retry_after_seconds(&self) -> Option<u64> {
        let waits = matches!(self.code().status(), StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
        self.0.retry_after.map(|seconds| seconds.max(1)).or(waits.then_some(1))
    }

    /// The tool envelope (contract §7).
    pub fn tool_body(&self) -> serde_json::Value {
        let mut error = serde_json::json!({
            "code": self.code().name(),
            "message": self.0.message,
            "retryable": self.code().retryable(),
            "suggested_action": self.suggested_action(),
        });
        if let Some(minutes) = &self.0.cloud_processing {
            error["cloud_processing"] = minutes.clone();
        }
        if let Some(cost) = &self.0.cost {
            error["cost"] = cost.clone();
        }
        if let Some(revision) = self.0.revision {
            error["revision"] = revision.into();
        }
        serde_json::json!({ "ok": false, "error": error })
    }

    /// The route envelope (contract §7).
    pub fn route_body(&self) -> serde_json::Value {
        serde_json::json!({ "error": {
            "code": self.code().name(),
            "message": self.0.message,
            "status": self.code().status().as_u16(),
        }})
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code().name(), self.0.message)
    }
}

impl std::error::Error for ApiError {}

impl ResponseError for ApiError {
    fn status(&self) -> StatusCode {
        self.code().status()
    }
}

/// Declares nothing: the document's error answers are added when it is patched, from the codes each operation lists.
impl ApiResponse for ApiError {
    fn meta() -> MetaResponses {
        MetaResponses { responses: Vec::new() }
    }

    fn register(_registry: &mut Registry) {}
}

impl From<sqlx::Error> for ApiError {
    fn from(error: sqlx::Error) -> Self {
        Self::from(&error)
    }
}

impl From<&sqlx::Error> for ApiError {
    /// A database that is unreachable, full, too busy or read-only is a 503; anything else is a fault of ours.
    fn from(error: &sqlx::Error) -> Self {
        if !store::is_away(error) {
            return Self::internal(error);
        }
        tracing::warn!(error.code = Code::DatabaseUnavailable.name(), error = %error, "The database did not answer.");
        Self::new(Code::DatabaseUnavailable, "The database can't be reached now. Try again shortly.").retry_after(2)
    }
}

impl From<TurnError> for ApiError {
    /// Where the account's own calls have all of its turns, that is no fault of the service: the database is well, and
    /// nobody else is held up.
    fn from(error: TurnError) -> Self {
        match error {
            TurnError::OwnCalls => Self::new(
                Code::RateLimited,
                "Other calls of the account are under way, and this one waited for them for too long.",
            )
            .retry_after(5)
            .suggest("Wait for the answers of those, then send the same request again."),
            TurnError::Database(error) => error.into(),
        }
    }
}

impl From<MediaError> for ApiError {
    /// A media store that is unreachable or refuses us is a 503; anything else is a fault of ours. Only the caller
    /// knows what a missing object means.
    fn from(error: MediaError) -> Self {
        if !error.is_of_the_store() {
            return Self::internal(error);
        }
        let next = error.cure();
        tracing::error!(error.code = Code::Unavailable.name(), error = %error, next, "The media store did not answer.");
        Self::new(Code::Unavailable, "The media store does not answer. Try again shortly.").retry_after(2)
    }
}
