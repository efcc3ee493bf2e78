"""A class for each code of a refusal. Made by sdk/generate from openapi.json: change those."""

from ._errors import ApiError, AuthenticationError, BadRequestError, ConflictError, ForbiddenError, GoneError, NotFoundError, PaymentRequiredError, ServerError, TooManyRequestsError, UnprocessableError


class InvalidRequestError(BadRequestError):
    """A field is missing, unknown or has a wrong value."""


class InvalidJsonError(BadRequestError):
    """The body is not JSON."""


class InvalidCursorError(BadRequestError):
    """The cursor was not made by this list."""


class CodeMalformedError(BadRequestError):
    """The text is not a session code."""


class UnauthenticatedError(AuthenticationError):
    """No valid credential was sent."""


class CredentialRevokedError(AuthenticationError):
    """The key, or the key behind the session, is revoked."""


class TokenExpiredError(AuthenticationError):
    """The token's time is over."""


class InsufficientMinutesError(PaymentRequiredError):
    """The account has too few cloud minutes left."""


class InsufficientCreditsError(PaymentRequiredError):
    """The account has too few AI credits left."""


class WorkspaceForbiddenError(ForbiddenError):
    """The credential can't reach this workspace."""


class RoleForbiddenError(ForbiddenError):
    """The caller's role in the workspace does not allow this."""


class AccountSuspendedError(ForbiddenError):
    """The account that pays, or owns the workspace, is suspended."""


class UserDisabledError(ForbiddenError):
    """The user is disabled, here and everywhere."""


class SessionNotAllowedError(ForbiddenError):
    """A script session token may not do this."""


class KeyWrongWorkspaceError(ForbiddenError):
    """The key is bound to another workspace."""


class LinkInvalidError(ForbiddenError):
    """The link was changed, or not made by this service."""


class LinkExpiredError(ForbiddenError):
    """The link has ended."""


class NotTheAuthorError(ForbiddenError):
    """Somebody else wrote the comment."""


class OriginForbiddenError(ApiError):
    """A refusal."""


class RouteNotFoundError(ApiError):
    """A refusal."""


class ToolNotFoundError(NotFoundError):
    """There is no such tool."""


class ItemNotFoundError(NotFoundError):
    """There is no such library item."""


class JobNotFoundError(NotFoundError):
    """There is no such job."""


class CommentNotFoundError(NotFoundError):
    """There is no such comment."""


class PublicLinkNotFoundError(NotFoundError):
    """There is no such public link."""


class BoardNotFoundError(NotFoundError):
    """There is no such board."""


class PostNotFoundError(NotFoundError):
    """There is no such post."""


class CalendarEntryNotFoundError(NotFoundError):
    """There is no such entry of the calendar."""


class CalendarFeedNotFoundError(NotFoundError):
    """There is no such calendar feed."""


class SkillNotFoundError(NotFoundError):
    """There is no such skill."""


class TemplateNotFoundError(NotFoundError):
    """There is no such template."""


class TimelineNotFoundError(NotFoundError):
    """There is no such timeline."""


class CanvasNotFoundError(NotFoundError):
    """There is no such canvas."""


class DubNotFoundError(NotFoundError):
    """There is no such dub."""


class ProjectNotFoundError(NotFoundError):
    """There is no such project."""


class KeyNotFoundError(NotFoundError):
    """There is no such key."""


class WebhookNotFoundError(NotFoundError):
    """There is no such webhook endpoint."""


class DeliveryNotFoundError(NotFoundError):
    """There is no such delivery."""


class BulkOperationNotFoundError(NotFoundError):
    """There is no such bulk operation."""


class WebhookSecretNotFoundError(NotFoundError):
    """The account has no signing secret."""


class UploadNotFoundError(NotFoundError):
    """There is no such upload."""


class EventNotFoundError(NotFoundError):
    """There is no such event, or it is no longer kept."""


class AccountNotFoundError(NotFoundError):
    """There is no such account; for operators."""


class UserNotFoundError(NotFoundError):
    """There is no such user; for operators."""


class WorkspaceNotFoundError(NotFoundError):
    """There is no such workspace; for operators."""


class MemberNotFoundError(NotFoundError):
    """The user is no member of the workspace; for operators."""


class ReadNotFoundError(NotFoundError):
    """There is no such read, or none is stored."""


class MethodNotAllowedError(ApiError):
    """A refusal."""


class IdempotencyInProgressError(ConflictError):
    """A call with this Idempotency-Key still runs."""


class ItemNotReadyError(ConflictError):
    """The item is still processing."""


class ItemLeasedError(ConflictError):
    """A computer reads the item itself and holds its reads back."""


class RefTakenError(ConflictError):
    """An item of the workspace has this ref already."""


class RevisionConflictError(ConflictError):
    """The document was changed since the revision that `if_revision` names."""


class NameTakenError(ConflictError):
    """The workspace has one that is called so."""


class LastOwnerError(ConflictError):
    """The workspace would be left without an owner."""


class NothingToUndoError(ConflictError):
    """Nothing is kept of what the document was before."""


class UploadIncompleteError(ConflictError):
    """The upload's bytes have not all arrived."""


class UploadOffsetMismatchError(ConflictError):
    """The upload's bytes go on at another place; HEAD tells where."""


class KeyLimitReachedError(ConflictError):
    """The account holds as many keys as it may."""


class EndpointLimitReachedError(ConflictError):
    """The account has as many endpoints as it may."""


class EndpointDisabledError(ConflictError):
    """The webhook endpoint is disabled."""


class QuotaReachedError(ConflictError):
    """There are as many of these as there may be, or they take as much room as they may."""


class RotationInProgressError(ConflictError):
    """The secret before the current one still verifies."""


class IllegalTransitionError(ConflictError):
    """The project's status does not allow this."""


class SubjectTakenError(ConflictError):
    """Another user has this OAuth subject; for operators."""


class CodeNotRedeemableError(GoneError):
    """The session code is used, expired or unknown."""


class CursorGoneError(GoneError):
    """The place in the stream is not of this database's past."""


class TusVersionUnsupportedError(ApiError):
    """Uploads speak tus 1.0.0."""


class PreconditionFailedError(ApiError):
    """The bytes have no tag that If-Match names."""


class RequestTooLargeError(ApiError):
    """The body is larger than 1 MiB."""


class FileTooLargeError(ApiError):
    """The file is larger than an upload may be."""


class UnsupportedMediaTypeError(ApiError):
    """The content type is not taken."""


class IdempotencyKeyReusedError(UnprocessableError):
    """The Idempotency-Key belongs to another request."""


class RangeNotSatisfiableError(ApiError):
    """There are no such bytes."""


class UrlNotHttpsError(UnprocessableError):
    """The URL is not https."""


class UrlNotPublicError(UnprocessableError):
    """The URL leads to an address that is not public."""


class WebhookUrlNotAllowedError(UnprocessableError):
    """The project's webhook URL is refused."""


class UrlNotAllowedError(UnprocessableError):
    """The URL can't be imported from."""


class PullFailedError(UnprocessableError):
    """The URL did not answer with a feed or a page."""


class ReadNotApplicableError(UnprocessableError):
    """The read does not apply to this item."""


class EngineNotConfiguredError(UnprocessableError):
    """No worker here can run this."""


class ChecksumMismatchError(UnprocessableError):
    """The bytes are not those that were declared."""


class ChunkMismatchError(ApiError):
    """The bytes of a PATCH are not those of its Upload-Checksum."""


class RateLimitedError(TooManyRequestsError):
    """Too many requests; see Retry-After."""


class InternalError(ServerError):
    """A fault of the service; the request id finds it in the log."""


class UnavailableError(ServerError):
    """The service can't answer now; see Retry-After."""


class DatabaseUnavailableError(ServerError):
    """The database can't be reached now."""


class ShuttingDownError(ServerError):
    """This process is stopping; another one answers."""


BY_CODE: dict[str, type[ApiError]] = {
    'invalid_request': InvalidRequestError,
    'invalid_json': InvalidJsonError,
    'invalid_cursor': InvalidCursorError,
    'code_malformed': CodeMalformedError,
    'unauthenticated': UnauthenticatedError,
    'credential_revoked': CredentialRevokedError,
    'token_expired': TokenExpiredError,
    'insufficient_minutes': InsufficientMinutesError,
    'insufficient_credits': InsufficientCreditsError,
    'workspace_forbidden': WorkspaceForbiddenError,
    'role_forbidden': RoleForbiddenError,
    'account_suspended': AccountSuspendedError,
    'user_disabled': UserDisabledError,
    'session_not_allowed': SessionNotAllowedError,
    'key_wrong_workspace': KeyWrongWorkspaceError,
    'link_invalid': LinkInvalidError,
    'link_expired': LinkExpiredError,
    'not_the_author': NotTheAuthorError,
    'origin_forbidden': OriginForbiddenError,
    'route_not_found': RouteNotFoundError,
    'tool_not_found': ToolNotFoundError,
    'item_not_found': ItemNotFoundError,
    'job_not_found': JobNotFoundError,
    'comment_not_found': CommentNotFoundError,
    'public_link_not_found': PublicLinkNotFoundError,
    'board_not_found': BoardNotFoundError,
    'post_not_found': PostNotFoundError,
    'calendar_entry_not_found': CalendarEntryNotFoundError,
    'calendar_feed_not_found': CalendarFeedNotFoundError,
    'skill_not_found': SkillNotFoundError,
    'template_not_found': TemplateNotFoundError,
    'timeline_not_found': TimelineNotFoundError,
    'canvas_not_found': CanvasNotFoundError,
    'dub_not_found': DubNotFoundError,
    'project_not_found': ProjectNotFoundError,
    'key_not_found': KeyNotFoundError,
    'webhook_not_found': WebhookNotFoundError,
    'delivery_not_found': DeliveryNotFoundError,
    'bulk_operation_not_found': BulkOperationNotFoundError,
    'webhook_secret_not_found': WebhookSecretNotFoundError,
    'upload_not_found': UploadNotFoundError,
    'event_not_found': EventNotFoundError,
    'account_not_found': AccountNotFoundError,
    'user_not_found': UserNotFoundError,
    'workspace_not_found': WorkspaceNotFoundError,
    'member_not_found': MemberNotFoundError,
    'read_not_found': ReadNotFoundError,
    'method_not_allowed': MethodNotAllowedError,
    'idempotency_in_progress': IdempotencyInProgressError,
    'item_not_ready': ItemNotReadyError,
    'item_leased': ItemLeasedError,
    'ref_taken': RefTakenError,
    'revision_conflict': RevisionConflictError,
    'name_taken': NameTakenError,
    'last_owner': LastOwnerError,
    'nothing_to_undo': NothingToUndoError,
    'upload_incomplete': UploadIncompleteError,
    'upload_offset_mismatch': UploadOffsetMismatchError,
    'key_limit_reached': KeyLimitReachedError,
    'endpoint_limit_reached': EndpointLimitReachedError,
    'endpoint_disabled': EndpointDisabledError,
    'quota_reached': QuotaReachedError,
    'rotation_in_progress': RotationInProgressError,
    'illegal_transition': IllegalTransitionError,
    'subject_taken': SubjectTakenError,
    'code_not_redeemable': CodeNotRedeemableError,
    'cursor_gone': CursorGoneError,
    'tus_version_unsupported': TusVersionUnsupportedError,
    'precondition_failed': PreconditionFailedError,
    'request_too_large': RequestTooLargeError,
    'file_too_large': FileTooLargeError,
    'unsupported_media_type': UnsupportedMediaTypeError,
    'idempotency_key_reused': IdempotencyKeyReusedError,
    'range_not_satisfiable': RangeNotSatisfiableError,
    'url_not_https': UrlNotHttpsError,
    'url_not_public': UrlNotPublicError,
    'webhook_url_not_allowed': WebhookUrlNotAllowedError,
    'url_not_allowed': UrlNotAllowedError,
    'pull_failed': PullFailedError,
    'read_not_applicable': ReadNotApplicableError,
    'engine_not_configured': EngineNotConfiguredError,
    'checksum_mismatch': ChecksumMismatchError,
    'chunk_mismatch': ChunkMismatchError,
    'rate_limited': RateLimitedError,
    'internal': InternalError,
    'unavailable': UnavailableError,
    'database_unavailable': DatabaseUnavailableError,
    'shutting_down': ShuttingDownError,
}
"""The class of each code that this release knows."""
