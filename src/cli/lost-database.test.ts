import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { loadConfig } from '#config.ts';
import { startServer } from '#server.ts';
import { testPlace } from '#test/engines/engine.ts';

/** A TCP proxy before PostgreSQL, which can be cut off and opened again at the same port. */
async function startProxy(t: TestContext, target: { readonly host: string; readonly port: number }) {
  const sockets = new Set<Socket>();
  let server: Server;
  let port = 0;
  const open = async () => {
    server = createServer((client) => {
      const upstream = connect(target);
      for (const socket of [client, upstream]) {
        sockets.add(socket);
        socket.on('error', () => {}).on('close', () => sockets.delete(socket));
      }
      client.pipe(upstream).pipe(client);
    });
    await once(server.listen(port, '127.0.0.1'), 'listening');
    port = (server.address() as AddressInfo).port;
  };
  const cut = async () => {
    const closed = once(server.close(), 'close');
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await open();
  t.after(() => cut());
  return { open, cut, port };
}

test('a server that loses PostgreSQL answers 503, is not ready, and goes on when it is back', async (t) => {
  const place = await testPlace('started');
  t.after(() => place.remove());
  if (place.url === undefined) return t.skip('SQLite is a file');
  const url = new URL(place.url);
  const proxy = await startProxy(t, { host: url.hostname, port: Number(url.port) });
  url.port = String(proxy.port);
  // The parameter names a Unix socket, which no proxy sees.
  url.searchParams.delete('host');
  const env = { HEARTH_DATA_DIR: place.dataDir, HEARTH_DATABASE_URL: url.href, HEARTH_PORT: '0' };
  const server = await startServer(loadConfig({ ...env, HEARTH_LOG_LEVEL: 'silent' }));
  t.after(() => server.stop());
  const get = (path: string) => fetch(`${server.address}${path}`);
  const statuses = async () => {
    const answers = await Promise.all(['/-/liveness', '/-/readiness', '/api/v4/projects'].map(get));
    return answers.map(({ status }) => status);
  };
  assert.deepEqual(await statuses(), [200, 200, 200]);
  // A transaction is open, between two statements.
  const interrupted = server.services.database.transaction(async (tx) => {
    await tx.selectFrom('users').select('id').execute();
    await proxy.cut();
    await tx.selectFrom('users').select('id').execute();
  });
  await assert.rejects(interrupted, { name: 'DatabaseUnavailable' });
  assert.deepEqual(await statuses(), [200, 503, 503]);
  assert.equal((await get('/api/v4/projects')).headers.get('retry-after'), '10');
  await proxy.open();
  assert.deepEqual(await statuses(), [200, 200, 200]);
});
