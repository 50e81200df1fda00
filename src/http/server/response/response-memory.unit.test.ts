import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { open } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { text } from '#http/endpoint/responses.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { startMinimalServer } from '#test/support/minimal-server.ts';

const MEBIBYTE = 2 ** 20;
/** The number of changes that were made. */
let changes = 0;

const shared = { access: open(), params: { mebibytes: required(integer) }, response: text } as const;
const { anonymous, address, raw } = await startMinimalServer({
  getText: endpoint({
    get: '/texts/:mebibytes',
    summary: 'Get a long text',
    ...shared,
    handle: ({ params }) => 'x'.repeat(params.mebibytes * MEBIBYTE),
  }),
  createText: endpoint({
    post: '/texts/:mebibytes',
    summary: 'Create a long text',
    ...shared,
    handle({ params }) {
      changes++;
      return 'x'.repeat(params.mebibytes * MEBIBYTE);
    },
  }),
});

const sockets: Socket[] = [];

/** Requests a text and reads only the start of the response. */
async function stall(t: TestContext, mebibytes: number): Promise<void> {
  t.after(disconnectAll);
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(address).port) });
  socket.on('error', () => {});
  sockets.push(socket);
  socket.write(`GET /api/v4/texts/${mebibytes} HTTP/1.1\r\nHost: a\r\n\r\n`);
  await once(socket, 'readable');
}

/** Disconnects the stalled clients; resolves when the server has released their memory. */
async function disconnectAll(): Promise<void> {
  for (const socket of sockets.splice(0)) socket.destroy();
  while ((await anonymous.get('/texts/31')).status !== 200);
}

test('returns 503 for a response that does not fit into the memory limit, and sends short ones', async (t) => {
  await stall(t, 12);
  await stall(t, 11);
  const { status, headers, body } = await anonymous.get('/texts/1');
  assert.deepEqual([status, headers['retry-after']], [503, '10']);
  assert.deepEqual(body, { message: '503 Service Unavailable' });
  assert.equal((await anonymous.get('/texts/0')).status, 200);
});

test('sends a response over the limit to a network without other responses', async () => {
  const { status, bytes } = await anonymous.get('/texts/40');
  assert.deepEqual([status, bytes.length], [200, 40 * MEBIBYTE]);
});

test('rejects a write before its execution', async (t) => {
  changes = 0;
  await stall(t, 32);
  assert.equal((await anonymous.post('/texts/1')).status, 503);
  assert.equal(changes, 0);
});

test('disconnects the client of an executed write, because 503 would invite a retry', async (t) => {
  changes = 0;
  await stall(t, 16);
  const received = await raw('POST /api/v4/texts/20 HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n');
  assert.deepEqual([received, changes], ['', 1]);
});
