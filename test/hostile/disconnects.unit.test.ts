import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { attack, head, startTarget } from './attack.ts';

// Clients that disconnect at any time during long uploads and downloads.

const target = await startTarget();
const MEBIBYTE = 2 ** 20;
const large = randomBytes(2 * MEBIBYTE);
const object = randomBytes(3 * MEBIBYTE);
const oid = createHash('sha256').update(object).digest('hex');
const lfs = `/root/aborted.git/gitlab-lfs/objects/${oid}`;
const basic = { Authorization: `Basic ${Buffer.from(`root:${target.asRoot['PRIVATE-TOKEN']}`).toString('base64')}` };

async function prepare() {
  const { id } = await target.done('POST', '/projects', { name: 'aborted', visibility: 'public' });
  const content = large.toString('base64');
  const files = Array.from({ length: 40 }, (_, at) => ({ action: 'create', file_path: `d/${at}`, content: `${at}\n` }));
  const actions = [...files, { action: 'create', file_path: 'large', content, encoding: 'base64' }];
  const repository = `/projects/${id}/repository`;
  await target.done('POST', `${repository}/commits`, { branch: 'main', commit_message: 'All', actions });
  const [file] = (await target.done('GET', `${repository}/tree`)).filter(
    (each: { path: string }) => each.path === 'large',
  );
  const { commit } = await target.done('GET', `${repository}/branches/main`);
  const stored = await target.send('PUT', `/${lfs}/${object.length}`, { headers: basic, body: object });
  assert.equal(stored.status, 200, stored.text);
  return { repository: `/api/v4${repository}`, blob: file.id, commit: commit.id };
}

const { repository, blob, commit } = await prepare();

const line = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
const wants = `${line(`want ${commit} ofs-delta\n`)}0000${line('done\n')}`;
const [git, root] = ['/root/aborted.git', target.asRoot];
const json = { ...root, 'Content-Type': 'application/json' };
const half = (method: string, path: string, headers: object, length: number) => [
  head(method, path, { ...headers, 'Content-Length': length }),
  Buffer.alloc(length / 2, 0x20),
];

/** Every slow request, as raw bytes. */
const requests: Readonly<Record<string, readonly (string | Buffer)[]>> = {
  file: [head('GET', `${repository}/files/large/raw?ref=main`)],
  blob: [head('GET', `${repository}/blobs/${blob}/raw`)],
  tar: [head('GET', `${repository}/archive.tar`)],
  zip: [head('GET', `${repository}/archive.zip`)],
  inJson: [head('GET', `${repository}/files/large?ref=main`)],
  blame: [head('GET', `${repository}/files/d%2F1/blame?ref=main`)],
  compare: [head('GET', `${repository}/compare?from=main&to=main`)],
  object: [head('GET', lfs, basic)],
  refs: [head('GET', `${git}/info/refs?service=git-upload-pack`)],
  fetch: [head('POST', `${git}/git-upload-pack`, { 'Content-Length': wants.length }), wants],
  fetching: half('POST', `${git}/git-upload-pack`, {}, 65_536),
  pushing: half('POST', `${git}/git-receive-pack`, basic, 65_536),
  uploading: half('PUT', `/root/aborted.git/gitlab-lfs/objects/${'0'.repeat(64)}/${MEBIBYTE}`, basic, MEBIBYTE),
  committing: half('POST', `${repository}/commits`, json, 4 * MEBIBYTE),
  several: [head('GET', `${repository}/archive.tar`).repeat(5)],
};

/** The same moments in every run. */
function moments(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

/** What is never answered, being half of a request: there is no first byte of an answer to go away at. */
const HALVES: readonly string[] = ['fetching', 'pushing', 'uploading', 'committing'];

/** Disconnects between the first byte and the last, with or without a clean close. */
async function leave(socket: Socket, isAnswered: boolean, random: () => number): Promise<void> {
  const closed = new Promise((resolve) => socket.once('close', resolve));
  if (random() < 0.5 || !isAnswered) await pause(random() * 40);
  else await Promise.race([new Promise((resolve) => socket.once('data', resolve)), closed, pause(1000)]);
  if (random() < 0.5) socket.destroy();
  else socket.resetAndDestroy();
  await closed;
}

/** More concurrent requests than slots. */
const AT_ONCE = 20;
const TIMES = 100;
/** Fewer repetitions for requests that take almost a second each. */
const SELDOM: readonly string[] = ['inJson', 'committing'];

/** Twenty concurrent responses of 2 MB give event loop turns with the work of several requests. */
const allowed = { turn: 250 };

for (const [name, bytes] of Object.entries(requests)) {
  attack(
    `releases all resources of disconnected clients: ${name}`,
    target,
    async () => {
      const random = moments(name.length);
      let left = SELDOM.includes(name) ? TIMES / 4 : TIMES;
      const abort = async () => {
        while (left-- > 0) await leave(target.open(...bytes), !HALVES.includes(name), random);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, abort));
    },
    allowed,
  );
}

attack(
  'responds to many concurrent requests after all disconnects',
  target,
  async () => {
    for (const path of ['/archive.tar', `/blobs/${blob}/raw`]) {
      const all = await Promise.all(Array.from({ length: AT_ONCE }, () => target.send('GET', `/${repository}${path}`)));
      assert.deepEqual([...new Set(all.map(({ status }) => status))], [200], path);
    }
  },
  allowed,
);
