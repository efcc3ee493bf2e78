// What can go wrong: every error of this library is an MwsError, and each prints as a sentence to act on.

/** Whatever this library throws. */
export class MwsError extends Error {
  constructor(words: string, options?: ErrorOptions) {
    super(words, options);
    this.name = new.target.name;
  }
}

/** No whole answer came: no connection, one that broke, or the deadline was over. Whether the service did what it was
 * asked is not known; a call with an idempotency key can be repeated with the same key. */
export class ConnectionFailed extends MwsError {}

interface Body {
  error?: {
    code?: string;
    message?: string;
    retryable?: boolean;
    suggested_action?: string;
    cloud_processing?: Record<string, unknown>;
  };
}

/** The service refused. There is a subclass for each code, and one for each kind of status above those. */
export class ApiError extends MwsError {
  /** Why, as one of the words that stay stable; one that is newer than this release is there too. */
  readonly code: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** The next step that works, where the service names one. */
  readonly suggestedAction: string | undefined;
  /** What to name when you ask the operators. */
  readonly requestId: string | undefined;
  /** The minutes that are left and held, of calls that cost some. */
  readonly cloudProcessing: Record<string, unknown> | undefined;
  /** Seconds after which the service says to try again. */
  readonly retryAfter: number | undefined;

  constructor(
    /** The HTTP status. */
    readonly status: number,
    /** The whole body. */
    readonly raw: unknown,
    headers: Headers,
  ) {
    const error = (raw as Body | null)?.error ?? {};
    const code = error.code ?? `http_${status}`;
    const requestId = headers.get("x-request-id") ?? undefined;
    const next = error.suggested_action ? ` Next: ${error.suggested_action}` : "";
    const known = requestId ? `, request ${requestId}` : "";
    const words = error.message ?? `The answer has status ${status} and no words.`;
    super(`${words}${next} (${code}, status ${status}${known})`);
    this.code = code;
    this.retryable = error.retryable ?? isPassing(status, code);
    this.suggestedAction = error.suggested_action;
    this.requestId = requestId;
    this.cloudProcessing = error.cloud_processing;
    const after = Number.parseFloat(headers.get("retry-after") ?? "");
    this.retryAfter = Number.isFinite(after) ? Math.max(0, after) : undefined;
  }
}

/** 400: the request is not well formed. */
export class BadRequestError extends ApiError {}
/** 401: the credential is missing, wrong or over. */
export class AuthenticationError extends ApiError {}
/** 402: minutes or credits are missing. */
export class PaymentRequiredError extends ApiError {}
/** 403: the credential may not do this. */
export class ForbiddenError extends ApiError {}
/** 404: what is named is not there. */
export class NotFoundError extends ApiError {}
/** 409: not in the state that something is in. */
export class ConflictError extends ApiError {}
/** 410: it was there, and is over. */
export class GoneError extends ApiError {}
/** 422: a rule refuses it. */
export class UnprocessableError extends ApiError {}
/** 429: later. */
export class TooManyRequestsError extends ApiError {}
/** 5xx: the service could not, for now. */
export class ServerError extends ApiError {}

/** Waiting for jobs ended before they did. Nothing is lost: the jobs go on, and `jobs.wait(error.jobIds)` goes on
 * waiting for them, in another process too. */
export class WaitInterrupted<Job = unknown> extends MwsError {
  constructor(
    words: string,
    /** The jobs that were waited for. */
    readonly jobIds: string[],
    /** How they stood when they were last seen. */
    readonly jobs: Job[],
    options?: ErrorOptions,
  ) {
    super(words, options);
  }
}

/** The time that was given to wait is over, and the jobs go on. */
export class WaitTimeout<Job = unknown> extends WaitInterrupted<Job> {}

/** Bytes could not be sent to their end. `upload(source, { resume: error.upload })` goes on where they were. */
export class UploadInterrupted<Upload = unknown> extends MwsError {
  constructor(
    words: string,
    /** The upload: plain JSON, which `resume` takes in another process too. */
    readonly upload: Upload,
    /** How many bytes the service has for certain. */
    readonly acknowledged: number,
    options?: ErrorOptions,
  ) {
    super(words, options);
  }
}

/** A webhook is not one of the service's, or is too old: answer it 400 and do nothing. */
export class SignatureError extends MwsError {}

/** Whether the same request may succeed later. */
export function isPassing(status: number, code: string): boolean {
  return status === 408 || status === 429 || status >= 500 || code === "idempotency_in_progress";
}
