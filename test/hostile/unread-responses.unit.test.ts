import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { attack, head, startTarget } from './attack.ts';

// Many clients of one network that request a large response and read nothing of it.

const target = await startTarget({ idleTimeout: 60_000, env: { HEARTH_TRUSTED_PROXIES: '127.0.0.1' } });
const hostile = { 'X-Forwarded-For': '203.0.113.9' };
const MEBIBYTE = 2 ** 20;
const CLIENTS = 250;

const { id } = await target.done('POST', '/projects', { name: 'unread', visibility: 'public' });
const repository = `/projects/${id}/repository`;

async function commit(file_path: string, bytes: Buffer): Promise<string> {
  const actions = [{ action: 'create', file_path, content: bytes.toString('base64'), encoding: 'base64' }];
  const params = { branch: 'main', commit_message: 'x'.repeat(MEBIBYTE / 2), actions };
  return (await target.done('POST', `${repository}/commits`, params)).id;
}

const lines = (count: number) => Buffer.from(Array.from({ length: count }, (_, at) => `line ${at}\n`).join(''));

const first = await commit('large', randomBytes(9 * MEBIBYTE));
await commit('small', randomBytes(MEBIBYTE - 1));
const last = await commit('lines', lines(200_000));
const { id: issue } = await target.done('POST', `/projects/${id}/issues`, {
  title: 'Long',
  description: 'x'.repeat(MEBIBYTE),
});
const [blob] = (await target.done('GET', `${repository}/tree`)).filter(
  ({ path }: { path: string }) => path === 'large',
);

const JSON_FILE = `${repository}/files/large?ref=main`;
const RESPONSES = [
  `${repository}/blobs/${blob.id}`,
  `${repository}/files/small?ref=main`,
  `${repository}/files/large/raw?ref=main`,
  `${repository}/files/small/raw?ref=main`,
  `${repository}/archive.tar`,
  `${repository}/files/lines/blame?ref=main`,
  `${repository}/compare?from=${first}&to=${last}`,
  `${repository}/commits`,
  `/issues/${issue}`,
];

async function requestAndStall(paths: readonly string[]): Promise<void> {
  const headers = { ...hostile, ...target.asRoot };
  const sockets: Socket[] = [];
  // Opens connections in groups: many opened at once would be measured as one long event loop turn.
  for (let at = 0; at < CLIENTS; at++) {
    sockets.push(target.open(head('GET', `/api/v4${paths[at % paths.length]}`, headers)).pause());
    if (at % 10 === 0) await pause(20);
  }
  await pause(3000);
  for (const socket of sockets) socket.destroy();
}

// The first response fills caches, which later ones share.
for (const path of [JSON_FILE, ...RESPONSES]) await target.send('GET', path);

attack('does not buffer unread JSON responses with large files', target, () => requestAndStall([JSON_FILE]));

attack('limits the total memory of unread responses', target, () => requestAndStall(RESPONSES));
