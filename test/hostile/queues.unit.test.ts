import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { toDiskPath } from '#git/storage/storage.ts';
import { attack, head, startTarget } from './attack.ts';

// One network sends so many slow requests that they would fill every queue; requests of others are served as before.

const target = await startTarget({ idleTimeout: 60_000, env: { HEARTH_TRUSTED_PROXIES: '127.0.0.1' } });
const hostile = { 'X-Forwarded-For': '203.0.113.9' };
const other = { 'X-Forwarded-For': '198.51.100.7' };

const COMMITS = 200_000;

/** The last commits change a file, so that lists of its commits are short walks. */
const CHANGES = 400;

/** A public project; gives its id and its repository's directory. */
async function project(name: string) {
  const { id } = await target.done('POST', '/projects', { name, visibility: 'public' });
  return { id, directory: join(target.dataDir, 'repositories', toDiskPath(id)) };
}

function git(directory: string, args: readonly string[], input = ''): string {
  const run = spawnSync('git', ['--git-dir', directory, ...args], { input, encoding: 'utf8', maxBuffer: 2 ** 26 });
  assert.equal(run.status, 0, run.stderr);
  return run.stdout;
}

/** Plants a long history, which no client makes in a moment. Gives the last of its commits. */
function plantHistory(directory: string): string[] {
  const commits = Array.from({ length: COMMITS }, (_, at) => {
    const signer = `A${at % 1000} <a${at % 1000}@example.com> ${at + 1} +0000`;
    const parts = [`commit refs/heads/main`, `author ${signer}`, `committer ${signer}`, 'data 1', 'm'];
    const change = at < COMMITS - CHANGES ? '' : `M 100644 inline b\ndata ${`${at}`.length}\n${at}\n`;
    return `${parts.join('\n')}\n${change}\n`;
  });
  git(directory, ['fast-import', '--quiet'], commits.join(''));
  return git(directory, ['rev-list', '--max-count=300', 'refs/heads/main']).trim().split('\n');
}

const long = await project('long');
await target.done('POST', `/projects/${long.id}/repository/commits`, {
  branch: 'first',
  commit_message: 'First',
  actions: [{ action: 'create', file_path: 'a', content: 'a' }],
});
const history = plantHistory(long.directory);
const at = `/projects/${long.id}`;
/** Of no use from a cache: each is another question. */
const paths = history
  .slice(1)
  .flatMap((commit) => [
    '/projects?per_page=5',
    `${at}/issues`,
    `${at}/repository/commits?ref_name=${commit}&path=b&per_page=5`,
    `${at}/repository/compare?from=${commit}&to=${history[0]}`,
  ]);

attack(
  'long history walks of one network do not delay other networks',
  target,
  async () => {
    const sockets = Array.from({ length: 60 }, (_, who) =>
      target.open(head('GET', `/api/v4${at}/repository/commits?ref_name=${history[0]}&author=nobody${who}`, hostile)),
    );
    await pause(6000);
    // Disconnected clients cancel their work, queued or running: none of it may remain.
    for (const socket of sockets) socket.destroy();
  },
  { paths },
);

const large = await project('large');
await target.done('POST', `/projects/${large.id}/repository/commits`, {
  branch: 'main',
  commit_message: 'Large',
  actions: [
    { action: 'create', file_path: 'a', content: randomBytes(20 * 2 ** 20).toString('base64'), encoding: 'base64' },
  ],
});
const tip = (await target.done('GET', `/projects/${large.id}/repository/branches/main`)).commit.id;
// The pack is sent uncompressed, so it stalls as soon as the socket buffers are full.
git(large.directory, ['repack', '-adq']);
const line = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;

/** Fetches the large repository; nothing is read of it. */
function fetchLarge(headers: object) {
  const wants = `${line(`want ${tip} ofs-delta\n`)}0000${line('done\n')}`;
  const more = { 'Content-Type': 'application/x-git-upload-pack-request', 'Content-Length': wants.length };
  return target.open(head('POST', '/root/large.git/git-upload-pack', { ...headers, ...more }), wants);
}

/** The milliseconds until the first byte of the answer. */
async function timeToFirstByte(headers: object): Promise<number> {
  const since = performance.now();
  const socket = fetchLarge(headers);
  await Promise.race([once(socket, 'readable'), once(socket, 'close')]);
  assert.match(String(socket.read()), /^HTTP\/1.1 200/);
  socket.destroy();
  return performance.now() - since;
}

attack(
  'fetches whose output is not read release their slots to others',
  target,
  async () => {
    const sockets = Array.from({ length: 32 }, () => fetchLarge(hostile));
    await Promise.all(sockets.map((socket) => once(socket, 'readable')));
    const elsewhere = await timeToFirstByte(other);
    const ownWait = await timeToFirstByte(hostile);
    for (const socket of sockets) socket.destroy();
    assert.ok(elsewhere < 2000, `another network waited for ${elsewhere} ms`);
    assert.ok(ownWait < 10_000, `their own network waited for ${ownWait} ms`);
  },
  { paths },
);

const many = await project('many');
await target.done('POST', `/projects/${many.id}/repository/commits`, {
  branch: 'main',
  commit_message: 'First',
  actions: [{ action: 'create', file_path: 'a', content: 'a' }],
});
const branches = Array.from({ length: 1500 }, (_, at) => `create refs/heads/${'a'.repeat(215)}${at} main\n`);
git(many.directory, ['update-ref', '--stdin'], branches.join(''));

attack(
  'rejects expensive branch expressions early, and cancels them when their clients disconnect',
  target,
  async () => {
    const list = `/projects/${many.id}/repository/branches?regex=`;
    assert.equal((await target.send('GET', `${list}a0$`, { headers: hostile })).status, 200);
    const expensive = (at: number) => `${list}${encodeURIComponent(`(.?){700}[y${at % 10}]`)}&per_page=${at + 1}`;
    const sockets = Array.from({ length: 40 }, (_, at) => target.open(head('GET', `/api/v4${expensive(at)}`, hostile)));
    await pause(1000);
    for (const socket of sockets) socket.destroy();
    const refused = await target.send('GET', expensive(50), { headers: hostile });
    assert.deepEqual([refused.status, refused.body.message], [400, 'Regex is too expensive for so many branches']);
  },
  { paths },
);
