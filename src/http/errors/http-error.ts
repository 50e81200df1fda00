import type { FieldErrors } from '#runtime/failure.ts';

/**
 * A finished "no" of the HTTP layer, thrown by a stage and answered as it stands (contract/conventions.md §5).
 * The domain refuses with codes (`failure.ts`); only stages and the loading of what a path names throw these.
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

const message = (status: number, text: string) => new HttpError(status, { message: text });

export const badRequestText = () => new HttpError(400, 'Bad Request');
/** Wrong parameters; what they say of a record's fields is answered where nothing else is wrong. */
export const invalidParameters = (texts: readonly string[], fields: FieldErrors = {}) =>
  new HttpError(400, texts.length > 0 ? { error: texts.join(', ') } : { message: fields });
export const unauthorized = (reason?: string) =>
  message(401, reason ? `401 Unauthorized - ${reason}` : '401 Unauthorized');
/** Of the proof of a replication site. */
export const clockSkewed = () => message(401, 'Signature not within leeway of 60 seconds. Check your system clocks!');
export const forbidden = (reason?: string) => message(403, reason ? `403 Forbidden - ${reason}` : '403 Forbidden');
/** `404 Project Not Found`, or without a name `404 Not Found`. */
export const notFound = (thing?: string) => message(404, thing ? `404 ${thing} Not Found` : '404 Not Found');
/** Nested records that are looked up by id below an existing parent. */
export const nestedNotFound = () => message(404, '404 Not found');
export const unknownRoute = () => new HttpError(404, { error: '404 Not Found' });
export const wrongMethod = (allow: string) => new HttpError(405, { error: '405 Not Allowed' }, { Allow: allow });
/** What the request is about went away while it was worked on. */
export const conflict = () => message(409, '409 Conflict');
export const preconditionFailed = () => message(412, '412 Precondition Failed');
export const bodyTooLarge = () => message(413, '413 Request Entity Too Large');
export const bodyStalled = () => new HttpError(408, { message: '408 Request Timeout' }, { Connection: 'close' });
export const expectationFailed = () => message(417, '417 Expectation Failed');
export const unsupportedType = (type: string) =>
  new HttpError(415, { error: `The provided content-type '${type}' is not supported.` });
export const serverError = () => message(500, '500 Internal Server Error');
/** `retryAfter`: in how many seconds it is worth asking again, where that is known. */
export const unavailable = (retryAfter?: number) =>
  new HttpError(
    503,
    { message: '503 Service Unavailable' },
    retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) },
  );

/** The token lacks a scope that the endpoint takes; `scopes` are those that would do. */
export const insufficientScope = (scopes: readonly string[]) =>
  new HttpError(403, {
    error: 'insufficient_scope',
    error_description: 'The request requires higher privileges than provided by the access token.',
    scope: scopes.join(' '),
  });

/** An application limit (contract/conventions.md §8): when to come back, in seconds. */
export const tooManyRequests = (
  retryAfter: number,
  text = 'This endpoint has been requested too many times. Try again later.',
) => new HttpError(429, { message: { error: text } }, { 'Retry-After': String(retryAfter) });

/** What an answer 401 says to clients that speak OAuth (RFC 6750 §3). */
export const bearerChallenge = (error: string, description: string) => ({
  'WWW-Authenticate': `Bearer realm="Protected by OAuth 2.0", error="${error}", error_description="${description}"`,
});
