import { createHmac, randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Static, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { HttpError } from '#http/errors/http-error.ts';
import { parseJson } from '#http/request/json-body.ts';
import { OutboundFailure } from '#outbound-http/check-url.ts';
import { createOutbound, type Outbound, type OutboundResponse } from '#outbound-http/client.ts';

/** A failed request to the primary. */
export class PrimaryFailure extends Error {
  override readonly name = 'PrimaryFailure';
  readonly kind: PrimaryFailureKind;

  constructor(kind: PrimaryFailureKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

type PrimaryFailureKind =
  /** No response, or a temporary error: try again later. */
  | 'unavailable'
  /** The primary does not accept the credentials. */
  | 'rejected'
  /** Access denied, or not found. */
  | 'denied'
  /** The response is not one of a primary. */
  | 'invalid-response';

/** Upper bound of a page of a hundred items, in bytes. */
const MAX_RESPONSE_BYTES = 2 * 1024 * 1024;
const JSON_LIMITS = { depth: 10, itemsPerValue: 100_000, totalItems: 100_000, nameBytes: 100_000 };

interface PrimaryRequest {
  readonly method?: string;
  /** Path below the primary's address, with query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly signal?: AbortSignal;
}

/** HTTP client of the primary, whose address comes from the operator: it may be private. Redirects are not followed. */
export interface PrimaryClient {
  /** Returns the parsed body of a 2xx; rejects with `PrimaryFailure` for other statuses and shapes. */
  requestJson<Shape extends TSchema>(request: PrimaryRequest, shape: Shape): Promise<Static<Shape>>;
  /** Returns a response of any status with unread body. The caller reads or destroys the body. */
  requestRaw(
    request: PrimaryRequest,
    limits?: { readonly totalMs: number; readonly maxBytes: number },
  ): Promise<OutboundResponse>;
}

export function createPrimaryClient(baseUrl: string, userAgent: string): PrimaryClient {
  const rules = { allowLocalRequests: true, allowList: [], maxResponseBytes: null, serverUrl: null };
  const outbound = createOutbound({ rules: () => rules, userAgent });
  const raw: PrimaryClient['requestRaw'] = (request, limits) => sendRequest(outbound, baseUrl, request, limits);
  const requestJson: PrimaryClient['requestJson'] = async (request, shape) => {
    const { status, body } = await raw(request, { totalMs: 60_000, maxBytes: MAX_RESPONSE_BYTES });
    const bytes = await readBody(body);
    if (status < 200 || status > 299) throw createStatusFailure(status, bytes);
    const value = await parseBody(bytes);
    if (!Value.Check(shape, value)) {
      throw new PrimaryFailure('invalid-response', `The response to ${removeQuery(request)} has an unexpected format`);
    }
    return value as Static<typeof shape>;
  };
  return { requestRaw: raw, requestJson };
}

async function sendRequest(
  outbound: Outbound,
  baseUrl: string,
  { method = 'GET', path, headers, body, signal }: PrimaryRequest,
  limits: { readonly totalMs?: number; readonly maxBytes?: number } = {},
): Promise<OutboundResponse> {
  const contentHeaders: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
  try {
    return await outbound.request({
      method,
      url: baseUrl + path,
      headers: { accept: 'application/json', ...contentHeaders, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
      ...limits,
      maxRedirects: 0,
    });
  } catch (error) {
    throw toPrimaryFailure(error);
  }
}

async function readBody(body: Readable): Promise<Buffer> {
  try {
    return Buffer.concat(await body.toArray());
  } catch (error) {
    throw toPrimaryFailure(error);
  }
}

/** Converts a failed outbound request to a `PrimaryFailure`. */
function toPrimaryFailure(error: unknown): unknown {
  if (!(error instanceof OutboundFailure)) return error;
  return new PrimaryFailure(
    error.isTemporary || error.kind === 'aborted' ? 'unavailable' : 'invalid-response',
    error.message,
  );
}

/** Text in the 401 of a primary whose clock differs too much. */
const CLOCK_SKEW_TEXT = 'Signature not within leeway';

function createStatusFailure(status: number, bytes: Buffer): PrimaryFailure {
  // Treated as temporary: the clocks will be corrected, and the site still belongs to the primary.
  if (status === 401 && bytes.includes(CLOCK_SKEW_TEXT)) {
    return new PrimaryFailure('unavailable', 'The clocks of primary and secondary differ by more than a minute');
  }
  if (status === 401) return new PrimaryFailure('rejected', 'The primary rejected the credentials of this site');
  const kind = status >= 500 || status === 429 || status === 408 ? 'unavailable' : 'denied';
  return new PrimaryFailure(kind, `The primary answered ${status}`);
}

async function parseBody(bytes: Buffer): Promise<unknown> {
  try {
    return await parseJson(bytes, JSON_LIMITS);
  } catch (error) {
    if (error instanceof HttpError)
      throw new PrimaryFailure('invalid-response', 'The response of the primary is not JSON');
    throw error;
  }
}

function removeQuery({ path }: PrimaryRequest): string {
  return path.replace(/\?.*/s, '');
}

/** Credentials of a site at its primary. */
export interface SiteKeys {
  readonly accessKey: string;
  readonly secret: string;
}

/** Seconds for which a token is valid: API requests take little time, fetches may take hours. */
const REQUEST_VALIDITY_SECONDS = 60;
const FETCH_VALIDITY_SECONDS = 7_200;

/** Returns an `Authorization` value (`GL-Geo`) that is valid only for `data` (contract/operations.md §3.3). */
export function createSiteAuthorization(
  keys: SiteKeys,
  data: object,
  now: Date,
  validitySeconds = REQUEST_VALIDITY_SECONDS,
): string {
  const issuedAt = Math.floor(now.getTime() / 1000);
  const claims = {
    data: JSON.stringify(data),
    jti: randomUUID(),
    iat: issuedAt,
    nbf: issuedAt,
    exp: issuedAt + validitySeconds,
  };
  const signedText = [{ alg: 'HS256', typ: 'JWT' }, claims].map(encodePart).join('.');
  const signature = createHmac('sha256', keys.secret).update(signedText).digest('base64url');
  return `GL-Geo ${keys.accessKey}:${signedText}.${signature}`;
}

/** Returns an `Authorization` value for a git fetch, which is valid longer. */
export function createFetchAuthorization(keys: SiteKeys, path: string, now: Date): string {
  return createSiteAuthorization(keys, { scope: path }, now, FETCH_VALIDITY_SECONDS);
}

function encodePart(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
