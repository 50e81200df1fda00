import type { Examples } from '#test/examples/example.ts';
import { basic, type Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

const headers = { 'Content-Type': 'application/vnd.git-lfs+json' };
const toPathParams = ({ project }: Scene) => ({ repository_path: project.path_with_namespace });

/** Locks a path as the owner, and returns the id of the lock. */
async function createLock({ project, name, expectSuccess }: Scene): Promise<string> {
  const { owner, path_with_namespace } = project;
  const raw = JSON.stringify({ path: `${name('file')}.bin` });
  const url = `//${path_with_namespace}.git/info/lfs/locks`;
  const { text } = await expectSuccess(owner.send('POST', url, { raw, headers: { ...headers, ...basic(owner) } }));
  return JSON.parse(text).lock.id;
}

export const examples: Examples<typeof endpoints> = {
  listLfsLocks: (scene) => ({ by: 'reporter', path: toPathParams(scene), headers, proof: 'basic' }),
  verifyLfsLocks: (scene) => ({ by: 'developer', path: toPathParams(scene), raw: '{}', headers, proof: 'basic' }),
  createLfsLock: (scene) => ({
    by: 'developer',
    path: toPathParams(scene),
    raw: JSON.stringify({ path: `${scene.name('file')}.bin`, ref: { name: 'refs/heads/main' } }),
    headers,
    proof: 'basic',
  }),
  deleteLfsLock: async (scene) => ({
    by: 'maintainer',
    path: { ...toPathParams(scene), lock_id: await createLock(scene) },
    raw: JSON.stringify({ force: true }),
    headers,
    proof: 'basic',
  }),
};
