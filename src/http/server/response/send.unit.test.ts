import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { open } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { stream, text } from '#http/endpoint/responses.ts';
import { startMinimalServer } from '#test/support/minimal-server.ts';

// Responses whose clients disconnect or stop reading.

/** Every stream that the endpoints have answered with. */
const bodies: Readable[] = [];
let asked = Promise.withResolvers<void>();
let go = Promise.withResolvers<void>();

function body(read: (this: Readable) => void): Readable {
  const made = new Readable({ read });
  bodies.push(made);
  return made;
}

function flood(this: Readable) {
  this.push(Buffer.alloc(65_536));
}

const shared = { access: open(), response: stream } as const;

const endpoints = {
  floodThing: endpoint({
    get: '/flood',
    summary: 'Endless',
    ...shared,
    handle: () => ({ headers: {}, body: body(flood) }),
  }),
  awaitThing: endpoint({
    get: '/late',
    summary: 'Endless, after a while',
    ...shared,
    async handle() {
      asked.resolve();
      await go.promise;
      return { headers: {}, body: body(flood) };
    },
  }),
  silentThing: endpoint({
    get: '/silent',
    summary: 'Says nothing',
    ...shared,
    handle() {
      asked.resolve();
      return { headers: {}, body: body(() => {}) };
    },
  }),
  wrongThing: endpoint({
    get: '/wrong',
    summary: 'Has a header that none can be',
    ...shared,
    handle: () => ({ headers: { 'X-Wrong': 'a\nb' }, body: body(flood) }),
  }),
  longThing: endpoint({
    get: '/long',
    summary: 'A long text',
    access: open(),
    response: text,
    handle: () => 'ä'.repeat(8 * 2 ** 20),
  }),
  hurryThing: endpoint({
    post: '/hurry',
    summary: 'Answers at length before its body has come',
    access: open(),
    body: 'raw',
    response: text,
    handle: ({ request }) => 'a'.repeat(Number(request.headers['x-length'])),
  }),
  createThing: endpoint({
    post: '/things',
    summary: 'Reads its body',
    access: open(),
    response: text,
    handle: () => '',
  }),
};

const patient = await startMinimalServer(endpoints);
const hasty = await startMinimalServer(endpoints, { idleTimeoutMs: 100 });

function ask(address: string, ...paths: string[]): Socket {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(address).port) });
  socket.on('error', () => {});
  socket.write(paths.map((path) => `GET /api/v4${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''));
  return socket;
}

/** Waits until all of them are destroyed. */
async function ends(made: readonly Readable[]): Promise<void> {
  await Promise.all(made.map((each) => each.closed || new Promise((resolve) => each.once('close', resolve))));
}

test('destroys a stream whose client disconnected before it began', async () => {
  for (const path of ['/late', '/late']) {
    [asked, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const socket = ask(patient.address, path);
    await asked.promise;
    const seen = once(patient.transport.server, 'connection');
    socket.destroy();
    await once(socket, 'close');
    // The server accepts a later connection only after it has noticed the end of an earlier one.
    const later = ask(patient.address, '/nothing');
    await seen;
    await once(later, 'data');
    later.destroy();
    go.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    await ends(bodies.splice(0));
  }
});

test('destroys an idle stream when its client disconnects', async () => {
  asked = Promise.withResolvers<void>();
  const socket = ask(patient.address, '/silent');
  await asked.promise;
  socket.destroy();
  await ends(bodies.splice(0));
});

test('a stream is destroyed when its headers cannot be written', async () => {
  const answer = await patient.raw('GET /api/v4/wrong HTTP/1.1\r\nHost: a\r\n\r\n');
  assert.equal(answer, '');
  await ends(bodies.splice(0));
});

test('disconnects a client that stops reading any kind of response', async () => {
  for (const path of ['/flood', '/long']) {
    const socket = ask(hasty.address, path);
    const [connection] = (await once(hasty.transport.server, 'connection')) as [Socket];
    await once(socket, 'readable');
    await once(connection, 'close');
    await ends(bodies.splice(0));
    socket.destroy();
  }
});

test('sends a long text completely', async () => {
  const { bytes } = await patient.anonymous.get('/long');
  assert.equal(bytes.toString(), 'ä'.repeat(8 * 2 ** 20));
});

/** A body that is too large, to a connection that ends with its answer. */
function sendTooMuch(address: string): Socket {
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(address).port) });
  const lines = ['POST /api/v4/things HTTP/1.1', 'Host: a', 'Connection: close', `Content-Length: ${64 * 2 ** 20}`];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  return socket;
}

test('a client that reads only after sending everything gets its error, and its connection is closed', async () => {
  const socket = sendTooMuch(patient.address);
  const chunk = Buffer.alloc(2 ** 20);
  for (let sent = 0; sent < 64; sent++) {
    await new Promise<void>((resolve, reject) => socket.write(chunk, (error) => (error ? reject(error) : resolve())));
  }
  const answer = await socket.setEncoding('latin1').toArray();
  assert.match(answer.join(''), /^HTTP\/1\.1 413 /);
});

test('disconnects a rejected client that neither continues nor disconnects', async () => {
  const socket = sendTooMuch(hasty.address);
  const answer = await socket.setEncoding('latin1').toArray();
  assert.match(answer.join(''), /^HTTP\/1\.1 413 /);
});

test('later pipelined requests wait, and are discarded with their connection', async () => {
  const socket = ask(patient.address, ...Array.from({ length: 50 }, () => '/flood'));
  await once(socket, 'readable');
  assert.equal(bodies.length, 1);
  socket.destroy();
  await ends(bodies);
  assert.equal(bodies.splice(0).length, 1);
});

test('responds to pipelined requests in order', async () => {
  const paths = ['/long', '/nothing', '/long', '/wrong'];
  const answer = await patient.raw(paths.map((path) => `GET /api/v4${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''));
  assert.deepEqual(answer.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 200']);
  await ends(bodies.splice(0));
});

test('closes a connection with over a hundred pipelined requests before the first response', async () => {
  const socket = ask(patient.address, ...Array.from({ length: 102 }, () => '/flood'));
  socket.resume();
  await once(socket, 'close');
  await ends(bodies.splice(0));
});

test('disconnects a client that does not read its early response after sending everything', async () => {
  // Both responses exceed the socket buffers; the first is written at once, the second in chunks.
  for (const length of [262_144, 32 * 2 ** 20]) {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(hasty.address).port) });
    socket.on('error', () => {});
    const lines = ['POST /api/v4/hurry HTTP/1.1', 'Host: a', 'Connection: close', `X-Length: ${length}`];
    socket.write(`${lines.join('\r\n')}\r\nContent-Length: 2\r\n\r\na`);
    const [connection] = (await once(hasty.transport.server, 'connection')) as [Socket];
    const closed = once(connection, 'close');
    await once(socket, 'readable');
    const waiting = connection.writableLength;
    socket.write('b');
    await closed;
    assert.ok(waiting <= 2 * 262_144, `${waiting} bytes wait at once`);
    socket.destroy();
  }
});
