import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { json, text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { createFakePrimary, startTestSecondary } from '../world.testing.ts';

// Proxied requests of a secondary (contract/operations.md §3.5, "Serve"): all that it does not serve locally.

interface Echo {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly rawHeaders: string[];
  readonly bytes: number;
  readonly sha256: string;
}

async function handing(t: TestContext, serverOptions: Parameters<typeof startTestSecondary>[2] = {}, prefix = '') {
  const primary = await createFakePrimary(t);
  const secondary = await startTestSecondary(t, primary.url + prefix, serverOptions);
  return { primary, secondary, address: secondary.address };
}

/** Sends bytes on a new connection and reads until it closes. */
async function raw(address: string, bytes: string): Promise<string> {
  const socket = await connected(address);
  socket.write(bytes);
  return text(socket);
}

async function connected(address: string): Promise<Socket> {
  const socket = connect(Number(new URL(address).port), '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

const bodyOf = (answer: string): Echo =>
  JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1)) as Echo;

test('forwards method, path, query, headers and body unchanged, and returns the response', async (t) => {
  const { address, primary } = await handing(t);
  const answer = await fetch(`${address}/api/v4/projects/a%2Fb/x?q=%20y&z[]=1`, {
    method: 'PATCH',
    headers: { 'private-token': 'glpat-x', 'x-odd': 'v', 'content-type': 'text/odd' },
    body: 'h\u00e4',
  });
  const echo = (await answer.json()) as Echo;
  assert.deepEqual([echo.method, echo.url, echo.bytes], ['PATCH', '/api/v4/projects/a%2Fb/x?q=%20y&z[]=1', 3]);
  const { host, 'private-token': token, 'x-odd': odd, 'content-type': type } = echo.headers;
  assert.deepEqual([host, token, odd, type], [new URL(primary.url).host, 'glpat-x', 'v', 'text/odd']);
  assert.equal(answer.headers.get('x-from'), 'primary');
  assert.equal(answer.headers.get('x-hearth-site'), 'lyon');
  assert.equal(answer.headers.get('x-hearth-proxied'), 'true');
});

test('drops hop-by-hop headers and headers that claim a client identity', async (t) => {
  const { address } = await handing(t);
  const lines = [
    'GET /x HTTP/1.1',
    'Host: evil.example',
    'Connection: close, X-Named, X-Forwarded-For',
    'X-Named: 1',
    'X-Forwarded-For: 1.2.3.4',
    'X_Forwarded_For: 1.2.3.4',
    'X-Forwarded-Host: evil.example',
    'X-Forwarded-Proto: https',
    'X-Real-IP: 1.2.3.4',
    'Forwarded: for=1.2.3.4',
    'Proxy-Authorization: Basic eA==',
    'TE: trailers',
    'Upgrade: websocket',
    'X-Hearth-Site: evil',
    'X-Kept: 1',
    'x-kept: 2',
  ];
  const { rawHeaders } = bodyOf(await raw(address, `${lines.join('\r\n')}\r\n\r\n`));
  const headerLines = rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${rawHeaders[at + 1]}`] : []));
  const [host, ...rest] = headerLines;
  assert.match(host!, /^Host: 127\.0\.0\.1:/);
  assert.deepEqual(rest, [
    'X-Kept: 1',
    'x-kept: 2',
    'X-Forwarded-For: 127.0.0.1',
    'X-Hearth-Proxied: true',
    'Connection: keep-alive',
  ]);
});

test('forwards the client address of a trusted proxy', async (t) => {
  const { address } = await handing(t, { env: { HEARTH_TRUSTED_PROXIES: '127.0.0.1' } });
  const answer = await fetch(`${address}/x`, { headers: { 'x-forwarded-for': '203.0.113.7' } });
  assert.equal(((await answer.json()) as Echo).headers['x-forwarded-for'], '203.0.113.7, 127.0.0.1');
});

test('no path leads to another server or out of the base path of the primary', async (t) => {
  const { address } = await handing(t, {}, '/prefix');
  const get = (target: string) => raw(address, `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  for (const target of ['//evil.example/x', 'http://evil.example//evil.example/x']) {
    assert.equal(bodyOf(await get(target)).url, '/prefix//evil.example/x');
  }
  for (const target of [
    '/../x',
    '/a/%2e%2E/x',
    '/a/..;/x',
    '/..',
    '/a%2f..%2fx',
    '/a/..\\x',
    'http://evil.example',
    '*',
  ]) {
    const answer = await get(target);
    if (target === 'http://evil.example') assert.equal(bodyOf(answer).url, '/prefix/');
    else assert.match(answer, /^HTTP\/1\.1 400 Bad Request/, target);
    assert.match(answer, /X-Hearth-Site: lyon/);
  }
});

test('rejects two lengths, and a length with chunked encoding', async (t) => {
  const { address, primary } = await handing(t);
  for (const framing of ['Content-Length: 3\r\nContent-Length: 4', 'Content-Length: 4\r\nTransfer-Encoding: chunked']) {
    const answer = await raw(address, `POST /x HTTP/1.1\r\nHost: a\r\n${framing}\r\n\r\n0\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 400 Bad Request[\s\S]*X-Hearth-Proxied: false/);
  }
  assert.deepEqual(primary.requests, []);
});

test('forwards a chunked body without the pipelined request after it', async (t) => {
  const { address } = await handing(t);
  const first = 'POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n';
  const both = await raw(address, `${first}GET /y HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  const bodies = both.split('HTTP/1.1 200 OK').slice(1).map(bodyOf);
  assert.deepEqual(
    bodies.map(({ method, url, bytes }) => [method, url, bytes]),
    [
      ['POST', '/x', 3],
      ['GET', '/y', 0],
    ],
  );
});

test('returns 508 to a request that was already proxied', async (t) => {
  const { address, primary } = await handing(t);
  const answer = await fetch(`${address}/x`, { headers: { 'x-hearth-proxied': 'true' } });
  assert.deepEqual([answer.status, await answer.json()], [508, { message: '508 Loop Detected' }]);
  assert.deepEqual(primary.requests, []);
});

test('returns 503 to proxied requests while the primary is down, and is still ready', async (t) => {
  const { address, primary } = await handing(t);
  await primary.close();
  for (const method of ['GET', 'POST']) {
    const answer = await fetch(`${address}/api/v4/projects`, { method });
    assert.deepEqual([answer.status, await answer.json()], [503, { message: '503 Service Unavailable' }]);
    assert.equal(answer.headers.get('x-hearth-site'), 'lyon');
  }
  const ready = await fetch(`${address}/-/readiness`);
  assert.deepEqual([ready.status, await ready.json()], [200, { status: 'ok', master_check: [{ status: 'ok' }] }]);
  assert.equal(ready.headers.get('x-hearth-proxied'), 'false');
  await primary.open();
  assert.equal((await fetch(`${address}/api/v4/projects`)).status, 200);
});

test('requires the metrics token for its own metrics', async (t) => {
  const { address, primary } = await handing(t, { env: { HEARTH_METRICS_TOKEN: 'metrics-token-0123456789' } });
  const refused = await fetch(`${address}/-/metrics`);
  assert.deepEqual([refused.status, await refused.json()], [401, { message: '401 Unauthorized' }]);
  assert.equal(refused.headers.get('www-authenticate'), 'Bearer realm="Metrics"');
  const headers = { authorization: 'Bearer metrics-token-0123456789' };
  const accepted = await fetch(`${address}/-/metrics`, { headers });
  assert.match(await accepted.text(), /^hearth_build_info/m);
  assert.deepEqual(primary.requests, []);
});

test('retries a GET whose idle connection was closed', async (t) => {
  const { address, primary } = await handing(t);
  for (let round = 0; round < 3; round++) {
    assert.equal((await fetch(`${address}/x`)).status, 200);
    await primary.close();
    await primary.open();
  }
});

test('a client that disconnects aborts its proxied request', async (t) => {
  const { address, primary } = await handing(t);
  const begun = Promise.withResolvers<IncomingMessage>();
  primary.intercept = (incoming) => {
    begun.resolve(incoming);
    return true;
  };
  const socket = await connected(address);
  socket.write('POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc');
  const incoming = await begun.promise;
  const ended = new Promise((resolve) => incoming.on('error', resolve));
  socket.destroy();
  await ended;
  assert.equal(incoming.complete, false);
});

test('limits informational responses of a primary', async (t) => {
  const { address, primary } = await handing(t);
  primary.intercept = (_request, { socket }) => {
    const write = () => {
      while (socket!.writable && socket!.write('HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n'));
    };
    socket!.on('drain', write).on('error', () => {});
    write();
    return true;
  };
  assert.equal((await fetch(`${address}/x`)).status, 503);
});

test('a truncated response does not look complete', async (t) => {
  const { address, primary } = await handing(t);
  primary.intercept = (_request, response) => {
    response.writeHead(200);
    response.write('half', () => response.destroy());
    return true;
  };
  const answer = await fetch(`${address}/x`);
  await assert.rejects(answer.text());
});

test('disconnects clients that stall, and responds 503 or aborts if the primary stalls', async (t) => {
  const { address, primary } = await handing(t, { stallTimeoutMs: 200, primaryTimeoutMs: 300 });
  const silent = await connected(address);
  silent.write('POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc');
  await once(silent.resume(), 'close');
  primary.intercept = () => true;
  const answer = await fetch(`${address}/x`);
  assert.equal(answer.status, 503);
  primary.intercept = (_request, response) => {
    response.writeHead(200);
    return response.write('and then nothing');
  };
  const stalled = await fetch(`${address}/x`);
  await assert.rejects(stalled.text());
});

/** Simulates a client that reads only after it has sent everything. */
async function sendAll(address: string): Promise<IncomingMessage> {
  const sending = request(`${address}/x`, { method: 'PUT', headers: { 'content-length': 8 * 1024 * 1024 } });
  const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
  for (let sent = 0; sent < 8; sent++) {
    if (!sending.write(Buffer.alloc(1024 * 1024))) await once(sending, 'drain');
  }
  sending.end();
  return (await answered)[0];
}

test('an early response reaches a client that reads only after it has sent everything', async (t) => {
  const { address, primary } = await handing(t);
  primary.intercept = (incoming, response) => {
    incoming.resume();
    incoming.once('data', () => response.writeHead(413).end('{"message":"too much"}'));
    return true;
  };
  const answer = await sendAll(address);
  assert.deepEqual([answer.statusCode, await json(answer)], [413, { message: 'too much' }]);
});

test('applies back-pressure in both directions', async (t) => {
  const { address, primary } = await handing(t, { stallTimeoutMs: 300 });
  // The response is not read.
  primary.intercept = (incoming) => incoming.pause() !== null;
  const sending = await connected(address);
  sending.write(`POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: ${100 * MEBIBYTE}\r\n\r\n`);
  assert.ok((await takenBy(sending)) < 32 * MEBIBYTE);
  const answering = Promise.withResolvers<number>();
  primary.intercept = (_incoming, response) => {
    takenBy(response).then(answering.resolve);
    return true;
  };
  const silent = await connected(address);
  silent.pause().write('GET /x HTTP/1.1\r\nHost: a\r\n\r\n');
  assert.ok((await answering.promise) < 32 * MEBIBYTE);
});

/** Returns the number of bytes accepted before the connection stalls. */
function takenBy(output: Writable): Promise<number> {
  let sent = 0;
  const more = () => {
    if (output.destroyed) return;
    sent += PIECE.length;
    if (output.write(PIECE)) setImmediate(more);
  };
  return new Promise((resolve) => {
    output.on('drain', more).once('close', () => resolve(sent));
    more();
  });
}

const MEBIBYTE = 1024 * 1024;
const PIECE = randomBytes(MEBIBYTE);

test('forwards a large body unchanged', async (t) => {
  const { address } = await handing(t);
  const sum = createHash('sha256');
  const sending = request(`${address}/x`, { method: 'POST' });
  const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
  for (let piece = 0; piece < 8; piece++) {
    sum.update(PIECE);
    if (!sending.write(PIECE)) await once(sending, 'drain');
  }
  sending.end();
  const echo = (await json((await answered)[0])) as Echo;
  assert.deepEqual([echo.bytes, echo.sha256], [8 * MEBIBYTE, sum.digest('hex')]);
});
