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
  readonly body: string | null;
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
  /** The seconds after which the server asks for the next request; null if it does not say. */
  readonly retryAfter: number | null;

  constructor(status: number, message: string, headers?: Headers) {
    super(message);
    this.status = status;
    this.requestId = headers?.get('X-Request-Id') ?? null;
    const retryAfter = Number(headers?.get('Retry-After') ?? '');
    this.retryAfter = retryAfter > 0 ? retryAfter : null;
  }
}

/** What a client uses of the browser; tests replace `fetch`. */
export interface ClientOptions {
  readonly session: Session;
  readonly fetch: typeof fetch;
  readonly onCall?: (record: CallRecord) => void;
}

export interface Client {
  /** Calls an operation. Throws `CallError` for an error or without a response. */
  call<Name extends OperationName>(name: Name, params: ParamsOf<Name>): Promise<Loaded<ResultOf<Name>>>;
}

/** Returns a client that authenticates by the session cookie. */
export function createClient({ session, fetch, onCall = () => {} }: ClientOptions): Client {
  return {
    async call(name, params) {
      const { method, url, body } = buildRequest(name, params as Params);
      const startedAt = performance.now();
      const record = (status: number, size: number) =>
        onCall({ method, url, body, status, size, milliseconds: performance.now() - startedAt });
      const response = await fetch(`${session.basePath}${url}`, {
        method,
        headers: {
          Accept: 'application/json',
          ...(body === null ? {} : { 'Content-Type': 'application/json' }),
          ...(method === 'GET' || session.csrfToken === null ? {} : { 'X-CSRF-Token': session.csrfToken }),
        },
        ...(body === null ? {} : { body }),
      }).catch((error: unknown) => {
        record(0, 0);
        throw new CallError(0, error instanceof Error ? error.message : String(error));
      });
      const text = await response.text();
      record(response.status, new Blob([text]).size);
      if (!response.ok) throw new CallError(response.status, readMessage(text), response.headers);
      return {
        value: text === '' ? null : JSON.parse(text),
        total: readNumber(response.headers.get('X-Total')),
        nextPage: readNumber(response.headers.get('X-Next-Page')),
        etag: response.headers.get('ETag'),
      };
    },
  };
}

type Params = Readonly<Record<string, unknown>>;

/** Returns the request of an operation: parameters of the path first, the others in the query or, for writes, in the body. */
export function buildRequest(
  name: string,
  params: Params,
): { readonly method: string; readonly url: string; readonly body: string | null } {
  const [method = '', path = ''] = name.split(' ');
  const rest = new Map(Object.entries(params).filter(([, value]) => value !== undefined));
  const filledPath = path.replace(/:(\w+)/g, (_all, key: string) => {
    const value = rest.get(key);
    rest.delete(key);
    return encodeURIComponent(String(value));
  });
  const url = `/api/v4${filledPath}`;
  if (method === 'GET' || method === 'DELETE') return { method, url: appendQuery(url, rest), body: null };
  return { method, url, body: JSON.stringify(Object.fromEntries(rest)) };
}

function appendQuery(url: string, params: ReadonlyMap<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [key, value] of params) {
    if (Array.isArray(value)) for (const item of value) query.append(`${key}[]`, String(item));
    else query.append(key, String(value));
  }
  return query.size === 0 ? url : `${url}?${query}`;
}

/** Returns the message of an error body: `{"message": ...}`, `{"error": ...}`, or the text itself. */
function readMessage(text: string): string {
  try {
    const body = JSON.parse(text) as Params;
    const message = body.message ?? body.error_description ?? body.error;
    return typeof message === 'string' ? message : JSON.stringify(message ?? body);
  } catch {
    return text.slice(0, 500);
  }
}

function readNumber(text: string | null): number | null {
  return text === null || text === '' ? null : Number(text);
}
