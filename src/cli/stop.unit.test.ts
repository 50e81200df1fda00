import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { loadConfig } from '#config.ts';
import { createLog } from '#runtime/log.ts';
import { startServer } from '#server.ts';
import { startServerFor, temporaryDirectory } from './process.testing.ts';

/** Starts a server, and returns it with its log lines. */
async function startLoggedServer(t: TestContext, timeout: string) {
  const env = { HEARTH_DATA_DIR: await temporaryDirectory(t), HEARTH_PORT: '0', HEARTH_SHUTDOWN_TIMEOUT: timeout };
  const config = loadConfig(env);
  const lines: Record<string, unknown>[] = [];
  const log = createLog(config, { destination: { write: (line: string) => void lines.push(JSON.parse(line)) } });
  const server = await startServer(config, { log });
  return { server, lines: () => lines.filter(({ msg }) => String(msg).includes('interrupted')) };
}

/** Begins a request whose body never ends. Resolves when the server waits for the body. */
async function beginRequest(t: TestContext, address: string) {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  t.after(() => socket.destroy());
  const headers = ['Host: hearth', 'Content-Type: application/json', 'Content-Length: 10', 'Expect: 100-continue'];
  socket.write(`POST /api/v4/projects HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
  const [answer] = await once(socket, 'data');
  assert.match(String(answer), /^HTTP\/1\.1 100 Continue/);
  return { closed: once(socket, 'close') };
}

test('a stop cuts off a request that does not end within the timeout, and logs it', async (t) => {
  const { server, lines } = await startLoggedServer(t, '0');
  const { closed } = await beginRequest(t, server.address);
  await server.stop();
  await closed;
  const [line] = lines();
  assert.deepEqual([line?.level, line?.requests, line?.jobs, line?.seconds], ['warn', 1, [], 0]);
});

test('a second signal ends a server that waits for running work', async (t) => {
  const env = { HEARTH_DATA_DIR: await temporaryDirectory(t), HEARTH_SHUTDOWN_TIMEOUT: '3600' };
  const { child, ended, address } = await startServerFor(t, env);
  await beginRequest(t, address);
  // A signal soon after the first one counts as the same: Ctrl-C reaches a server twice.
  while (child.exitCode === null) {
    child.kill('SIGTERM');
    await nextTurn();
  }
  assert.deepEqual(await ended, [143, null]);
});

test('a stop without running work logs no interruption', async (t) => {
  const { server, lines } = await startLoggedServer(t, '8');
  assert.equal((await fetch(`${server.address}/-/liveness`)).status, 200);
  await server.stop();
  assert.deepEqual(lines(), []);
});
