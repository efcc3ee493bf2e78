//! The next step that works after each refusal, where the refusal itself knows no better one (contract §7,
//! `error.suggested_action`).
//!
//! A code that is added does not compile without its step. A handler that knows more says it with `ApiError::suggest`.

use crate::http::error::Code;

/// What usually helps.
#[expect(clippy::too_many_lines, reason = "a line a code")]
pub const fn usual(code: Code) -> &'static str {
    match code {
        Code::InvalidRequest => "Correct what the message names; GET /tools shows what each tool takes.",
        Code::InvalidJson => "Send one JSON object as the body.",
        Code::InvalidCursor => "Ask again without a cursor, and pass on the `next_cursor` of the answer unchanged.",
        Code::CursorGone => "Connect without `Last-Event-ID`.",
        Code::CodeMalformed | Code::CodeNotRedeemable => "Ask `get_api_session` for a new code, and redeem that once.",
        Code::Unauthenticated => "Send `Authorization: Bearer <API key>`.",
        Code::CredentialRevoked => "Use another API key of the account, or create one with POST /keys.",
        Code::TokenExpired => "Ask for a new token: `get_api_session` for a script, the issuer for a user.",
        Code::InsufficientMinutes => "Ask for cheaper reads (GET /balances shows rates), or the operator for minutes.",
        Code::InsufficientCredits => "Ask the operator for credits.",
        Code::WorkspaceForbidden => {
            "Name a workspace that GET /workspaces lists in x-workspace-id, or use what is in yours."
        }
        Code::RoleForbidden => "Ask the workspace's owner for the role that the message names.",
        Code::AccountSuspended => "Ask the operator; what the account has is kept.",
        Code::UserDisabled => "Ask the operator.",
        Code::SessionNotAllowed => "Use an API key or sign in.",
        Code::KeyWrongWorkspace => "Leave x-workspace-id out, or use a key of that workspace.",
        Code::LinkInvalid | Code::LinkExpired => "Ask for the item again: it comes with a link that works.",
        Code::OriginForbidden => "Call the URL that the service is known by, not from a web page.",
        Code::RouteNotFound | Code::MethodNotAllowed => "GET /api/v1/openapi.json describes every route.",
        Code::ToolNotFound => "GET /tools lists them.",
        Code::ItemNotFound => "`list_items` lists the workspace's items.",
        Code::JobNotFound => "`get_jobs` lists the workspace's jobs.",
        Code::ProjectNotFound => "GET /projects lists the workspace's projects.",
        Code::KeyNotFound => "GET /keys lists the account's keys.",
        Code::WebhookNotFound => "GET /webhooks lists the account's endpoints.",
        Code::DeliveryNotFound => "GET /webhooks/{id}/deliveries lists the endpoint's deliveries.",
        Code::WebhookSecretNotFound => "Create it with POST /webhook-secret.",
        Code::UploadNotFound => "Start another upload with POST /uploads.",
        Code::EventNotFound => "GET /events lists the account's events.",
        Code::AccountNotFound => "GET /operator/accounts lists them.",
        Code::UserNotFound => "GET /operator/users lists them.",
        Code::WorkspaceNotFound => "GET /operator/workspaces lists them.",
        Code::MemberNotFound => "GET /operator/members lists them.",
        Code::ReadNotFound => "Start it with `prepare_media`; `reads` of the item shows what is stored.",
        Code::SubjectTaken => "GET /operator/users finds the user who has the subject.",
        Code::IdempotencyInProgress => "Send the same request again with the same Idempotency-Key.",
        Code::IdempotencyKeyReused => "Send a new Idempotency-Key for a new request.",
        Code::ItemNotReady => "Wait until `get_item` shows the item as `ready`, then call again.",
        Code::ItemLeased => "Wait until the lease ends, or end it with DELETE /library/items/{id}/lease.",
        Code::RefTaken => "Choose another `ref`, or leave it out: the item is then called by its id.",
        Code::UploadOffsetMismatch | Code::ChunkMismatch => "Ask with HEAD where to go on.",
        Code::TusVersionUnsupported => "Send `Tus-Resumable: 1.0.0`.",
        Code::UploadIncomplete => "Send all bytes to the upload's URL, then complete it.",
        Code::KeyLimitReached => "Revoke a key that is no longer needed (DELETE /keys/{keyId}).",
        Code::EndpointLimitReached => "Remove an endpoint that is no longer needed (DELETE /webhooks/{id}).",
        Code::QuotaReached => {
            "Delete what is no longer needed: items (DELETE /library/items/{id}), projects (DELETE /projects/{id})."
        }
        Code::EndpointDisabled => "Enable the endpoint first: PATCH /webhooks/{id} with `enabled: true`.",
        Code::RotationInProgress => "Rotate again once the secret before has ended; `previous_expires_at` says when.",
        Code::IllegalTransition => "Read what it is now, and change it from there.",
        Code::RequestTooLarge => "Send less at a time; files go through POST /uploads.",
        Code::FileTooLarge => "Send a smaller file, or delete items that are no longer needed.",
        Code::UnsupportedMediaType => "Send `application/json`; a file with the type it was announced with.",
        Code::RangeNotSatisfiable => "Ask for bytes below the number in Content-Range, or for all of them.",
        Code::UrlNotHttps => "Give an https URL.",
        Code::UrlNotPublic | Code::WebhookUrlNotAllowed | Code::UrlNotAllowed => {
            "Give an https URL that anyone can reach."
        }
        Code::ReadNotApplicable => "`get_item` shows what the item is; ask for a read that applies to it.",
        Code::EngineNotConfigured => "Ask the operator for a worker that can run it.",
        Code::ChecksumMismatch => "Send the bytes again, or start another upload with their SHA-256.",
        Code::RateLimited => "Wait as many seconds as Retry-After says, then go on.",
        Code::Internal => "Try again; if it persists, tell the operator the request id.",
        Code::Unavailable | Code::DatabaseUnavailable | Code::ShuttingDown => {
            "Wait as many seconds as Retry-After says, then send the same request again."
        }
    }
}
