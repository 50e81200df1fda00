import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { Examples } from '#test/examples/example.ts';
import { basic, type Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

/** A line as git sends it, its length before it; null: the end of a list. */
const line = (text: string | null) =>
  text === null ? '0000' : `${(Buffer.byteLength(text) + 4).toString(16).padStart(4, '0')}${text}`;
const nothing = '0'.repeat(40);

/** Every change of a ref in one push, of commits that are there already: the pack has nothing in it. */
async function pushOf({ repository: { main, feature, tagged }, name, newBranch, newTag }: Scene): Promise<Buffer> {
  const changes = [
    `${nothing} ${main} refs/heads/${name('branch')}\0report-status delete-refs\n`,
    `${feature} ${tagged} refs/heads/${await newBranch(feature)}\n`,
    `${feature} ${nothing} refs/heads/${await newBranch(feature)}\n`,
    `${nothing} ${main} refs/tags/${name('tag')}\n`,
    `${main} ${tagged} refs/tags/${await newTag()}\n`,
    `${main} ${nothing} refs/tags/${await newTag()}\n`,
  ];
  return Buffer.concat([Buffer.from([...changes, null].map(line).join('')), packOf([])]);
}

/** The first push of an empty repository: a commit with nothing in it. */
function firstPush(): Buffer {
  const empty = { type: 2, content: Buffer.alloc(0) };
  const text = `tree ${idOf('tree', empty.content)}\nauthor ${signer}\ncommitter ${signer}\n\nBegin\n`;
  const commit = { type: 1, content: Buffer.from(text) };
  const change = `${nothing} ${idOf('commit', commit.content)} refs/heads/main\0report-status\n`;
  return Buffer.concat([Buffer.from([change, null].map(line).join('')), packOf([commit, empty])]);
}

const signer = 'Jane Doe <jane@example.com> 1700000000 +0000';

/** A commit of files, with all that it takes, and the line that moves `main` there from its parent. */
function commitOf(files: Readonly<Record<string, string>>, parent?: string) {
  const blobs = Object.entries(files).map(([name, text]) => ({ name, type: 3, content: Buffer.from(text) }));
  const entries = blobs.flatMap(({ name, content }) => [
    Buffer.from(`100644 ${name}\0`),
    Buffer.from(idOf('blob', content), 'hex'),
  ]);
  const tree = { type: 2, content: Buffer.concat(entries) };
  const above = parent === undefined ? '' : `parent ${parent}\n`;
  const text = `tree ${idOf('tree', tree.content)}\n${above}author ${signer}\ncommitter ${signer}\n\nWrite\n`;
  const commit = { type: 1, content: Buffer.from(text) };
  const id = idOf('commit', commit.content);
  const change = `${parent ?? nothing} ${id} refs/heads/main\0report-status\n`;
  const raw = Buffer.concat([Buffer.from([change, null].map(line).join('')), packOf([commit, tree, ...blobs])]);
  return { id, raw };
}

/** A push that changes a page of a wiki, removes one and brings another. */
async function pushToWiki({ callers, done, newEmptyProject }: Scene) {
  const repository_path = `${(await newEmptyProject()).path_with_namespace}.wiki`;
  const first = commitOf({ 'a.md': 'one', 'b.md': 'the second page' });
  const headers = { ...basic(callers.owner), ...PUSH.headers };
  await done(callers.anonymous.send('POST', `//${repository_path}.git/git-receive-pack`, { headers, raw: first.raw }));
  return { path: { repository_path }, raw: commitOf({ 'a.md': 'two', 'c.md': '0123456789' }, first.id).raw };
}

const idOf = (type: string, content: Buffer) =>
  createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex');

/** Objects of fewer than 2,048 bytes, as git packs them: a commit is type 1, a tree 2. */
function packOf(objects: readonly { type: number; content: Buffer }[]): Buffer {
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
  advertiseRefsElsewhere: ({ project }) => ({
    by: 'anonymous',
    path: { repository_path: project.path_with_namespace },
    params: { service: 'git-upload-pack' },
    proof: 'basic',
  }),
  fetchPack: ({ project, repository }) => ({
    by: 'reporter',
    path: { repository_path: project.path_with_namespace },
    raw: [`want ${repository.main}\n`, null, 'done\n'].map(line).join(''),
    headers: { 'Content-Type': 'application/x-git-upload-pack-request' },
    proof: 'basic',
  }),
  receivePush: [
    async (scene) => ({
      by: 'developer',
      path: { repository_path: scene.project.path_with_namespace },
      raw: await pushOf(scene),
      ...PUSH,
    }),
    async ({ newEmptyProject }) => ({
      by: 'maintainer',
      path: { repository_path: (await newEmptyProject()).path_with_namespace },
      raw: firstPush(),
      ...PUSH,
    }),
    async (scene) => ({ by: 'developer', ...(await pushToWiki(scene)), ...PUSH }),
  ],
};
