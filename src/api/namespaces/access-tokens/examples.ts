import type { Build, Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

type Kind = 'project' | 'group';

const managers = { project: 'maintainer', group: 'owner' } as const;
const order = (name: string) => ({ name, scopes: ['api'], expires_at: '2026-12-01', access_level: 10 });

const listing = (kind: Kind): Build => {
  return (scene) => ({ by: managers[kind], path: { id: scene[kind].id } });
};
const creating = (kind: Kind): Build => {
  return (scene) => ({ by: managers[kind], path: { id: scene[kind].id }, params: order(scene.name('token')) });
};

async function newToken(kind: Kind, { callers, name, done, ...scene }: Scene): Promise<{ id: number; token: string }> {
  return (await done(callers.owner.post(`/${kind}s/${scene[kind].id}/access_tokens`, order(name('token'))))).body;
}

const one = (kind: Kind): Build => {
  return async (scene) => ({
    by: managers[kind],
    path: { id: scene[kind].id, token_id: (await newToken(kind, scene)).id },
  });
};
const itself = (kind: Kind): Build => {
  return async (scene) => ({
    by: 'stranger',
    path: { id: scene[kind].id },
    proof: { token: (await newToken(kind, scene)).token },
  });
};

export const examples: Examples<typeof endpoints> = {
  listProjectAccessTokens: listing('project'),
  createProjectAccessToken: creating('project'),
  rotateOwnProjectAccessToken: itself('project'),
  readProjectAccessToken: one('project'),
  revokeProjectAccessToken: one('project'),
  rotateProjectAccessToken: one('project'),
  listGroupAccessTokens: listing('group'),
  createGroupAccessToken: creating('group'),
  rotateOwnGroupAccessToken: itself('group'),
  readGroupAccessToken: one('group'),
  revokeGroupAccessToken: one('group'),
  rotateGroupAccessToken: one('group'),
};
