import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { Examples } from '#test/examples/example.ts';
import { basic, type Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

/** Returns a pkt-line: its length and its text; null returns the end of a list. */
const toPktLine = (text: string | null) =>
  text === null ? '0000' : `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`;
const ZERO_ID = '0'.repeat(40);

/** Builds a push with every kind of ref change. All commits exist, so the pack is empty. */
async function buildPush({ repository: { main, feature, tagged }, name, newBranch, newTag }: Scene): Promise<Buffer> {
  const changes = [
    `${ZERO_ID} ${main} refs/heads/${name('branch')}\0report-status delete-refs\n`,
    `${feature} ${tagged} refs/heads/${await newBranch(feature)}\n`,
    `${feature} ${ZERO_ID} refs/heads/${await newBranch(feature)}\n`,
    `${ZERO_ID} ${main} refs/tags/${name('tag')}\n`,
    `${main} ${tagged} refs/tags/${await newTag()}\n`,
    `${main} ${ZERO_ID} refs/tags/${await newTag()}\n`,
  ];
  return Buffer.concat([Buffer.from([...changes, null].map(toPktLine).join('')), buildPack([])]);
}

/** Builds the first push to an empty repository: one commit with an empty tree. */
function buildFirstPush(): Buffer {
  const empty = { type: 2, content: Buffer.alloc(0) };
  const text = `tree ${objectId('tree', empty.content)}\nauthor ${signer}\ncommitter ${signer}\n\nBegin\n`;
  const commit = { type: 1, content: Buffer.from(text) };
  const change = `${ZERO_ID} ${objectId('commit', commit.content)} refs/heads/main\0report-status\n`;
  return Buffer.concat([Buffer.from([change, null].map(toPktLine).join('')), buildPack([commit, empty])]);
}

const signer = 'Jane Doe <jane@example.com> 1700000000 +0000';

/** Builds a push that moves `main` from `parent` to a new commit. Returns the commit id and the request body. */
function buildCommit(files: Readonly<Record<string, string>>, parent?: string) {
  const blobs = Object.entries(files).map(([name, text]) => ({ name, type: 3, content: Buffer.from(text) }));
  const entries = blobs.flatMap(({ name, content }) => [
    Buffer.from(`100644 ${name}\0`),
    Buffer.from(objectId('blob', content), 'hex'),
  ]);
  const tree = { type: 2, content: Buffer.concat(entries) };
  const parentHeader = parent === undefined ? '' : `parent ${parent}\n`;
  const text = `tree ${objectId('tree', tree.content)}\n${parentHeader}author ${signer}\ncommitter ${signer}\n\nWrite\n`;
  const commit = { type: 1, content: Buffer.from(text) };
  const id = objectId('commit', commit.content);
  const change = `${parent ?? ZERO_ID} ${id} refs/heads/main\0report-status\n`;
  const raw = Buffer.concat([Buffer.from([change, null].map(toPktLine).join('')), buildPack([commit, tree, ...blobs])]);
  return { id, raw };
}

/** Returns a push that changes one wiki page, deletes one and adds one. */
async function pushToWiki({ callers, expectSuccess, newEmptyProject }: Scene) {
  const repository_path = `${(await newEmptyProject()).path_with_namespace}.wiki`;
  const first = buildCommit({ 'a.md': 'one', 'b.md': 'the second page' });
  const headers = { ...basic(callers.owner), ...PUSH.headers };
  await expectSuccess(
    callers.anonymous.send('POST', `//${repository_path}.git/git-receive-pack`, { headers, raw: first.raw }),
  );
  return { path: { repository_path }, raw: buildCommit({ 'a.md': 'two', 'c.md': '0123456789' }, first.id).raw };
}

const objectId = (type: string, content: Buffer) =>
  createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex');

/** Packs objects of fewer than 2,048 bytes; type 1 is a commit, type 2 a tree, type 3 a blob. */
function buildPack(objects: readonly { type: number; content: Buffer }[]): Buffer {
  const header = Buffer.from('PACK\0\0\0\u0002\0\0\0\0');
  header.writeUInt32BE(objects.length, 8);
  const packed = objects.flatMap(({ type, content: { length }, content }) => [
    Buffer.from([0x80 | (type << 4) | (length & 15), length >> 4]),
    deflateSync(content),
  ]);
  const pack = Buffer.concat([header, ...packed]);
  return Buffer.concat([pack, createHash('sha1').update(pack).digest()]);
}

const PUSH = { headers: { 'Content-Type': 'application/x-git-receive-pack-request' }, proof: 'basic' } as const;

export const examples: Examples<typeof endpoints> = {
  advertiseRefs: ({ project }) => ({
    by: 'reporter',
    path: { repository_path: project.path_with_namespace },
    params: { service: 'git-upload-pack' },
    proof: 'basic',
  }),
  fetchPack: ({ project, repository }) => ({
    by: 'reporter',
    path: { repository_path: project.path_with_namespace },
    raw: [`want ${repository.main}\n`, null, 'done\n'].map(toPktLine).join(''),
    headers: { 'Content-Type': 'application/x-git-upload-pack-request' },
    proof: 'basic',
  }),
  receivePush: [
    async (scene) => ({
      by: 'developer',
      path: { repository_path: scene.project.path_with_namespace },
      raw: await buildPush(scene),
      ...PUSH,
    }),
    async ({ newEmptyProject }) => ({
      by: 'maintainer',
      path: { repository_path: (await newEmptyProject()).path_with_namespace },
      raw: buildFirstPush(),
      ...PUSH,
    }),
    async (scene) => ({ by: 'developer', ...(await pushToWiki(scene)), ...PUSH }),
  ],
};
