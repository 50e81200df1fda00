import assert from 'node:assert/strict';
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { Value } from 'typebox/value';
import type { Registry } from '#http/server/routing/registry.ts';
import { hasShape } from './response-shapes.ts';

/** A response, as tests see it. `body` is the parsed JSON, or null if the response has none. */
export interface TestResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into bodies by name
  readonly body: any;
  readonly text: string;
  readonly bytes: Buffer;
}

export interface SendOptions {
  /** Parameters: sent in the query for GET, HEAD, DELETE and with a `raw` body; otherwise as a JSON body. */
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** A body that is sent unchanged; its content type goes into `headers`. */
  readonly raw?: Buffer | string | undefined;
}

type Params = Readonly<Record<string, unknown>>;

/** A client of the server, anonymous or with a token. It checks the shape and headers of every response. */
export interface Caller {
  readonly id: number;
  readonly username: string;
  readonly token: string | null;
  get(path: string, params?: Params, headers?: Readonly<Record<string, string>>): Promise<TestResponse>;
  head(path: string, params?: Params): Promise<TestResponse>;
  post(path: string, params?: Params): Promise<TestResponse>;
  put(path: string, params?: Params): Promise<TestResponse>;
  patch(path: string, params?: Params): Promise<TestResponse>;
  delete(path: string, params?: Params, headers?: Readonly<Record<string, string>>): Promise<TestResponse>;
  /** Sends any request. A path that starts with `//` is relative to the server's root instead of `/api/v4`. */
  send(method: string, path: string, sending?: SendOptions): Promise<TestResponse>;
}

export interface CallerTarget {
  readonly address: string;
  readonly registry: Registry;
  /** Called after every response, with the request and the response. */
  readonly listeners?: readonly ((said: HttpExchange) => void)[];
}

/** A request as it was sent, and its response. */
export interface HttpExchange {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly requestBody: Buffer | string | undefined;
  readonly response: TestResponse;
}

const agent = new Agent({ keepAlive: true });

export function createCaller(line: CallerTarget, who: { id: number; username: string; token: string | null }): Caller {
  const send = async (method: string, path: string, sending: SendOptions = {}): Promise<TestResponse> => {
    const url = urlOf(path);
    const inQuery = sending.params && (['GET', 'HEAD', 'DELETE'].includes(method) || sending.raw !== undefined);
    const full = inQuery ? `${url}${url.includes('?') ? '&' : '?'}${query(sending.params ?? {})}` : url;
    const json = sending.params && !inQuery ? JSON.stringify(sending.params) : undefined;
    const headers: Record<string, string> = {
      ...(who.token === null ? {} : { 'PRIVATE-TOKEN': who.token }),
      ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...sending.headers,
    };
    const sent = sending.raw ?? json;
    const answer = await exchange(line.address, method, full, headers, sent);
    for (const listen of line.listeners ?? []) {
      listen({ method, url: full, headers, requestBody: sent, response: answer });
    }
    assertValidResponse(line.registry, method, full, answer);
    return answer;
  };
  return {
    ...who,
    send,
    get: (path, params, headers) => send('GET', path, { params, headers }),
    head: (path, params) => send('HEAD', path, { params }),
    post: (path, params = {}) => send('POST', path, { params }),
    put: (path, params = {}) => send('PUT', path, { params }),
    patch: (path, params = {}) => send('PATCH', path, { params }),
    delete: (path, params, headers) => send('DELETE', path, { params, headers }),
  };
}

function urlOf(path: string): string {
  return path.startsWith('//') ? path.slice(1) : `/api/v4${path}`;
}

function query(params: Params): string {
  return Object.entries(params)
    .filter(([, value]) => value !== undefined)
    .flatMap(([name, value]) =>
      Array.isArray(value)
        ? value.map((item) => `${encodeURIComponent(`${name}[]`)}=${encodeURIComponent(String(item))}`)
        : [`${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`],
    )
    .join('&');
}

function exchange(
  address: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body: Buffer | string | undefined,
): Promise<TestResponse> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
    const request = httpRequest(
      { agent, hostname, port, method, path, headers: { ...headers, ...length } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          const text = bytes.toString('utf8');
          const isJson = response.headers['content-type'] === 'application/json' && bytes.length > 0;
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            bytes,
            body: isJson ? JSON.parse(text) : null,
          });
        });
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

/** Asserts the general headers, the declared shape without undeclared keys, and that a 5xx status is declared. */
function assertValidResponse(registry: Registry, method: string, url: string, answer: TestResponse): void {
  const where = `${method} ${url}`;
  const endpoint = registry.find(method, url.split('?', 1)[0] ?? '')?.endpoint;
  const mayFail = answer.status === 503 || answer.status === endpoint?.response.status;
  assert.ok(answer.status < 500 || mayFail, `${where} answered ${answer.status}: ${answer.text}`);
  assert.ok(answer.headers['x-request-id'], `${where}: X-Request-Id`);
  assert.equal(answer.headers['x-content-type-options'], 'nosniff', where);
  if (method === 'HEAD' || answer.status === 204 || answer.status === 304)
    assert.equal(answer.text, '', `${where}: no body`);
  if (!endpoint || answer.body === null) return;
  const { schema, status } = endpoint.response;
  if (answer.status !== status || schema === null) return;
  if (hasShape(schema, answer.body)) return;
  const errors = [...Value.Errors(schema, answer.body)].slice(0, 5);
  const details = errors.map((error) => JSON.stringify(error)).join('\n');
  assert.fail(
    `${where}: the answer does not have the shape that ${endpoint.name} declares\n${details}\n${answer.text.slice(0, 2000)}`,
  );
}
