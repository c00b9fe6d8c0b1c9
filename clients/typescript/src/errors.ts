/** What can go wrong, with one class for each family of error codes. All are `DocmillError`. Their texts have no secrets. */

import type { ErrorDetail, JobData } from "./types.ts";

/** Anything that this package throws on purpose. */
export class DocmillError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The call makes no sense: for example, no tool converts this file into a PDF. */
export class UsageError extends DocmillError {}

/** There was no answer, after all tries. */
export class NetworkError extends DocmillError {
  /** @internal */
  afterTries(tries: number): NetworkError {
    return new NetworkError(`${this.message}, after ${tries === 1 ? "1 try" : `${tries} tries`}`);
  }
}

/** A downloaded file is not what the job says, after all tries. Nothing was saved. */
export class IntegrityError extends DocmillError {}

/** The request is not a webhook of this secret, or is too old. */
export class WebhookError extends DocmillError {}

/** The job or batch did not end in time. It goes on: wait for `jobId` again, or cancel it. */
export class WaitTimeoutError extends DocmillError {
  readonly jobId: string;

  constructor(jobId: string, seconds: number, what = "job") {
    super(`${what} ${jobId} has not ended within ${seconds} s`);
    this.jobId = jobId;
  }
}

/** The job has no result. `job` is the job as it ended. */
export class JobError extends DocmillError {
  readonly job: JobData;
  readonly jobId: string;
  readonly requestId: string;

  constructor(message: string, job: JobData, requestId: string) {
    super(`${message} (job ${job.id}, request ${requestId})`);
    this.job = job;
    this.jobId = job.id;
    this.requestId = requestId;
  }
}

/** The job failed. `code` says why; `retryable`, whether the same job may succeed later. */
export class JobFailedError extends JobError {
  readonly code: string;
  readonly reason: string;
  readonly retryable: boolean;

  constructor(job: JobData, requestId: string) {
    const { code = "unknown", message = "The job failed.", retryable = false } = job.error ?? {};
    super(`${code}: ${message}`, job, requestId);
    this.code = code;
    this.reason = message;
    this.retryable = retryable;
  }
}

/** The job was canceled. */
export class JobCanceledError extends JobError {
  constructor(job: JobData, requestId: string) {
    super("job_canceled: The job was canceled.", job, requestId);
  }
}

/** What an error response says. */
export interface ApiFault {
  status: number;
  requestId: string;
  /** Seconds after which the request may succeed. */
  retryAfter: number | undefined;
  error: { code?: string; message?: string; details?: ErrorDetail[]; required?: number; available?: number };
}

/** The API refused a request. Decide by `code`, or by the class if you don't know the code. */
export class ApiError extends DocmillError {
  readonly status: number;
  readonly code: string;
  /** What to do. */
  readonly reason: string;
  /** Every invalid value, with a JSON Pointer into the body. */
  readonly details: ErrorDetail[];
  readonly requestId: string;
  /** Seconds after which the request may succeed. */
  readonly retryAfter: number | undefined;

  constructor({ status, requestId, retryAfter, error }: ApiFault) {
    const { code = `http_${status}`, message = `HTTP status ${status}`, details = [] } = error;
    const sentences = [`${code}: ${message}`, ...details.map((detail) => `${detail.path} ${detail.message}`)];
    super(sentences.join("; ") + (requestId && ` (request ${requestId})`));
    this.status = status;
    this.code = code;
    this.reason = message;
    this.details = details;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}

/** 400, 405, 413, 415: the request can't be read. */
export class InvalidRequestError extends ApiError {}

/** 401: the API key is missing, unknown or revoked. */
export class AuthenticationError extends ApiError {}

/** 402: the tools cost more credits (`required`) than are left (`available`). */
export class InsufficientCreditsError extends ApiError {
  readonly required: number | undefined;
  readonly available: number | undefined;

  constructor(fault: ApiFault) {
    super(fault);
    this.required = fault.error.required;
    this.available = fault.error.available;
  }
}

/** 403: the key, the plan or the account may not do this. */
export class PermissionDeniedError extends ApiError {}

/** 404: there is no such job, tool, event, … */
export class NotFoundError extends ApiError {}

/** 409: the state of what is named does not allow this. */
export class ConflictError extends ApiError {}

/** 410: the result has expired or was deleted. */
export class GoneError extends ApiError {}

/** 422: the request does not match the schema: see `details`. */
export class ValidationError extends ApiError {}

/** 429: too many requests: see `retryAfter`. */
export class RateLimitError extends ApiError {}

/** 5xx: an error on the side of the service, after all tries. */
export class ServerError extends ApiError {}

const FAMILIES: Record<number, new (fault: ApiFault) => ApiError> = {
  400: InvalidRequestError,
  401: AuthenticationError,
  402: InsufficientCreditsError,
  403: PermissionDeniedError,
  404: NotFoundError,
  405: InvalidRequestError,
  409: ConflictError,
  410: GoneError,
  413: InvalidRequestError,
  415: InvalidRequestError,
  422: ValidationError,
  429: RateLimitError,
};

/** The error that a response describes, which may also be one of the gateway or the storage. */
export function apiError(status: number, headers: Headers, body: string): ApiError {
  const answer = parsed(body);
  const Family = FAMILIES[status] ?? (status >= 500 ? ServerError : ApiError);
  const requestId = typeof answer["requestId"] === "string" ? answer["requestId"] : (headers.get("x-request-id") ?? "");
  return new Family({ status, requestId, retryAfter: seconds(headers.get("retry-after")), error: objectOf(answer["error"]) });
}

function parsed(body: string): Record<string, unknown> {
  try {
    return objectOf(JSON.parse(body));
  } catch {
    return {};
  }
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function seconds(text: string | null): number | undefined {
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}
