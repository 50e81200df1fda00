import type { Session } from '../session.ts';
import type { Operations } from './operations.ts';

/** Calls of the API, typed by the operations that the endpoints declare. */

export type OperationName = keyof Operations;
export type ParamsOf<Name extends OperationName> = Operations[Name]['params'];
export type ResultOf<Name extends OperationName> = Operations[Name]['result'];

/** The user of the session. */
export type CurrentUser = ResultOf<'GET /user'>;

/** A response of the API that succeeded. */
export interface Loaded<Result> {
  readonly value: Result;
  /** The number of all rows of a list; null if the server did not count them. */
  readonly total: number | null;
  readonly nextPage: number | null;
  readonly etag: string | null;
}

/** One call as the request inspector shows it. */
export interface CallRecord {
  readonly method: string;
  /** Path and query below the base path of the server. */
  readonly url: string;
  /** JSON without passwords, or the names of the fields of a form. */
  readonly body: string | readonly string[] | null;
  /** 0 if the server did not respond. */
  readonly status: number;
  readonly milliseconds: number;
  /** The length of the body in bytes. */
  readonly size: number;
}

/** The response was an error, or there was none (status 0). */
export class CallError extends Error {
  readonly status: number;
  readonly requestId: string | null;
  /** Seconds of the response header `Retry-After`; null without it. */
  readonly retryAfter: number | null;
  /** The messages of invalid attributes by name; empty if the error names none. */
  readonly attributes: Readonly<Record<string, readonly string[]>>;

  constructor(status: number, { message, attributes = {} }: ErrorBody, headers?: Headers) {
    super(message);
    this.status = status;
    this.attributes = attributes;
    this.requestId = headers?.get('X-Request-Id') ?? null;
    const retryAfter = Number(headers?.get('Retry-After') ?? '');
    this.retryAfter = retryAfter > 0 ? retryAfter : null;
  }
}

/** Ignores the error 304 of a write that changed nothing. Throws other errors. */
export function ignoreNotModified(error: unknown): void {
  if (!(error instanceof CallError) || error.status !== 304) throw error;
}

interface ErrorBody {
  readonly message: string;
  readonly attributes?: CallError['attributes'];
}

/** The browser functions that a client uses; tests replace `fetch`. */
interface ClientOptions {
  readonly session: Session;
  readonly fetch: typeof fetch;
  readonly onCall?: (record: CallRecord) => void;
}

export interface Client {
  /** Calls an operation. Throws `CallError` for an error or without a response. */
  call<Name extends OperationName>(name: Name, params: ParamsOf<Name>): Promise<Loaded<ResultOf<Name>>>;
  /** Reads a part of a file or log; `range` is the value of a header `Range`: `bytes=-1000`. */
  readBytes<Name extends OperationName & `GET ${string}`>(
    name: Name,
    params: ParamsOf<Name>,
    range: string,
  ): Promise<BytePart>;
}

/** A part of a file or log. */
export interface BytePart {
  /** The position of the first byte. */
  readonly start: number;
  readonly bytes: Uint8Array;
}

/**
 * Returns a client that authenticates by the session cookie. If a write is rejected because the user has signed in again
 * since the page was loaded, it is sent once more with the CSRF token of the new session. It is not repeated if another
 * user has signed in.
 */
export function createClient({ session, fetch, onCall = () => {} }: ClientOptions): Client {
  let { csrfToken } = session;
  const send = async ({ method, url, body, range }: Request): Promise<{ response: Response; bytes: ArrayBuffer }> => {
    const startedAt = performance.now();
    const record = (status: number, size: number) =>
      onCall({ method, url, body: describeBody(body), status, size, milliseconds: performance.now() - startedAt });
    const response = await fetch(`${session.basePath}${url}`, {
      method,
      headers: {
        Accept: 'application/json',
        ...(range === undefined ? {} : { Range: range }),
        ...(typeof body === 'string' ? { 'Content-Type': 'application/json' } : {}),
        ...(method === 'GET' || csrfToken === null ? {} : { 'X-CSRF-Token': csrfToken }),
      },
      ...(body === null ? {} : { body }),
    }).catch((error: unknown) => {
      record(0, 0);
      throw new CallError(0, { message: error instanceof Error ? error.message : String(error) });
    });
    const bytes = await response.arrayBuffer();
    record(response.status, bytes.byteLength);
    return { response, bytes };
  };
  const renewCsrfToken = async (): Promise<boolean> => {
    const before = csrfToken;
    const shell = await fetch(`${session.basePath}/`, { headers: { Accept: 'text/html' } }).then((page) => page.text());
    const read = (name: string) => new RegExp(`<meta name="${name}" content="([^"]+)">`).exec(shell)?.[1];
    const userId = read('user-id');
    // What one user has written must not be sent in the name of another.
    if (userId !== undefined && Number(userId) !== session.userId)
      throw new CallError(403, {
        message: 'You have signed in as another user. Load this page again to go on as that one.',
      });
    csrfToken = read('csrf-token') ?? before;
    return csrfToken !== before;
  };
  return {
    async call(name, params) {
      const request = buildRequest(name, params as Params);
      let { response, bytes } = await send(request);
      if (response.status === 401 && request.method !== 'GET' && (await renewCsrfToken()))
        ({ response, bytes } = await send(request));
      const text = new TextDecoder().decode(bytes);
      if (!response.ok) throw new CallError(response.status, readError(text), response.headers);
      const isJson = response.headers.get('Content-Type')?.startsWith('application/json') ?? false;
      return {
        value: isJson && text !== '' ? JSON.parse(text) : text,
        total: readNumber(response.headers.get('X-Total')),
        nextPage: readNumber(response.headers.get('X-Next-Page')),
        etag: response.headers.get('ETag'),
      };
    },
    async readBytes(name, params, range) {
      const request = buildRequest(name, params as Params);
      const { response, bytes } = await send({ ...request, range });
      if (!response.ok)
        throw new CallError(response.status, readError(new TextDecoder().decode(bytes)), response.headers);
      const [, start = '0'] = /^bytes (\d+)-/.exec(response.headers.get('Content-Range') ?? '') ?? [];
      return { start: Number(start), bytes: new Uint8Array(bytes) };
    },
  };
}

interface Request {
  readonly method: string;
  /** Path and query below the base path of the server. */
  readonly url: string;
  readonly body: string | FormData | null;
  readonly range?: string;
}

/** Returns the body as the request inspector shows it, to whoever looks at the screen: without passwords. */
function describeBody(body: Request['body']): CallRecord['body'] {
  if (body instanceof FormData) return [...body.keys()];
  if (body === null || !body.includes('password')) return body;
  return JSON.stringify(JSON.parse(body), (name, value) => (/password$/.test(name) ? '...' : value));
}

type Params = Readonly<Record<string, unknown>>;

/**
 * Returns the request of an operation: parameters of the path first, the others in the query or, for writes, in the body: a form
 * if one of them is a file, else JSON.
 */
export function buildRequest(name: string, params: Params): Request {
  const [method = '', path = ''] = name.split(' ');
  const remainingParams = new Map(Object.entries(params).filter(([, value]) => value !== undefined));
  const filledPath = path.replace(/:(\w+)/g, (_all, key: string) => {
    const value = remainingParams.get(key);
    remainingParams.delete(key);
    return encodeURIComponent(String(value));
  });
  const url = `/api/v4${filledPath}`;
  if (method === 'GET' || method === 'DELETE') return { method, url: appendQuery(url, remainingParams), body: null };
  if (![...remainingParams.values()].some((value) => value instanceof Blob))
    return { method, url, body: JSON.stringify(Object.fromEntries(remainingParams)) };
  const form = new FormData();
  for (const [key, value] of remainingParams) form.append(key, value instanceof Blob ? value : String(value));
  return { method, url, body: form };
}

function appendQuery(url: string, params: ReadonlyMap<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [key, value] of params) {
    if (Array.isArray(value)) for (const item of value) query.append(`${key}[]`, String(item));
    else query.append(key, String(value));
  }
  return query.size === 0 ? url : `${url}?${query}`;
}

/** Reads an error body: `{"message": ...}` with a text or messages by attribute, `{"error": ...}`, or a text. */
function readError(text: string): ErrorBody {
  try {
    const body = JSON.parse(text) as Params;
    const message = body.message ?? body.error_description ?? body.error ?? body;
    if (typeof message === 'string') return { message };
    const attributes = Object.fromEntries(
      Object.entries(message as Params).map(([name, texts]) => [name, [texts].flat().map(String)] as const),
    );
    return { message: Object.entries(attributes).map(formatAttributeError).join('. '), attributes };
  } catch {
    return { message: text.slice(0, 500) };
  }
}

/** Returns `title can't be blank`. */
const formatAttributeError = ([name, texts]: [string, readonly string[]]): string =>
  name === 'base' ? texts.join(', ') : `${name.replaceAll('_', ' ')} ${texts.join(', ')}`;

function readNumber(text: string | null): number | null {
  return text === null || text === '' ? null : Number(text);
}
