//! The codes of refusals: each with its word, its HTTP status, whether a retry may succeed, its meaning, and the next
//! step that usually helps (contract §7).

use poem::http::StatusCode;

/// A status by its name, or by its number where HTTP has no name for it.
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
    ($($name:ident = $text:literal, $status:ident $(($number:literal))?, $retryable:literal,
        $meaning:literal, $step:literal;)*) => {
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

            /// Its meaning, as the OpenAPI document shows it.
            pub const fn meaning(self) -> &'static str {
                match self {$(Self::$name => $meaning,)*}
            }

            /// The next step that usually helps (contract §7, `error.suggested_action`). A handler that knows a better
            /// one sets it with `ApiError::suggest`.
            pub const fn suggested_action(self) -> &'static str {
                match self {$(Self::$name => $step,)*}
            }
        }
    };
}

codes! {
    InvalidRequest = "invalid_request", BAD_REQUEST, false,
        "A field is missing, unknown or has a wrong value.",
        "Correct what the message names; GET /tools shows what each tool takes.";
    InvalidJson = "invalid_json", BAD_REQUEST, false,
        "The body is not JSON.",
        "Send one JSON object as the body.";
    InvalidCursor = "invalid_cursor", BAD_REQUEST, false,
        "The cursor was not made by this list.",
        "Ask again without a cursor, and pass on the `next_cursor` of the answer unchanged.";
    CodeMalformed = "code_malformed", BAD_REQUEST, false,
        "The text is not a session code.",
        "Ask `get_api_session` for a new code, and redeem that once.";
    Unauthenticated = "unauthenticated", UNAUTHORIZED, false,
        "No valid credential was sent.",
        "Send `Authorization: Bearer <API key>`.";
    CredentialRevoked = "credential_revoked", UNAUTHORIZED, false,
        "The key, or the key behind the session, is revoked.",
        "Use another API key of the account, or create one with POST /keys.";
    TokenExpired = "token_expired", UNAUTHORIZED, false,
        "The token's time is over.",
        "Ask for a new token: `get_api_session` for a script, the issuer for a user.";
    InsufficientMinutes = "insufficient_minutes", PAYMENT_REQUIRED, false,
        "The account has too few cloud minutes left.",
        "Ask for cheaper reads (GET /balances shows rates), or the operator for minutes.";
    InsufficientCredits = "insufficient_credits", PAYMENT_REQUIRED, false,
        "The account has too few AI credits left.",
        "Ask the operator for credits.";
    WorkspaceForbidden = "workspace_forbidden", FORBIDDEN, false,
        "The credential can't reach this workspace.",
        "Name a workspace that GET /workspaces lists in x-workspace-id, or use what is in yours.";
    RoleForbidden = "role_forbidden", FORBIDDEN, false,
        "The caller's role in the workspace does not allow this.",
        "Ask the workspace's owner for the role that the message names.";
    AccountSuspended = "account_suspended", FORBIDDEN, false,
        "The account that pays, or owns the workspace, is suspended.",
        "Ask the operator; what the account has is kept.";
    UserDisabled = "user_disabled", FORBIDDEN, false,
        "The user is disabled, here and everywhere.",
        "Ask the operator.";
    SessionNotAllowed = "session_not_allowed", FORBIDDEN, false,
        "A script session token may not do this.",
        "Use an API key or sign in.";
    KeyWrongWorkspace = "key_wrong_workspace", FORBIDDEN, false,
        "The key is bound to another workspace.",
        "Leave x-workspace-id out, or use a key of that workspace.";
    LinkInvalid = "link_invalid", FORBIDDEN, false,
        "The link was changed, or not made by this service.",
        "Ask for the item again: it comes with a link that works.";
    LinkExpired = "link_expired", FORBIDDEN, false,
        "The link has ended.",
        "Ask for the item again: it comes with a link that works.";
    NotTheAuthor = "not_the_author", FORBIDDEN, false,
        "Somebody else wrote the comment.",
        "Reply to it, resolve it, or delete it.";
    OriginForbidden = "origin_forbidden", FORBIDDEN, false,
        "MCP is not for this Origin, or not by this Host.",
        "Call the URL that the service is known by, not from a web page.";
    RouteNotFound = "route_not_found", NOT_FOUND, false,
        "There is no such route.",
        "GET /api/v1/openapi.json describes every route.";
    ToolNotFound = "tool_not_found", NOT_FOUND, false,
        "There is no such tool.",
        "GET /tools lists them.";
    ItemNotFound = "item_not_found", NOT_FOUND, false,
        "There is no such library item.",
        "`list_items` lists the workspace's items.";
    JobNotFound = "job_not_found", NOT_FOUND, false,
        "There is no such job.",
        "`get_jobs` lists the workspace's jobs.";
    CommentNotFound = "comment_not_found", NOT_FOUND, false,
        "There is no such comment.",
        "`list_comments` lists the comments on an item.";
    PublicLinkNotFound = "public_link_not_found", NOT_FOUND, false,
        "There is no such public link.",
        "`list_public_links` lists the workspace's links.";
    BoardNotFound = "board_not_found", NOT_FOUND, false,
        "There is no such board.",
        "`list_boards` lists the workspace's boards.";
    PostNotFound = "post_not_found", NOT_FOUND, false,
        "There is no such post.",
        "`list_posts` lists the workspace's posts.";
    CalendarEntryNotFound = "calendar_entry_not_found", NOT_FOUND, false,
        "There is no such entry of the calendar.",
        "`list_calendar` lists the workspace's entries.";
    CalendarFeedNotFound = "calendar_feed_not_found", NOT_FOUND, false,
        "There is no such calendar feed.",
        "`list_calendar_feeds` lists the workspace's feeds.";
    SkillNotFound = "skill_not_found", NOT_FOUND, false,
        "There is no such skill.",
        "`list_skills` lists the workspace's skills.";
    TemplateNotFound = "template_not_found", NOT_FOUND, false,
        "There is no such template.",
        "`list_templates` lists the workspace's templates.";
    TimelineNotFound = "timeline_not_found", NOT_FOUND, false,
        "There is no such timeline.",
        "`list_timelines` lists the workspace's timelines.";
    CanvasNotFound = "canvas_not_found", NOT_FOUND, false,
        "There is no such canvas.",
        "`list_canvases` lists the workspace's canvases.";
    DubNotFound = "dub_not_found", NOT_FOUND, false,
        "There is no such dub.",
        "`list_dubs` lists the workspace's dubs.";
    ProjectNotFound = "project_not_found", NOT_FOUND, false,
        "There is no such project.",
        "GET /projects lists the workspace's projects.";
    KeyNotFound = "key_not_found", NOT_FOUND, false,
        "There is no such key.",
        "GET /keys lists the account's keys.";
    WebhookNotFound = "webhook_not_found", NOT_FOUND, false,
        "There is no such webhook endpoint.",
        "GET /webhooks lists the account's endpoints.";
    DeliveryNotFound = "delivery_not_found", NOT_FOUND, false,
        "There is no such delivery.",
        "GET /webhooks/{id}/deliveries lists the endpoint's deliveries.";
    BulkOperationNotFound = "bulk_operation_not_found", NOT_FOUND, false,
        "There is no such bulk operation.",
        "GET /operator/bulk-operations lists them.";
    WebhookSecretNotFound = "webhook_secret_not_found", NOT_FOUND, false,
        "The account has no signing secret.",
        "Create it with POST /webhook-secret.";
    UploadNotFound = "upload_not_found", NOT_FOUND, false,
        "There is no such upload.",
        "Start another upload with POST /uploads.";
    EventNotFound = "event_not_found", NOT_FOUND, false,
        "There is no such event, or it is no longer kept.",
        "GET /events lists the account's events.";
    AccountNotFound = "account_not_found", NOT_FOUND, false,
        "There is no such account; for operators.",
        "GET /operator/accounts lists them.";
    UserNotFound = "user_not_found", NOT_FOUND, false,
        "There is no such user; for operators.",
        "GET /operator/users lists them.";
    WorkspaceNotFound = "workspace_not_found", NOT_FOUND, false,
        "There is no such workspace; for operators.",
        "GET /operator/workspaces lists them.";
    MemberNotFound = "member_not_found", NOT_FOUND, false,
        "The user is no member of the workspace; for operators.",
        "GET /operator/members lists them.";
    ReadNotFound = "read_not_found", NOT_FOUND, false,
        "There is no such read, or none is stored.",
        "Start it with `prepare_media`; `reads` of the item shows what is stored.";
    MethodNotAllowed = "method_not_allowed", METHOD_NOT_ALLOWED, false,
        "The route has other methods; see Allow.",
        "GET /api/v1/openapi.json describes every route.";
    IdempotencyInProgress = "idempotency_in_progress", CONFLICT, true,
        "A call with this Idempotency-Key still runs.",
        "Send the same request again with the same Idempotency-Key.";
    ItemNotReady = "item_not_ready", CONFLICT, true,
        "The item is still processing.",
        "Wait until `get_item` shows the item as `ready`, then call again.";
    ItemLeased = "item_leased", CONFLICT, true,
        "A computer reads the item itself and holds its reads back.",
        "Wait until the lease ends, or end it with DELETE /library/items/{id}/lease.";
    RefTaken = "ref_taken", CONFLICT, false,
        "An item of the workspace has this ref already.",
        "Choose another `ref`, or leave it out: the item is then called by its id.";
    RevisionConflict = "revision_conflict", CONFLICT, false,
        "The document was changed since the revision that `if_revision` names.",
        "Read the document again, and make the change to what it is now.";
    NameTaken = "name_taken", CONFLICT, false,
        "The workspace has one that is called so.",
        "Choose another name, or change the one that has it.";
    LastOwner = "last_owner", CONFLICT, false,
        "The workspace would be left without an owner.",
        "Make somebody else an owner first.";
    NothingToUndo = "nothing_to_undo", CONFLICT, false,
        "Nothing is kept of what the document was before.",
        "Change it to what it should be.";
    UploadIncomplete = "upload_incomplete", CONFLICT, true,
        "The upload's bytes have not all arrived.",
        "Send all bytes to the upload's URL, then complete it.";
    UploadOffsetMismatch = "upload_offset_mismatch", CONFLICT, true,
        "The upload's bytes go on at another place; HEAD tells where.",
        "Ask with HEAD where to go on.";
    KeyLimitReached = "key_limit_reached", CONFLICT, false,
        "The account holds as many keys as it may.",
        "Revoke a key that is no longer needed (DELETE /keys/{keyId}).";
    EndpointLimitReached = "endpoint_limit_reached", CONFLICT, false,
        "The account has as many endpoints as it may.",
        "Remove an endpoint that is no longer needed (DELETE /webhooks/{id}).";
    EndpointDisabled = "endpoint_disabled", CONFLICT, false,
        "The webhook endpoint is disabled.",
        "Enable the endpoint first: PATCH /webhooks/{id} with `enabled: true`.";
    QuotaReached = "quota_reached", CONFLICT, false,
        "There are as many of these as there may be, or they take as much room as they may.",
        "Delete what is no longer needed: items (DELETE /library/items/{id}), projects (DELETE /projects/{id}), comments, links.";
    RotationInProgress = "rotation_in_progress", CONFLICT, false,
        "The secret before the current one still verifies.",
        "Rotate again once the secret before has ended; `previous_expires_at` says when.";
    IllegalTransition = "illegal_transition", CONFLICT, false,
        "The project's status does not allow this.",
        "Read what it is now, and change it from there.";
    SubjectTaken = "subject_taken", CONFLICT, false,
        "Another user has this OAuth subject; for operators.",
        "GET /operator/users finds the user who has the subject.";
    CodeNotRedeemable = "code_not_redeemable", GONE, false,
        "The session code is used, expired or unknown.",
        "Ask `get_api_session` for a new code, and redeem that once.";
    CursorGone = "cursor_gone", GONE, false,
        "The place in the stream is not of this database's past.",
        "Connect without `Last-Event-ID`.";
    TusVersionUnsupported = "tus_version_unsupported", PRECONDITION_FAILED, false,
        "Uploads speak tus 1.0.0.",
        "Send `Tus-Resumable: 1.0.0`.";
    PreconditionFailed = "precondition_failed", PRECONDITION_FAILED, false,
        "The bytes have no tag that If-Match names.",
        "Ask without If-Match, or with the ETag that a HEAD is answered with.";
    RequestTooLarge = "request_too_large", PAYLOAD_TOO_LARGE, false,
        "The body is larger than 1 MiB.",
        "Send less at a time; files go through POST /uploads.";
    FileTooLarge = "file_too_large", PAYLOAD_TOO_LARGE, false,
        "The file is larger than an upload may be.",
        "Send a smaller file, or delete items that are no longer needed.";
    UnsupportedMediaType = "unsupported_media_type", UNSUPPORTED_MEDIA_TYPE, false,
        "The content type is not taken.",
        "Send `application/json`; a file with the type it was announced with.";
    IdempotencyKeyReused = "idempotency_key_reused", UNPROCESSABLE_ENTITY, false,
        "The Idempotency-Key belongs to another request.",
        "Send a new Idempotency-Key for a new request.";
    RangeNotSatisfiable = "range_not_satisfiable", RANGE_NOT_SATISFIABLE, false,
        "There are no such bytes.",
        "Ask for bytes below the number in Content-Range, or for all of them.";
    UrlNotHttps = "url_not_https", UNPROCESSABLE_ENTITY, false,
        "The URL is not https.",
        "Give an https URL.";
    UrlNotPublic = "url_not_public", UNPROCESSABLE_ENTITY, false,
        "The URL leads to an address that is not public.",
        "Give an https URL that anyone can reach.";
    WebhookUrlNotAllowed = "webhook_url_not_allowed", UNPROCESSABLE_ENTITY, false,
        "The project's webhook URL is refused.",
        "Give an https URL that anyone can reach.";
    UrlNotAllowed = "url_not_allowed", UNPROCESSABLE_ENTITY, false,
        "The URL can't be imported from.",
        "Give an https URL that anyone can reach.";
    PullFailed = "pull_failed", UNPROCESSABLE_ENTITY, true,
        "The URL did not answer with a feed or a page.",
        "Open the URL in a browser: give one that shows a feed (RSS, Atom, JSON Feed) or a page.";
    ReadNotApplicable = "read_not_applicable", UNPROCESSABLE_ENTITY, false,
        "The read does not apply to this item.",
        "`get_item` shows what the item is; ask for a read that applies to it.";
    EngineNotConfigured = "engine_not_configured", UNPROCESSABLE_ENTITY, false,
        "No worker here can run this.",
        "Ask the operator for a worker that can run it.";
    ChecksumMismatch = "checksum_mismatch", UNPROCESSABLE_ENTITY, false,
        "The bytes are not those that were declared.",
        "Send the bytes again, or start another upload with their SHA-256.";
    ChunkMismatch = "chunk_mismatch", unnamed(460), true,
        "The bytes of a PATCH are not those of its Upload-Checksum.",
        "Ask with HEAD where to go on.";
    RateLimited = "rate_limited", TOO_MANY_REQUESTS, true,
        "Too many requests; see Retry-After.",
        "Wait as many seconds as Retry-After says, then go on.";
    Internal = "internal", INTERNAL_SERVER_ERROR, true,
        "A fault of the service; the request id finds it in the log.",
        "Try again; if it persists, tell the operator the request id.";
    Unavailable = "unavailable", SERVICE_UNAVAILABLE, true,
        "The service can't answer now; see Retry-After.",
        "Wait as many seconds as Retry-After says, then send the same request again.";
    DatabaseUnavailable = "database_unavailable", SERVICE_UNAVAILABLE, true,
        "The database can't be reached now.",
        "Wait as many seconds as Retry-After says, then send the same request again.";
    ShuttingDown = "shutting_down", SERVICE_UNAVAILABLE, true,
        "This process is stopping; another one answers.",
        "Wait as many seconds as Retry-After says, then send the same request again.";
}
