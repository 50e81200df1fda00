import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { after } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { attack, head, startTarget } from './attack.ts';

// Clients that send nothing more, or hardly anything, or stop reading.

const target = await startTarget({ idleTimeout: 200 });
const basic = { Authorization: `Basic ${Buffer.from(`root:${target.asRoot['PRIVATE-TOKEN']}`).toString('base64')}` };
const json = { ...target.asRoot, 'Content-Type': 'application/json' };
const multipart = { ...target.asRoot, 'Content-Type': 'multipart/form-data; boundary=edge' };

const { id } = await target.done('POST', '/projects', { name: 'silent', visibility: 'public' });
const repository = `/api/v4/projects/${id}/repository`;
const content = randomBytes(24 * 2 ** 20).toString('base64');
const actions = [{ action: 'create', file_path: 'large', content, encoding: 'base64' }];
const commit = { branch: 'main', commit_message: 'Large', actions };
const upload = { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(commit) };
// On a busy machine even this upload may pause for longer than the idle timeout.
let status = 408;
for (let tries = 0; status === 408 && tries < 8; tries++)
  ({ status } = await target.send('POST', `/projects/${id}/repository/commits`, upload));
assert.equal(status, 201);

const git = '/root/silent.git';
const lengthy = { 'Content-Length': 1_000_000 };

/** Heads of requests whose bodies follow later. */
const bodies: Readonly<Record<string, string>> = {
  json: head('POST', '/api/v4/projects', { ...json, ...lengthy }),
  multipart: head('PUT', '/api/v4/user', { ...multipart, 'Transfer-Encoding': 'chunked' }),
  commit: head('POST', `${repository}/commits`, { ...json, ...lengthy }),
  fetch: head('POST', `${git}/git-upload-pack`, lengthy),
  push: head('POST', `${git}/git-receive-pack`, { ...basic, ...lengthy }),
  gzip: head('POST', `${git}/git-receive-pack`, { ...basic, ...lengthy, 'Content-Encoding': 'gzip' }),
  object: head('PUT', `${git}/gitlab-lfs/objects/${'0'.repeat(64)}/1000000`, { ...basic, ...lengthy }),
  batch: head('POST', `${git}/info/lfs/objects/batch`, { ...basic, ...lengthy }),
  'nobody reads': head('GET', `${git}/info/refs?service=git-upload-pack`, lengthy),
  'nobody answers': head('POST', '/nowhere', lengthy),
};

/** Returns what the server sent before it closed the connection. */
async function saidUntilClosed(socket: Socket): Promise<string> {
  let said = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    said += text;
  });
  await closed(socket);
  return said;
}

/** Resolves however the connection ends. */
function closed(socket: Socket): Promise<unknown> {
  return new Promise((resolve) => socket.once('close', resolve));
}

/** Some connections for each of them; all are ended by the server, and none with a word of a fault of its own. */
async function endsAll(use: (sockets: readonly Socket[]) => () => void): Promise<void> {
  const all = Object.entries(bodies).flatMap(([name, request]) => {
    return Array.from({ length: 8 }, () => ({ name, socket: target.open(request) }));
  });
  const end = use(all.map(({ socket }) => socket));
  const said = await Promise.all(all.map(({ socket }) => saidUntilClosed(socket))).finally(end);
  for (const [at, { name }] of all.entries()) assert.doesNotMatch(said[at]!, /^HTTP\/1\.1 5(?!03)/, name);
}

attack('times out a body that never arrives', target, async () => {
  await endsAll(() => () => {});
});

attack('times out a body that arrives very slowly', target, async () => {
  await endsAll((sockets) => {
    const dripping = setInterval(() => {
      for (const socket of sockets) socket.write('0');
    }, 50);
    return () => clearInterval(dripping);
  });
});

attack('times out incomplete request lines and heads', target, async () => {
  const sockets = ['', 'GET /api', 'GET /api/v4/version HTTP/1.1\r\nHost: a\r\n'].map((text) => target.open(text));
  await pause(300);
  for (const socket of sockets) socket.destroy();
});

attack('does not buffer a response that the client does not read', target, async () => {
  const paths = [`${repository}/files/large/raw?ref=main`, `${repository}/archive.tar`];
  for (const path of [...paths, ...paths, ...paths]) {
    const socket = target.open(head('GET', path));
    after(() => socket.destroy());
    await once(socket, 'readable');
    socket.read(1);
  }
  // Their connections are still open; `attack` checks next that the server releases them.
});
