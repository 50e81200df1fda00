import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Type } from 'typebox';
import { DatabaseUnavailable } from '#database/database.ts';
import { open } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { rawEntity } from '#http/endpoint/entity.ts';
import { created, noContent, objectSchema, ok, page, stream, text } from '#http/endpoint/responses.ts';
import { optional } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { integer } from '#http/parameters/types.ts';
import { startMinimalServer } from '#test/support/minimal-server.ts';

const Thing = objectSchema('Thing', { id: Type.Integer() });
const entered = Promise.withResolvers<void>();
const released = Promise.withResolvers<void>();

const endpoints = {
  readThing: endpoint({
    get: '/things/:id',
    summary: 'Read',
    access: open(),
    params: { id: optional(integer) },
    response: ok(rawEntity(Thing)),
    handle: ({ params }) => ({ id: params.id ?? 0 }),
  }),
  listThings: endpoint({
    get: '/things',
    summary: 'List',
    access: open(),
    response: page(rawEntity(Thing)),
    handle: () => ({ items: [{ id: 1 }], total: 1, hasMore: false }),
  }),
  listMore: endpoint({
    get: '/more',
    summary: 'A list with another page',
    access: open(),
    response: page(rawEntity(Thing)),
    handle: () => ({ items: [{ id: 1 }], total: null, hasMore: true }),
  }),
  createThing: endpoint({
    post: '/things',
    summary: 'Create',
    access: open(),
    response: created(rawEntity(Thing)),
    handle: () => ({ id: 1 }),
  }),
  deleteThing: endpoint({
    delete: '/things/:id',
    summary: 'Delete',
    access: open(),
    response: noContent,
    handle: () => {},
  }),
  searchThings: endpoint({
    get: '/search',
    summary: 'Search',
    access: open(),
    params: { q: optional(string) },
    response: ok(rawEntity(Type.Unknown())),
    handle: ({ params }) => params,
  }),
  readBytes: endpoint({
    get: '/bytes',
    summary: 'Bytes',
    access: open(),
    response: stream,
    handle: ({ request }) => ({
      headers: { 'Content-Length': '3' },
      body: request.method === 'HEAD' ? undefined : 'abc',
    }),
  }),
  breakThing: endpoint({
    get: '/broken',
    summary: 'Break',
    access: open(),
    response: text,
    handle: () => {
      throw new Error('kaputt at https://mira:hunter2@db.test with private_token=glpat-0123456789abcdef');
    },
  }),
  loseThing: endpoint({
    get: '/lost',
    summary: 'Lose the database',
    access: open(),
    response: text,
    handle: () => {
      throw new DatabaseUnavailable(new Error('connection refused'));
    },
  }),
  awaitThing: endpoint({
    get: '/slow',
    summary: 'Wait',
    access: open(),
    response: text,
    async handle() {
      entered.resolve();
      await released.promise;
      return 'done';
    },
  }),
};

const server = await startMinimalServer(endpoints);
const { anonymous, raw, address } = server;

/** Without the checks that the speaking caller makes: for answers that no test should see elsewhere. */
async function ask(path: string, init: RequestInit = {}): Promise<[number, string]> {
  const answer = await fetch(`${address}/api/v4${path}`, init);
  return [answer.status, await answer.text()];
}

test('every response has the general headers and exactly the JSON type', async () => {
  for (const path of ['/things/1', '/nothing', '/things/x']) {
    const { headers } = await anonymous.get(path);
    assert.equal(headers['content-type'], 'application/json', path);
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['x-frame-options'], 'SAMEORIGIN');
    assert.equal(headers.vary, 'Origin');
    assert.match(String(headers['x-request-id']), /^[A-Za-z0-9-]+$/);
  }
});

test('200 responses to GET and HEAD have an ETag; a matching If-None-Match gets 304', async () => {
  const first = await anonymous.get('/things/1');
  const etag = String(first.headers.etag);
  assert.match(etag, /^W\/"[0-9a-f]+"$/);
  assert.equal(first.headers['cache-control'], 'max-age=0, private, must-revalidate');
  assert.equal((await anonymous.head('/things/1')).headers.etag, etag);
  for (const known of [etag, etag.slice(2), '*', `"other", ${etag}`]) {
    const again = await anonymous.get('/things/1', undefined, { 'If-None-Match': known });
    assert.equal(again.status, 304, known);
    assert.equal(again.headers.etag, etag);
    assert.equal(again.headers['content-type'], undefined);
    assert.equal(again.text, '');
  }
  assert.equal((await anonymous.get('/things/2', undefined, { 'If-None-Match': etag })).status, 200);
  const list = await anonymous.get('/things');
  const same = await anonymous.get('/things', undefined, { 'If-None-Match': String(list.headers.etag) });
  assert.equal(same.status, 304);
  assert.equal(same.headers['x-total'], '1');
});

test('other responses have no ETag and are not cacheable', async () => {
  for (const answer of [
    await anonymous.post('/things'),
    await anonymous.delete('/things/1'),
    await anonymous.get('/nothing'),
  ]) {
    assert.equal(answer.headers.etag, undefined);
    assert.equal(answer.headers['cache-control'], 'no-cache');
  }
});

test('204 responses have neither body nor Content-Type', async () => {
  const { status, headers, text: told } = await anonymous.delete('/things/1');
  assert.deepEqual([status, told, headers['content-type'], headers['content-length']], [204, '', undefined, undefined]);
});

test('HEAD responds like GET, without the body', async () => {
  for (const path of ['/things/1', '/things', '/search', '/bytes', '/things?page=5']) {
    const [got, head] = [await anonymous.get(path), await anonymous.head(path)];
    assert.equal(head.status, got.status, path);
    assert.equal(head.text, '');
    const { date: _date, 'x-request-id': _id, ...headers } = got.headers;
    for (const [name, value] of Object.entries(headers)) assert.equal(head.headers[name], value, `${path}: ${name}`);
  }
});

test('OPTIONS and 405 responses list the allowed methods', async () => {
  const options = await anonymous.send('OPTIONS', '/things/1');
  assert.deepEqual([options.status, options.headers.allow], [204, 'GET, DELETE, HEAD, OPTIONS']);
  for (const method of ['POST', 'PUT', 'PATCH', 'PROPFIND', 'TRACE']) {
    const wrong = await anonymous.send(method, '/things/1');
    assert.deepEqual(
      [wrong.status, wrong.body, wrong.headers.allow],
      [405, { error: '405 Not Allowed' }, 'GET, DELETE, HEAD, OPTIONS'],
      method,
    );
  }
  for (const method of ['OPTIONS', 'GET', 'PROPFIND']) {
    assert.deepEqual((await anonymous.send(method, '/nothing')).body, { error: '404 Not Found' }, method);
  }
});

test('rejects other versions of the API', async () => {
  const old = await anonymous.get('//api/v3/projects');
  assert.deepEqual([old.status, old.body], [410, { error: 'API V3 is no longer supported. Use API V4 instead.' }]);
  assert.equal((await anonymous.get('//api/v5/projects')).status, 404);
});

test('a path id overrides all other sources, also if it exceeds all numbers', async () => {
  assert.deepEqual((await anonymous.get('/things/7?id=8')).body, { id: 7 });
  assert.deepEqual((await anonymous.get('/things/x')).body, { error: 'id is invalid' });
  assert.deepEqual((await anonymous.get('/things/99999999999999999999')).body, { id: Number.MAX_SAFE_INTEGER });
  assert.deepEqual((await anonymous.get('/things/-99999999999999999999')).body, { id: Number.MIN_SAFE_INTEGER });
});

test('accepts escaped non-ASCII bytes in a query and returns 400 for raw ones', async () => {
  assert.deepEqual((await anonymous.get('/search?q=%C3%A9')).body, { q: 'é' });
  const answer = await raw('GET /api/v4/search?q=é HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  assert.match(answer, /^HTTP\/1\.1 400 /);
});

test('routes a request line with an absolute URL by its path', async () => {
  const answer = await raw('GET http://a/api/v4/things/3 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  assert.match(answer, /\{"id":3\}$/);
});

test('returns 400 as plain text for NUL in a header and for invalid HTTP', async () => {
  for (const text of ['GET / HTTP/1.1\r\nHost: a\r\nPRIVATE-TOKEN: a\0b\r\n\r\n', 'nonsense\r\n\r\n']) {
    const answer = await raw(text);
    assert.match(answer, /^HTTP\/1\.1 400 Bad Request\r\nContent-Type: text\/plain\r\n/);
    assert.match(answer, /\r\nX-Request-Id: [\w-]+\r\n/);
    assert.match(answer, /\r\n\r\nBad Request$/);
  }
});

test('a credential header that is not UTF-8 is an invalid value', async () => {
  const answer = await anonymous.get('/things/1', undefined, { 'PRIVATE-TOKEN': 'a\u00ff' });
  assert.deepEqual([answer.status, answer.body], [400, { error: 'private-token is invalid' }]);
});

test('sends links up to 8 kB, and only the next link if they are longer', async () => {
  const linkOf = async (search: string) => {
    const headers = { 'Content-Type': 'application/json' };
    const answer = await anonymous.send('GET', '/more', { raw: JSON.stringify({ search }), headers });
    assert.deepEqual([answer.status, answer.headers['x-next-page']], [200, '2']);
    return String(answer.headers.link);
  };
  const url = (search: string, page: number) => `<${address}/api/v4/more?search=${search}&page=${page}&per_page=20>`;
  const [short, long] = ['x'.repeat(2000), 'y'.repeat(8000)];
  assert.ok((await linkOf(short)) === `${url(short, 2)}; rel="next", ${url(short, 1)}; rel="first"`, 'short');
  assert.ok((await linkOf(long)) === `${url(long, 2)}; rel="next"`, 'long');
  assert.equal(await linkOf('z'.repeat(60_000)), 'undefined');
});

test('returns 400 for an invalid Host before executing the request', async () => {
  const ask = (host: string) => raw(`GET /api/v4/things HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  for (const host of [
    'x//evil',
    'a b',
    'a/',
    'a?b',
    'a#b',
    'u@a',
    'a:b',
    'a:123456',
    'a:65536',
    'a:0',
    '[::1]:99999',
    '',
    '[::1',
    'a\\b',
    'a<b>',
    'x'.repeat(300),
  ]) {
    assert.match(await ask(host), /^HTTP\/1\.1 400 [\s\S]*\r\n\r\nBad Request$/, host);
  }
  for (const host of ['a', 'a_b.example:8080', '127.0.0.1:1', 'a:65535', '[::1]:80', 'xn--bcher-kva.example.']) {
    assert.ok((await ask(host)).includes(`<http://${host}/api/v4/things`), host);
  }
});

test('errors for a missing Host or an unknown expectation have the usual format', async () => {
  const ask = (version: string, header: string) =>
    raw(`GET /api/v4/things/1 HTTP/${version}\r\n${header}Connection: close\r\n\r\n`);
  const form = (status: string, type: string, body: string) =>
    new RegExp(
      `^HTTP/1\\.1 ${status}\r\nContent-Type: ${type}\r\n[\\s\\S]*\r\nX-Request-Id: [\\s\\S]*\r\n\r\n${body}$`,
    );
  assert.match(await ask('1.1', ''), form('400 Bad Request', 'text/plain', 'Bad Request'));
  assert.match(await ask('1.0', ''), /\r\n\r\n\{"id":1\}$/);
  const failed = '\\{"message":"417 Expectation Failed"\\}';
  assert.match(
    await ask('1.1', 'Host: a\r\nExpect: tea\r\n'),
    form('417 Expectation Failed', 'application/json', failed),
  );
  assert.match(await ask('1.0', 'Expect: tea\r\n'), /\r\n\r\n\{"id":1\}$/);
  assert.match(await ask('1.1', 'Host: a\r\nExpect: 100-continue\r\n'), /^HTTP\/1\.1 100 [\s\S]*\{"id":1\}$/);
});

test('rejects a missing or invalid Host also with an Expect header or in a preflight', async () => {
  const preflight = 'Origin: http://b\r\nAccess-Control-Request-Method: GET\r\n';
  for (const [method, header] of [
    ['OPTIONS', preflight],
    ['GET', 'Expect: tea\r\n'],
  ] as const) {
    const ask = (host: string) => raw(`${method} /api/v4/things HTTP/1.1\r\n${host}${header}Connection: close\r\n\r\n`);
    assert.match(await ask(''), /^HTTP\/1\.1 400 /, method);
    assert.match(await ask('Host: a b\r\n'), /^HTTP\/1\.1 400 /, method);
    assert.match(await ask('Host: a\r\n'), /^HTTP\/1\.1 (204|417) /, method);
  }
});

test('logs a client that disconnects before the response as 499, not as an error', async () => {
  const { hostname, port } = new URL(address);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write('POST /api/v4/things?gone HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nq=1');
  await new Promise((resolve) => server.transport.server.once('request', resolve));
  socket.destroy();
  const line = () =>
    server
      .logged()
      .split('\n')
      .find((entry) => entry.includes('/things?gone'));
  while (line() === undefined) await nextTurn();
  assert.match(line()!, /"status":499/);
});

test('the Date header uses the clock', async () => {
  const expected = 'Fri, 02 Jan 2026 03:04:05 GMT';
  for (const path of ['/things', '/nothing']) assert.equal((await anonymous.get(path)).headers.date, expected);
  assert.match(await raw('nonsense\r\n\r\n'), new RegExp(`\r\nDate: ${expected}\r\n`));
});

test('an exception returns 500 without details; the log has the details without secrets', async () => {
  assert.deepEqual(await ask('/broken?password=fedcba9876543210'), [500, '{"message":"500 Internal Server Error"}']);
  const line =
    server
      .logged()
      .split('\n')
      .find((entry) => entry.includes('A request failed')) ?? '';
  assert.match(line, /kaputt/);
  assert.match(line, /"endpoint":"breakThing"/);
  assert.doesNotMatch(server.logged(), /hunter2|0123456789abcdef|fedcba9876543210/);
});

test('returns 503 while the database is unavailable', async () => {
  assert.deepEqual(await ask('/lost'), [503, '{"message":"503 Service Unavailable"}']);
  assert.equal((await anonymous.get('/lost')).headers['retry-after'], '10');
});

test('a JSON text that cannot be encoded in a URL does not break links', async () => {
  const headers = { 'Content-Type': 'application/json' };
  const answer = await anonymous.send('GET', '/things', { raw: '{"search":"\\ud800","file":{"a":[1,null]}}', headers });
  assert.equal(answer.status, 200);
});

test('slow headers have a time limit of their own', async () => {
  // The transport sets no limit for whole requests; that for headers is apart.
  const { transport } = server;
  assert.equal(transport.server.headersTimeout, 60_000);
});

test('a client that does not read its response does not delay shutdown', async () => {
  const endless = new Readable({ read: () => void endless.push(Buffer.alloc(65_536)) });
  const flood = endpoint({
    get: '/flood',
    summary: 'Flood',
    access: open(),
    response: stream,
    handle: () => ({ headers: {}, body: endless }),
  });
  const flooding = await startMinimalServer({ flood }, { graceMs: 50 });
  const { hostname, port } = new URL(flooding.address);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => {});
  socket.write('GET /api/v4/flood HTTP/1.1\r\nHost: test\r\n\r\n');
  await once(socket, 'readable');
  const ended = new Promise((resolve) => endless.once('close', resolve));
  await flooding.stop();
  await ended;
  socket.destroy();
});

test('a client that disconnects during its body leaves no timer', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
  const before = timers();
  const left = await startMinimalServer({ createThing: endpoints.createThing });
  const { hostname, port } = new URL(left.address);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write('POST /api/v4/things HTTP/1.1\r\nHost: test\r\nContent-Length: 100000000\r\n\r\n{');
  await once(socket, 'readable');
  socket.destroy();
  await left.stop();
  assert.equal(timers(), before);
});

// The last test: it stops the server.
test('completes requests in flight on shutdown and stops without delay', async () => {
  const { hostname, port } = new URL(address);
  const agent = new Agent({ keepAlive: true });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest({ hostname, port, path: '/api/v4/slow', agent }, resolve).on('error', reject).end();
  });
  await entered.promise;
  const stopped = server.stop();
  while (server.transport.server.listening) await nextTurn();
  released.resolve();
  const answer = await answered;
  const chunks = await answer.setEncoding('utf8').toArray();
  assert.deepEqual([answer.statusCode, chunks.join(''), answer.headers.connection], [200, 'done', 'close']);
  await stopped;
  await assert.rejects(fetch(`${address}/api/v4/things/1`));
  agent.destroy();
});
