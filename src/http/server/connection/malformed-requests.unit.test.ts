import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { open } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { stream, text } from '#http/endpoint/responses.ts';
import { startMinimalServer } from '#test/support/minimal-server.ts';

// Invalid HTTP (contract/conventions.md §1 stage 1) on a connection with an earlier request.

const NONSENSE = '\0nonsense\r\n\r\n';
const begun = new PassThrough();
const entered = Promise.withResolvers<void>();

const server = await startMinimalServer({
  streamThing: endpoint({
    get: '/stream',
    summary: 'An answer that goes on',
    access: open(),
    response: stream,
    handle: () => ({ headers: {}, body: begun }),
  }),
  awaitThing: endpoint({
    post: '/slow',
    summary: 'An answer that has not begun',
    access: open(),
    response: text,
    async handle({ request }) {
      entered.resolve();
      await once(request.client.signal, 'abort');
      return 'done';
    },
  }),
});

function connected({ address } = server, allowHalfOpen = false): Socket {
  return connect({ host: '127.0.0.1', port: Number(new URL(address).port), allowHalfOpen }).on('error', () => {});
}

async function heard(socket: Socket): Promise<string> {
  let text = '';
  for await (const chunk of socket.setEncoding('latin1')) text += chunk;
  return text;
}

const head = (method: string, path: string, more = '') =>
  `${method} /api/v4${path} HTTP/1.1\r\nHost: test\r\n${more}\r\n`;

test('invalid bytes do not corrupt the previous response', async () => {
  const socket = connected();
  socket.write(head('GET', '/stream'));
  begun.write('beginning');
  await once(socket, 'readable');
  socket.write(NONSENSE);
  const text = await heard(socket).catch(String);
  assert.doesNotMatch(text, /Bad Request/);
});

test('a running request followed by invalid bytes gets no 400 response', async () => {
  const socket = connected();
  socket.write(head('POST', '/slow'));
  await entered.promise;
  socket.write(NONSENSE);
  assert.equal(await heard(socket), '');
});

test('rejects a body that ends in invalid bytes', async () => {
  const socket = connected();
  socket.write(`${head('POST', '/slow', 'Transfer-Encoding: chunked\r\nContent-Type: application/json\r\n')}zz\r\n`);
  assert.match(await heard(socket), /^HTTP\/1.1 400 Bad Request\r\n/);
  socket.destroy();
});

test('rejects invalid bytes after a response', async () => {
  const socket = connected();
  socket.write(head('GET', '/nothing'));
  await once(socket, 'data');
  socket.write(NONSENSE);
  assert.match(await heard(socket), /^HTTP\/1.1 400 Bad Request\r\n/);
});

test('closes the connection of a rejected client that does not disconnect', async () => {
  const hasty = await startMinimalServer({}, { idleTimeoutMs: 20 });
  const seen = once(hasty.transport.server, 'connection');
  const socket = connected(hasty, true);
  const [side] = await seen;
  socket.write(NONSENSE);
  assert.match(await heard(socket), /^HTTP\/1.1 400 Bad Request\r\n/);
  await once(side, 'close');
});
