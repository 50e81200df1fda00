import type { FieldErrors } from '#runtime/failure.ts';

/**
 * An error response, thrown by a stage and sent as it is (contract/conventions.md §5). Only stages and access throw it; the
 * domain returns failures with codes (`failure.ts`).
 */
export class HttpError {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

const createMessageError = (status: number, text: string) => new HttpError(status, { message: text });

/** 400 for an invalid Host header, as plain text like every answer to a request that is not valid HTTP. */
export const plainBadRequest = () => new HttpError(400, 'Bad Request');
/** 400 for NUL, broken escapes and invalid UTF-8 in the parameter, path, header or body with this name. */
export const invalidText = (name: string) => invalidParameters([`${name} is invalid`]);
/** 400 for invalid parameters; field errors are sent only if there are no other problems. */
export const invalidParameters = (problems: readonly string[], fieldErrors: FieldErrors = {}) =>
  new HttpError(400, problems.length > 0 ? { error: problems.join(', ') } : { message: fieldErrors });
export const unauthorized = (reason?: string) =>
  createMessageError(401, reason ? `401 Unauthorized - ${reason}` : '401 Unauthorized');
/** 401 for the token of a replication site whose clock differs. */
export const clockSkewed = () =>
  createMessageError(401, 'Signature not within leeway of 60 seconds. Check your system clocks!');
export const forbidden = (reason?: string) =>
  createMessageError(403, reason ? `403 Forbidden - ${reason}` : '403 Forbidden');
/** `404 Project Not Found`, or without a name `404 Not Found`. */
export const notFound = (noun?: string) => createMessageError(404, noun ? `404 ${noun} Not Found` : '404 Not Found');
/** 404 for a resource that is looked up by id below an existing parent. */
export const genericNotFound = () => createMessageError(404, '404 Not found');
export const routeNotFound = () => new HttpError(404, { error: '404 Not Found' });
export const methodNotAllowed = (allow: string) => new HttpError(405, { error: '405 Not Allowed' }, { Allow: allow });
/** 409 for a resource that was deleted or changed during the request. */
export const conflict = () => createMessageError(409, '409 Conflict');
export const preconditionFailed = () => createMessageError(412, '412 Precondition Failed');
export const bodyTooLarge = () => createMessageError(413, '413 Request Entity Too Large');
export const requestTimeout = () => new HttpError(408, { message: '408 Request Timeout' }, { Connection: 'close' });
export const expectationFailed = () => createMessageError(417, '417 Expectation Failed');
export const unsupportedMediaType = (type: string) =>
  new HttpError(415, { error: `The provided content-type '${type}' is not supported.` });
export const serverError = () => createMessageError(500, '500 Internal Server Error');
/** 503. `retryAfter` is the number of seconds until a retry is worthwhile, if known. */
export const unavailable = (retryAfter?: number) =>
  new HttpError(
    503,
    { message: '503 Service Unavailable' },
    retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) },
  );

/** 403 for a token that has none of the accepted scopes. */
export const insufficientScope = (scopes: readonly string[]) =>
  new HttpError(403, {
    error: 'insufficient_scope',
    error_description: 'The request requires higher privileges than provided by the access token.',
    scope: scopes.join(' '),
  });

/** 429 for an application rate limit (contract/conventions.md §8). `retryAfter` is in seconds. */
export const tooManyRequests = (
  retryAfter: number,
  text = 'This endpoint has been requested too many times. Try again later.',
) => new HttpError(429, { message: { error: text } }, { 'Retry-After': String(retryAfter) });

/** Returns the WWW-Authenticate header of a 401 for OAuth clients (RFC 6750 §3). */
export const bearerChallenge = (error: string, description: string) => ({
  'WWW-Authenticate': `Bearer realm="Protected by OAuth 2.0", error="${error}", error_description="${description}"`,
});
