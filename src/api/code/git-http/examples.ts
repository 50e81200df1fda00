import { createHash } from 'node:crypto';
import type { Examples } from '../../../../test/examples/example.ts';
import type { Scene } from '../../../../test/examples/scene.ts';
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
  const header = Buffer.from('PACK\0\0\0\u0002\0\0\0\0');
  const pack = Buffer.concat([header, createHash('sha1').update(header).digest()]);
  return Buffer.concat([Buffer.from([...changes, null].map(line).join('')), pack]);
}

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
  receivePush: async (scene) => ({
    by: 'developer',
    path: { repository_path: scene.project.path_with_namespace },
    raw: await pushOf(scene),
    headers: { 'Content-Type': 'application/x-git-receive-pack-request' },
    proof: 'basic',
  }),
};
