import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { OutboundFailure, type OutboundFailureKind, type OutboundRules, type Resolver } from './check-url.ts';
import { createOutbound } from './client.ts';

const strict: OutboundRules = { allowLocalRequests: false, allowList: [], maxResponseBytes: null, serverUrl: null };
const open: OutboundRules = { ...strict, allowLocalRequests: true };

const toLoopback: Resolver = async () => [{ address: '127.0.0.1', family: 4 }];

function outbound(rules: OutboundRules = open, resolver = toLoopback) {
  return createOutbound({ rules: () => rules, userAgent: 'Hearth/test', resolver });
}

async function server(t: TestContext, listener: RequestListener): Promise<number> {
  const http = createServer(listener);
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  t.after(() => {
    http.closeAllConnections();
    http.close();
  });
  return (http.address() as AddressInfo).port;
}

async function fails(promise: Promise<unknown>, kind: OutboundFailureKind, message?: RegExp): Promise<void> {
  await assert.rejects(promise, (error: unknown) => {
    assert.ok(error instanceof OutboundFailure, String(error));
    assert.equal(error.kind, kind, error.message);
    if (message) assert.match(error.message, message);
    return true;
  });
}

test('sends a request unchanged and returns the response', async (t) => {
  let seen: { request: IncomingMessage; body: string } | undefined;
  const port = await server(t, async (request, response) => {
    seen = { request, body: await text(request) };
    response.writeHead(404, { 'x-page': '2' }).end('gone');
  });
  const url = `http://forge.example:${port}/prefix/api?x=%20y`;
  const answer = await outbound().request({ method: 'PUT', url, headers: { 'private-token': 's' }, body: 'h\u00e4' });
  assert.equal(answer.status, 404);
  assert.equal(answer.headers['x-page'], '2');
  assert.equal(answer.url.href, url);
  assert.equal(await text(answer.body), 'gone');
  assert.equal(seen?.body, 'h\u00e4');
  assert.equal(seen?.request.method, 'PUT');
  assert.equal(seen?.request.url, '/prefix/api?x=%20y');
  const { host, 'user-agent': agent, 'private-token': token, 'content-length': length } = seen!.request.headers;
  assert.deepEqual([host, agent, token, length], [`forge.example:${port}`, 'Hearth/test', 's', '3']);
});

test('rejects a host with a local address before connecting', async (t) => {
  let connections = 0;
  const port = await server(t, (_request, response) => {
    connections += 1;
    response.end();
  });
  const guarded = outbound(strict);
  const hosts = ['forge.example', '127.0.0.1', '2130706433', '0x7f.1', '[::1]', '[::ffff:127.0.0.1]', 'localhost', '0'];
  for (const host of hosts) {
    await fails(
      guarded.request({ url: `http://${host}:${port}/` }),
      'blocked',
      /^Requests to localhost are not allowed$/,
    );
  }
  assert.equal(connections, 0);
});

test('rejects a host with one local address among public ones', async () => {
  const mixed: Resolver = async () => [
    { address: '1.1.1.1', family: 4 },
    { address: '10.0.0.1', family: 4 },
  ];
  await fails(outbound(strict, mixed).check('https://forge.example'), 'blocked', /local network/);
});

test('connects to the checked address without a second DNS lookup', async (t) => {
  const port = await server(t, (_request, response) => response.end('here'));
  let asked = 0;
  const changing: Resolver = async () => {
    asked += 1;
    return [{ address: asked === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }];
  };
  const rules = { ...strict, allowList: ['127.0.0.1'] };
  const answer = await outbound(rules, changing).request({ url: `http://forge.example:${port}/` });
  assert.equal(await text(answer.body), 'here');
  assert.equal(asked, 1);
});

test('exempts the allow list and the own URL, but no other ports of the same host', async () => {
  const listed = outbound({ ...strict, allowList: ['forge.example:81'] });
  assert.equal((await listed.check('http://forge.example:81/x')).addresses[0]?.address, '127.0.0.1');
  await fails(listed.check('http://forge.example:82/x'), 'blocked');
  const own = outbound({ ...strict, serverUrl: new URL('https://hearth.example/prefix') });
  assert.equal((await own.check('https://hearth.example:443/other')).url.pathname, '/other');
  await fails(own.check('http://hearth.example/prefix'), 'blocked');
  await fails(own.check('https://hearth.example:444/prefix'), 'blocked');
});

test('rejects other schemes, invalid URLs and unknown hosts', async () => {
  await fails(outbound().check('ftp://forge.example/'), 'blocked', /^Only allowed schemes are http, https$/);
  await fails(outbound().check('file://host/etc/passwd'), 'blocked', /^Only allowed schemes/);
  await fails(outbound().check('file:///etc/passwd'), 'blocked', /^Only allowed schemes/);
  await fails(outbound().check('nothing'), 'blocked', /^Host cannot be resolved or invalid$/);
  await fails(outbound(open, async () => []).check('http://x/'), 'unresolved', /^Host cannot be resolved or invalid$/);
  const broken: Resolver = () => Promise.reject(new Error('ENOTFOUND'));
  await fails(outbound(open, broken).request({ url: 'http://x/' }), 'unresolved');
});

test('checks the address of each redirect', async (t) => {
  const port = await server(t, (_request, response) => {
    response.writeHead(302, { location: 'http://127.0.0.1:1/secret' }).end();
  });
  const rules = { ...strict, allowList: [`forge.example:${port}`] };
  await fails(outbound(rules).request({ url: `http://forge.example:${port}/` }), 'blocked', /localhost/);
});

test('drops credentials at a redirect to another origin, also when redirected back', async (t) => {
  const seen: [string | undefined, string | undefined, string | undefined][] = [];
  const port = await server(t, ({ headers, url }, response) => {
    seen.push([headers.host, headers['private-token'] as string | undefined, headers['x-plain'] as string | undefined]);
    const next = {
      '/': '/second',
      '/second': `http://other.example:${port}/third`,
      '/third': `http://forge.example:${port}/end`,
    };
    const location = next[url as keyof typeof next];
    if (location) response.writeHead(307, { location }).end();
    else response.end('end');
  });
  const url = `http://forge.example:${port}/`;
  const headers = { 'Private-Token': 's', 'X-Plain': 'p' };
  const answer = await outbound().request({ url, headers, maxRedirects: 3 });
  assert.equal(answer.url.href, `${url}end`);
  assert.equal(await text(answer.body), 'end');
  assert.deepEqual(seen, [
    [`forge.example:${port}`, 's', 'p'],
    [`forge.example:${port}`, 's', 'p'],
    [`other.example:${port}`, undefined, 'p'],
    [`forge.example:${port}`, undefined, 'p'],
  ]);
});

test('a redirected POST becomes a GET or stays a POST, depending on the status', async (t) => {
  const seen: string[] = [];
  const port = await server(t, async (request, response) => {
    seen.push(`${request.method} ${request.url} ${await text(request)}`.trim());
    const status = Number(request.url!.slice(1));
    if (status) response.writeHead(status, { location: '/' });
    response.end();
  });
  for (const status of [301, 303, 308]) {
    const url = `http://forge.example:${port}/${status}`;
    (
      await outbound().request({ method: 'POST', url, body: 'b', headers: { 'content-type': 'text/plain' } })
    ).body.destroy();
  }
  assert.deepEqual(seen, ['POST /301 b', 'GET /', 'POST /303 b', 'GET /', 'POST /308 b', 'POST / b']);
});

test('fails after too many redirects', async (t) => {
  let requests = 0;
  const port = await server(t, (_request, response) => {
    requests += 1;
    response.writeHead(302, { location: '/again' }).end();
  });
  await fails(outbound().request({ url: `http://forge.example:${port}/` }), 'tooManyRedirects');
  assert.equal(requests, 3);
});

test('rejects a response over the size limit, with or without Content-Length', async (t) => {
  const port = await server(t, ({ url }, response) => {
    if (url === '/announced') response.setHeader('content-length', 11);
    response.write('12345678901'.slice(0, 6));
    response.end('78901');
  });
  const url = `http://forge.example:${port}`;
  await fails(outbound().request({ url: `${url}/announced`, maxBytes: 10 }), 'tooLarge');
  const streamed = await outbound({ ...open, maxResponseBytes: 10 }).request({ url });
  await fails(text(streamed.body), 'tooLarge');
  const exact = await outbound().request({ url, maxBytes: 11 });
  assert.equal((await text(exact.body)).length, 11);
});

test('times out if a server does not respond or stalls', async (t) => {
  const port = await server(t, ({ url }, response) => {
    if (url === '/half') response.write('half');
  });
  const url = `http://forge.example:${port}`;
  await fails(outbound().request({ url, totalMs: 30 }), 'timeout', /within 0.03 s/);
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const half = await outbound().request({ url: `${url}/half`, totalMs: 60 });
  const failing = fails(text(half.body), 'timeout');
  t.mock.timers.tick(60);
  await failing;
});

test('times out a DNS lookup that does not end', async () => {
  const never: Resolver = () => new Promise(() => {});
  await fails(outbound(open, never).request({ url: 'http://forge.example/', connectMs: 20 }), 'timeout', /connection/);
});

test('distinguishes refused connections, invalid responses and truncated bodies from rejections', async (t) => {
  const port = await server(t, (request, response) => {
    response.writeHead(200, { 'content-length': 100 });
    response.write('half', () => request.socket.destroy());
  });
  const cut = await outbound().request({ url: `http://forge.example:${port}/` });
  await fails(text(cut.body), 'unreachable');
  const tcp = createTcpServer((socket) => void socket.resume().end('SSH-2.0\r\n')).listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const tcpPort = (tcp.address() as AddressInfo).port;
  await fails(outbound().request({ url: `http://forge.example:${tcpPort}/` }), 'badAnswer');
  tcp.close();
  await once(tcp, 'close');
  await fails(outbound().request({ url: `http://forge.example:${tcpPort}/` }), 'unreachable', /ECONNREFUSED/);
});

test('fails for endless informational responses', async (t) => {
  const port = await server(t, (_request, response) => {
    const { socket } = response;
    const write = () => {
      while (socket!.writable && socket!.write('HTTP/1.1 103 Early Hints\r\nLink: <a>\r\n\r\n'));
    };
    socket!.on('drain', write);
    socket!.on('error', () => {});
    write();
  });
  const few = await server(t, (_request, response) => {
    for (let i = 0; i < 5; i++) response.writeProcessing();
    response.end('here');
  });
  await fails(outbound().request({ url: `http://a.example:${port}/` }), 'badAnswer', /does not begin/);
  assert.equal(await text((await outbound().request({ url: `http://a.example:${few}/` })).body), 'here');
});

test('the caller can cancel before and during the body', async (t) => {
  const port = await server(t, (_request, response) => void response.write('half'));
  const url = `http://forge.example:${port}/`;
  await fails(outbound().request({ url, signal: AbortSignal.abort() }), 'aborted');
  const controller = new AbortController();
  const answer = await outbound().request({ url, signal: controller.signal });
  controller.abort();
  await fails(text(answer.body), 'aborted');
});

test('an unread body can be destroyed, or fail without an unhandled error', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const port = await server(t, (_request, response) => void response.write('half'));
  const answer = await outbound().request({ url: `http://forge.example:${port}/` });
  answer.body.destroy();
  await once(answer.body, 'close');
  const unheard = await outbound().request({ url: `http://forge.example:${port}/`, totalMs: 30 });
  const closed = new Promise((resolve) => unheard.body.once('close', resolve));
  t.mock.timers.tick(30);
  await closed;
});
