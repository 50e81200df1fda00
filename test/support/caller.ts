import assert from 'node:assert/strict';
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { Value } from 'typebox/value';
import type { Registry } from '#http/server/routing/registry.ts';
import { hasShape } from './response-shapes.ts';

/** An answer as a test looks at it. `body` is parsed JSON, or null where there is none. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests reach into bodies by name
  readonly body: any;
  readonly text: string;
  readonly bytes: Buffer;
}

export interface Sending {
  /** JSON parameters of the body, or of the query for GET, HEAD and DELETE and beside a `raw` body. */
  readonly params?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** A body as it is; give its content type in `headers`. */
  readonly raw?: Buffer | string;
}

type Params = Readonly<Record<string, unknown>>;

/** Somebody who speaks to the server: anonymous, or with a token. Each answer's shape and headers are checked by itself. */
export interface Caller {
  readonly id: number;
  readonly username: string;
  readonly token: string | null;
  get(path: string, params?: Params, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  head(path: string, params?: Params): Promise<Answer>;
  post(path: string, params?: Params): Promise<Answer>;
  put(path: string, params?: Params): Promise<Answer>;
  patch(path: string, params?: Params): Promise<Answer>;
  delete(path: string, params?: Params, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Anything else: another body, other headers. A path that starts with `//` is below the server's root. */
  send(method: string, path: string, sending?: Sending): Promise<Answer>;
}

export interface Line {
  readonly address: string;
  readonly registry: Registry;
  /** Told of everything that was said on it. */
  readonly listeners?: readonly ((said: Said) => void)[];
}

/** A request as it went out, and the answer to it. */
export interface Said {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly sent: Buffer | string | undefined;
  readonly answer: Answer;
}

const agent = new Agent({ keepAlive: true });

export function createCaller(line: Line, who: { id: number; username: string; token: string | null }): Caller {
  const send = async (method: string, path: string, sending: Sending = {}): Promise<Answer> => {
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
    for (const listen of line.listeners ?? []) listen({ method, url: full, headers, sent, answer });
    checkAnswer(line.registry, method, full, answer);
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
): Promise<Answer> {
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

/** What holds for every answer: the general headers, no 5xx but a declared one, and the declared shape with no undeclared key. */
function checkAnswer(registry: Registry, method: string, url: string, answer: Answer): void {
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
  const told = errors.map((error) => JSON.stringify(error)).join('\n');
  assert.fail(
    `${where}: the answer does not have the shape that ${endpoint.name} declares\n${told}\n${answer.text.slice(0, 2000)}`,
  );
}
