//! Every refusal of the interface: its code, HTTP status and whether it may be tried again (contract §7).
//!
//! One table makes the tool envelope, the route envelope and the OpenAPI document. Which envelope an answer takes is
//! decided by its path, in `guard` and `outer`, never here or in a handler. A cause that a caller can do nothing about
//! is logged once, where it becomes an [`ApiError`], and never shown.

mod suggestion;

use poem::error::ResponseError;
use poem::http::StatusCode;
use poem_openapi::ApiResponse;
use poem_openapi::registry::{MetaResponses, Registry};
use std::fmt;

/// A status by its name, or one without a name in HTTP by its number.
macro_rules! status {
    (unnamed($number:literal)) => {
        match StatusCode::from_u16($number) {
            Ok(status) => status,
            Err(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    };
    ($name:ident) => {
        StatusCode::$name
    };
}

macro_rules! codes {
    ($($name:ident = $text:literal, $status:ident $(($number:literal))?, $retryable:literal, $meaning:literal;)*) => {
        /// A refusal's code (contract §7, `error.code`).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code {$(
            #[doc = $meaning]
            $name,
        )*}

        impl Code {
            /// Every code there is.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The word in `error.code`.
            pub const fn name(self) -> &'static str {
                match self {$(Self::$name => $text,)*}
            }

            /// The HTTP status it is answered with.
            pub const fn status(self) -> StatusCode {
                match self {$(Self::$name => status!($status $(($number))?),)*}
            }

            /// Whether the same request may succeed later (contract §7, `error.retryable`).
            pub const fn retryable(self) -> bool {
                match self {$(Self::$name => $retryable,)*}
            }

            /// What it means, as the OpenAPI document says it.
            pub const fn meaning(self) -> &'static str {
                match self {$(Self::$name => $meaning,)*}
            }
        }
    };
}

codes! {
    InvalidRequest = "invalid_request", BAD_REQUEST, false, "A field is missing, unknown or has a wrong value.";
    InvalidJson = "invalid_json", BAD_REQUEST, false, "The body is not JSON.";
    InvalidCursor = "invalid_cursor", BAD_REQUEST, false, "The cursor was not made by this list.";
    CodeMalformed = "code_malformed", BAD_REQUEST, false, "The text is not a session code.";
    Unauthenticated = "unauthenticated", UNAUTHORIZED, false, "No valid credential was sent.";
    CredentialRevoked = "credential_revoked", UNAUTHORIZED, false, "The key, or the key behind the session, is revoked.";
    TokenExpired = "token_expired", UNAUTHORIZED, false, "The token's time is over.";
    InsufficientMinutes = "insufficient_minutes", PAYMENT_REQUIRED, false, "The account has too few cloud minutes left.";
    InsufficientCredits = "insufficient_credits", PAYMENT_REQUIRED, false, "The account has too few AI credits left.";
    WorkspaceForbidden = "workspace_forbidden", FORBIDDEN, false, "The credential can't reach this workspace.";
    RoleForbidden = "role_forbidden", FORBIDDEN, false, "The caller's role in the workspace does not allow this.";
    AccountSuspended = "account_suspended", FORBIDDEN, false, "The account that pays, or owns the workspace, is suspended.";
    UserDisabled = "user_disabled", FORBIDDEN, false, "The user is disabled, here and everywhere.";
    SessionNotAllowed = "session_not_allowed", FORBIDDEN, false, "A script session token may not do this.";
    KeyWrongWorkspace = "key_wrong_workspace", FORBIDDEN, false, "The key is bound to another workspace.";
    LinkInvalid = "link_invalid", FORBIDDEN, false, "The link was changed, or not made by this service.";
    LinkExpired = "link_expired", FORBIDDEN, false, "The link has ended.";
    OriginForbidden = "origin_forbidden", FORBIDDEN, false, "MCP is not for this Origin, or not by this Host.";
    RouteNotFound = "route_not_found", NOT_FOUND, false, "There is no such route.";
    ToolNotFound = "tool_not_found", NOT_FOUND, false, "There is no such tool.";
    ItemNotFound = "item_not_found", NOT_FOUND, false, "There is no such library item.";
    JobNotFound = "job_not_found", NOT_FOUND, false, "There is no such job.";
    ProjectNotFound = "project_not_found", NOT_FOUND, false, "There is no such project.";
    KeyNotFound = "key_not_found", NOT_FOUND, false, "There is no such key.";
    WebhookNotFound = "webhook_not_found", NOT_FOUND, false, "There is no such webhook endpoint.";
    DeliveryNotFound = "delivery_not_found", NOT_FOUND, false, "There is no such delivery.";
    WebhookSecretNotFound = "webhook_secret_not_found", NOT_FOUND, false, "The account has no signing secret.";
    UploadNotFound = "upload_not_found", NOT_FOUND, false, "There is no such upload.";
    EventNotFound = "event_not_found", NOT_FOUND, false, "There is no such event, or it is no longer kept.";
    AccountNotFound = "account_not_found", NOT_FOUND, false, "There is no such account; for operators.";
    UserNotFound = "user_not_found", NOT_FOUND, false, "There is no such user; for operators.";
    WorkspaceNotFound = "workspace_not_found", NOT_FOUND, false, "There is no such workspace; for operators.";
    MemberNotFound = "member_not_found", NOT_FOUND, false, "The user is no member of the workspace; for operators.";
    ReadNotFound = "read_not_found", NOT_FOUND, false, "There is no such read, or none is stored.";
    MethodNotAllowed = "method_not_allowed", METHOD_NOT_ALLOWED, false, "The route has other methods; see Allow.";
    IdempotencyInProgress = "idempotency_in_progress", CONFLICT, true, "A call with this Idempotency-Key still runs.";
    ItemNotReady = "item_not_ready", CONFLICT, true, "The item is still processing.";
    ItemLeased = "item_leased", CONFLICT, true, "A computer reads the item itself and holds its reads back.";
    RefTaken = "ref_taken", CONFLICT, false, "An item of the workspace has this ref already.";
    UploadIncomplete = "upload_incomplete", CONFLICT, true, "The upload's bytes have not all arrived.";
    UploadOffsetMismatch = "upload_offset_mismatch", CONFLICT, true,
        "The upload's bytes go on at another place; HEAD tells where.";
    KeyLimitReached = "key_limit_reached", CONFLICT, false, "The account holds as many keys as it may.";
    EndpointLimitReached = "endpoint_limit_reached", CONFLICT, false, "The account has as many endpoints as it may.";
    EndpointDisabled = "endpoint_disabled", CONFLICT, false, "The webhook endpoint is disabled.";
    QuotaReached = "quota_reached", CONFLICT, false, "The account keeps as many items, or as much in projects, as it may.";
    RotationInProgress = "rotation_in_progress", CONFLICT, false, "The secret before the current one still verifies.";
    IllegalTransition = "illegal_transition", CONFLICT, false, "The project's status does not allow this.";
    SubjectTaken = "subject_taken", CONFLICT, false, "Another user has this OAuth subject; for operators.";
    CodeNotRedeemable = "code_not_redeemable", GONE, false, "The session code is used, expired or unknown.";
    CursorGone = "cursor_gone", GONE, false, "The place in the stream is not of this database's past.";
    TusVersionUnsupported = "tus_version_unsupported", PRECONDITION_FAILED, false, "Uploads speak tus 1.0.0.";
    RequestTooLarge = "request_too_large", PAYLOAD_TOO_LARGE, false, "The body is larger than 1 MiB.";
    FileTooLarge = "file_too_large", PAYLOAD_TOO_LARGE, false, "The file is larger than an upload may be.";
    UnsupportedMediaType = "unsupported_media_type", UNSUPPORTED_MEDIA_TYPE, false, "The content type is not taken.";
    IdempotencyKeyReused = "idempotency_key_reused", UNPROCESSABLE_ENTITY, false,
        "The Idempotency-Key belongs to another request.";
    RangeNotSatisfiable = "range_not_satisfiable", RANGE_NOT_SATISFIABLE, false, "There are no such bytes.";
    UrlNotHttps = "url_not_https", UNPROCESSABLE_ENTITY, false, "The URL is not https.";
    UrlNotPublic = "url_not_public", UNPROCESSABLE_ENTITY, false, "The URL leads to an address that is not public.";
    WebhookUrlNotAllowed = "webhook_url_not_allowed", UNPROCESSABLE_ENTITY, false, "The project's webhook URL is refused.";
    UrlNotAllowed = "url_not_allowed", UNPROCESSABLE_ENTITY, false, "The URL can't be imported from.";
    ReadNotApplicable = "read_not_applicable", UNPROCESSABLE_ENTITY, false, "The read does not apply to this item.";
    EngineNotConfigured = "engine_not_configured", UNPROCESSABLE_ENTITY, false, "No worker here can run this.";
    ChecksumMismatch = "checksum_mismatch", UNPROCESSABLE_ENTITY, false, "The bytes are not those that were declared.";
    ChunkMismatch = "chunk_mismatch", unnamed(460), true,
        "The bytes of a PATCH are not those of its Upload-Checksum.";
    RateLimited = "rate_limited", TOO_MANY_REQUESTS, true, "Too many requests; see Retry-After.";
    Internal = "internal", INTERNAL_SERVER_ERROR, true, "A fault of the service; the request id finds it in the log.";
    Unavailable = "unavailable", SERVICE_UNAVAILABLE, true, "The service can't answer now; see Retry-After.";
    DatabaseUnavailable = "database_unavailable", SERVICE_UNAVAILABLE, true, "The database can't be reached now.";
    ShuttingDown = "shutting_down", SERVICE_UNAVAILABLE, true, "This process is stopping; another one answers.";
}

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
    retry_after: Option<u64>,
}

impl ApiError {
    /// A refusal that tells the caller, in words to act on, what went wrong.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self(Box::new(Refusal {
            code,
            message: message.into(),
            suggested_action: None,
            cloud_processing: None,
            retry_after: None,
        }))
    }

    /// A fault of the service. The cause goes to the log, once, here; the caller learns only that there was one.
    pub fn internal(cause: impl fmt::Display) -> Self {
        tracing::error!(error.code = Code::Internal.name(), error = %cause, "A request failed for a fault of the service.");
        Self::new(Code::Internal, "The service failed to answer. Try again, and quote the request id if it persists.")
    }

    /// The next step that works (contract §7, `error.suggested_action`; shown by tools).
    #[must_use]
    pub fn suggest(mut self, action: impl Into<String>) -> Self {
        self.0.suggested_action = Some(action.into());
        self
    }

    /// The minutes behind the refusal, in `CloudProcessing`'s form (contract §7, `error.cloud_processing`; shown by
    /// tools).
    #[must_use]
    pub fn cloud_processing(mut self, cloud_processing: serde_json::Value) -> Self {
        self.0.cloud_processing = Some(cloud_processing);
        self
    }

    /// Seconds until the request may succeed. Every 429 and 503 has some; without this, one second.
    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Self {
        self.0.retry_after = Some(seconds);
        self
    }

    /// Its code.
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// Its words.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The value of `Retry-After`, for a 429, a 503 and whatever names one.
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
            "suggested_action": self.0.suggested_action.as_deref().unwrap_or(suggestion::usual(self.code())),
        });
        if let Some(minutes) = &self.0.cloud_processing {
            error["cloud_processing"] = minutes.clone();
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

/// Says nothing: the document's error answers are added where it is patched, from the codes each operation lists.
impl ApiResponse for ApiError {
    fn meta() -> MetaResponses {
        MetaResponses { responses: Vec::new() }
    }

    fn register(_registry: &mut Registry) {}
}

impl From<sqlx::Error> for ApiError {
    /// The database away, full, too busy or reading only is 503; anything else is a fault of ours.
    fn from(error: sqlx::Error) -> Self {
        if !store::is_away(&error) {
            return Self::internal(error);
        }
        tracing::warn!(error.code = Code::DatabaseUnavailable.name(), error = %error, "The database did not answer.");
        Self::new(Code::DatabaseUnavailable, "The database can't be reached now. Try again shortly.").retry_after(2)
    }
}
