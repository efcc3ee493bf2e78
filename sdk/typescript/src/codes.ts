// A class for each code of a refusal. Made by sdk/generate from openapi.json: change those.

import { ApiError, AuthenticationError, BadRequestError, ConflictError, ForbiddenError, GoneError, NotFoundError, PaymentRequiredError, ServerError, TooManyRequestsError, UnprocessableError } from "./errors.js";

/** A field is missing, unknown or has a wrong value. */
export class InvalidRequestError extends BadRequestError {}

/** The body is not JSON. */
export class InvalidJsonError extends BadRequestError {}

/** The cursor was not made by this list. */
export class InvalidCursorError extends BadRequestError {}

/** The text is not a session code. */
export class CodeMalformedError extends BadRequestError {}

/** No valid credential was sent. */
export class UnauthenticatedError extends AuthenticationError {}

/** The key, or the key behind the session, is revoked. */
export class CredentialRevokedError extends AuthenticationError {}

/** The token's time is over. */
export class TokenExpiredError extends AuthenticationError {}

/** The account has too few cloud minutes left. */
export class InsufficientMinutesError extends PaymentRequiredError {}

/** The account has too few AI credits left. */
export class InsufficientCreditsError extends PaymentRequiredError {}

/** The credential can't reach this workspace. */
export class WorkspaceForbiddenError extends ForbiddenError {}

/** The caller's role in the workspace does not allow this. */
export class RoleForbiddenError extends ForbiddenError {}

/** The account that pays, or owns the workspace, is suspended. */
export class AccountSuspendedError extends ForbiddenError {}

/** The user is disabled, here and everywhere. */
export class UserDisabledError extends ForbiddenError {}

/** A script session token may not do this. */
export class SessionNotAllowedError extends ForbiddenError {}

/** The key is bound to another workspace. */
export class KeyWrongWorkspaceError extends ForbiddenError {}

/** The link was changed, or not made by this service. */
export class LinkInvalidError extends ForbiddenError {}

/** The link has ended. */
export class LinkExpiredError extends ForbiddenError {}

/** Somebody else wrote the comment. */
export class NotTheAuthorError extends ForbiddenError {}

/** A refusal. */
export class OriginForbiddenError extends ApiError {}

/** A refusal. */
export class RouteNotFoundError extends ApiError {}

/** There is no such tool. */
export class ToolNotFoundError extends NotFoundError {}

/** There is no such library item. */
export class ItemNotFoundError extends NotFoundError {}

/** There is no such job. */
export class JobNotFoundError extends NotFoundError {}

/** There is no such comment. */
export class CommentNotFoundError extends NotFoundError {}

/** There is no such public link. */
export class PublicLinkNotFoundError extends NotFoundError {}

/** There is no such board. */
export class BoardNotFoundError extends NotFoundError {}

/** There is no such post. */
export class PostNotFoundError extends NotFoundError {}

/** There is no such entry of the calendar. */
export class CalendarEntryNotFoundError extends NotFoundError {}

/** There is no such calendar feed. */
export class CalendarFeedNotFoundError extends NotFoundError {}

/** There is no such skill. */
export class SkillNotFoundError extends NotFoundError {}

/** There is no such template. */
export class TemplateNotFoundError extends NotFoundError {}

/** There is no such timeline. */
export class TimelineNotFoundError extends NotFoundError {}

/** There is no such canvas. */
export class CanvasNotFoundError extends NotFoundError {}

/** There is no such dub. */
export class DubNotFoundError extends NotFoundError {}

/** There is no such project. */
export class ProjectNotFoundError extends NotFoundError {}

/** There is no such key. */
export class KeyNotFoundError extends NotFoundError {}

/** There is no such webhook endpoint. */
export class WebhookNotFoundError extends NotFoundError {}

/** There is no such delivery. */
export class DeliveryNotFoundError extends NotFoundError {}

/** There is no such bulk operation. */
export class BulkOperationNotFoundError extends NotFoundError {}

/** The account has no signing secret. */
export class WebhookSecretNotFoundError extends NotFoundError {}

/** There is no such upload. */
export class UploadNotFoundError extends NotFoundError {}

/** There is no such event, or it is no longer kept. */
export class EventNotFoundError extends NotFoundError {}

/** There is no such account; for operators. */
export class AccountNotFoundError extends NotFoundError {}

/** There is no such user; for operators. */
export class UserNotFoundError extends NotFoundError {}

/** There is no such workspace; for operators. */
export class WorkspaceNotFoundError extends NotFoundError {}

/** The user is no member of the workspace; for operators. */
export class MemberNotFoundError extends NotFoundError {}

/** There is no such read, or none is stored. */
export class ReadNotFoundError extends NotFoundError {}

/** A refusal. */
export class MethodNotAllowedError extends ApiError {}

/** A call with this Idempotency-Key still runs. */
export class IdempotencyInProgressError extends ConflictError {}

/** The item is still processing. */
export class ItemNotReadyError extends ConflictError {}

/** A computer reads the item itself and holds its reads back. */
export class ItemLeasedError extends ConflictError {}

/** An item of the workspace has this ref already. */
export class RefTakenError extends ConflictError {}

/** The document was changed since the revision that `if_revision` names. */
export class RevisionConflictError extends ConflictError {}

/** The workspace has one that is called so. */
export class NameTakenError extends ConflictError {}

/** The workspace would be left without an owner. */
export class LastOwnerError extends ConflictError {}

/** Nothing is kept of what the document was before. */
export class NothingToUndoError extends ConflictError {}

/** The upload's bytes have not all arrived. */
export class UploadIncompleteError extends ConflictError {}

/** The upload's bytes go on at another place; HEAD tells where. */
export class UploadOffsetMismatchError extends ConflictError {}

/** The account holds as many keys as it may. */
export class KeyLimitReachedError extends ConflictError {}

/** The account has as many endpoints as it may. */
export class EndpointLimitReachedError extends ConflictError {}

/** The webhook endpoint is disabled. */
export class EndpointDisabledError extends ConflictError {}

/** There are as many of these as there may be, or they take as much room as they may. */
export class QuotaReachedError extends ConflictError {}

/** The secret before the current one still verifies. */
export class RotationInProgressError extends ConflictError {}

/** The project's status does not allow this. */
export class IllegalTransitionError extends ConflictError {}

/** Another user has this OAuth subject; for operators. */
export class SubjectTakenError extends ConflictError {}

/** The session code is used, expired or unknown. */
export class CodeNotRedeemableError extends GoneError {}

/** The place in the stream is not of this database's past. */
export class CursorGoneError extends GoneError {}

/** Uploads speak tus 1.0.0. */
export class TusVersionUnsupportedError extends ApiError {}

/** The bytes have no tag that If-Match names. */
export class PreconditionFailedError extends ApiError {}

/** The body is larger than 1 MiB. */
export class RequestTooLargeError extends ApiError {}

/** The file is larger than an upload may be. */
export class FileTooLargeError extends ApiError {}

/** The content type is not taken. */
export class UnsupportedMediaTypeError extends ApiError {}

/** The Idempotency-Key belongs to another request. */
export class IdempotencyKeyReusedError extends UnprocessableError {}

/** There are no such bytes. */
export class RangeNotSatisfiableError extends ApiError {}

/** The URL is not https. */
export class UrlNotHttpsError extends UnprocessableError {}

/** The URL leads to an address that is not public. */
export class UrlNotPublicError extends UnprocessableError {}

/** The project's webhook URL is refused. */
export class WebhookUrlNotAllowedError extends UnprocessableError {}

/** The URL can't be imported from. */
export class UrlNotAllowedError extends UnprocessableError {}

/** The URL did not answer with a feed or a page. */
export class PullFailedError extends UnprocessableError {}

/** The read does not apply to this item. */
export class ReadNotApplicableError extends UnprocessableError {}

/** No worker here can run this. */
export class EngineNotConfiguredError extends UnprocessableError {}

/** The bytes are not those that were declared. */
export class ChecksumMismatchError extends UnprocessableError {}

/** The bytes of a PATCH are not those of its Upload-Checksum. */
export class ChunkMismatchError extends ApiError {}

/** Too many requests; see Retry-After. */
export class RateLimitedError extends TooManyRequestsError {}

/** A fault of the service; the request id finds it in the log. */
export class InternalError extends ServerError {}

/** The service can't answer now; see Retry-After. */
export class UnavailableError extends ServerError {}

/** The database can't be reached now. */
export class DatabaseUnavailableError extends ServerError {}

/** This process is stopping; another one answers. */
export class ShuttingDownError extends ServerError {}

/** The class of each code that this release knows. */
export const BY_CODE: Record<string, typeof ApiError> = {
  invalid_request: InvalidRequestError,
  invalid_json: InvalidJsonError,
  invalid_cursor: InvalidCursorError,
  code_malformed: CodeMalformedError,
  unauthenticated: UnauthenticatedError,
  credential_revoked: CredentialRevokedError,
  token_expired: TokenExpiredError,
  insufficient_minutes: InsufficientMinutesError,
  insufficient_credits: InsufficientCreditsError,
  workspace_forbidden: WorkspaceForbiddenError,
  role_forbidden: RoleForbiddenError,
  account_suspended: AccountSuspendedError,
  user_disabled: UserDisabledError,
  session_not_allowed: SessionNotAllowedError,
  key_wrong_workspace: KeyWrongWorkspaceError,
  link_invalid: LinkInvalidError,
  link_expired: LinkExpiredError,
  not_the_author: NotTheAuthorError,
  origin_forbidden: OriginForbiddenError,
  route_not_found: RouteNotFoundError,
  tool_not_found: ToolNotFoundError,
  item_not_found: ItemNotFoundError,
  job_not_found: JobNotFoundError,
  comment_not_found: CommentNotFoundError,
  public_link_not_found: PublicLinkNotFoundError,
  board_not_found: BoardNotFoundError,
  post_not_found: PostNotFoundError,
  calendar_entry_not_found: CalendarEntryNotFoundError,
  calendar_feed_not_found: CalendarFeedNotFoundError,
  skill_not_found: SkillNotFoundError,
  template_not_found: TemplateNotFoundError,
  timeline_not_found: TimelineNotFoundError,
  canvas_not_found: CanvasNotFoundError,
  dub_not_found: DubNotFoundError,
  project_not_found: ProjectNotFoundError,
  key_not_found: KeyNotFoundError,
  webhook_not_found: WebhookNotFoundError,
  delivery_not_found: DeliveryNotFoundError,
  bulk_operation_not_found: BulkOperationNotFoundError,
  webhook_secret_not_found: WebhookSecretNotFoundError,
  upload_not_found: UploadNotFoundError,
  event_not_found: EventNotFoundError,
  account_not_found: AccountNotFoundError,
  user_not_found: UserNotFoundError,
  workspace_not_found: WorkspaceNotFoundError,
  member_not_found: MemberNotFoundError,
  read_not_found: ReadNotFoundError,
  method_not_allowed: MethodNotAllowedError,
  idempotency_in_progress: IdempotencyInProgressError,
  item_not_ready: ItemNotReadyError,
  item_leased: ItemLeasedError,
  ref_taken: RefTakenError,
  revision_conflict: RevisionConflictError,
  name_taken: NameTakenError,
  last_owner: LastOwnerError,
  nothing_to_undo: NothingToUndoError,
  upload_incomplete: UploadIncompleteError,
  upload_offset_mismatch: UploadOffsetMismatchError,
  key_limit_reached: KeyLimitReachedError,
  endpoint_limit_reached: EndpointLimitReachedError,
  endpoint_disabled: EndpointDisabledError,
  quota_reached: QuotaReachedError,
  rotation_in_progress: RotationInProgressError,
  illegal_transition: IllegalTransitionError,
  subject_taken: SubjectTakenError,
  code_not_redeemable: CodeNotRedeemableError,
  cursor_gone: CursorGoneError,
  tus_version_unsupported: TusVersionUnsupportedError,
  precondition_failed: PreconditionFailedError,
  request_too_large: RequestTooLargeError,
  file_too_large: FileTooLargeError,
  unsupported_media_type: UnsupportedMediaTypeError,
  idempotency_key_reused: IdempotencyKeyReusedError,
  range_not_satisfiable: RangeNotSatisfiableError,
  url_not_https: UrlNotHttpsError,
  url_not_public: UrlNotPublicError,
  webhook_url_not_allowed: WebhookUrlNotAllowedError,
  url_not_allowed: UrlNotAllowedError,
  pull_failed: PullFailedError,
  read_not_applicable: ReadNotApplicableError,
  engine_not_configured: EngineNotConfiguredError,
  checksum_mismatch: ChecksumMismatchError,
  chunk_mismatch: ChunkMismatchError,
  rate_limited: RateLimitedError,
  internal: InternalError,
  unavailable: UnavailableError,
  database_unavailable: DatabaseUnavailableError,
  shutting_down: ShuttingDownError,
};
