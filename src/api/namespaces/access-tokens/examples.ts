import type { Build, Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

type Kind = 'project' | 'group';

const managers = { project: 'maintainer', group: 'owner' } as const;
const tokenInput = (name: string) => ({ name, scopes: ['api'], expires_at: '2026-12-01', access_level: 10 });

const listExample = (kind: Kind): Build => {
  return (scene) => ({ by: managers[kind], path: { id: scene[kind].id } });
};
const createExample = (kind: Kind): Build => {
  return (scene) => ({ by: managers[kind], path: { id: scene[kind].id }, params: tokenInput(scene.name('token')) });
};

async function newToken(
  kind: Kind,
  { callers, name, expectSuccess, ...scene }: Scene,
): Promise<{ id: number; token: string }> {
  return (
    await expectSuccess(callers.owner.post(`/${kind}s/${scene[kind].id}/access_tokens`, tokenInput(name('token'))))
  ).body;
}

const tokenExample = (kind: Kind): Build => {
  return async (scene) => ({
    by: managers[kind],
    path: { id: scene[kind].id, token_id: (await newToken(kind, scene)).id },
  });
};
const ownTokenExample = (kind: Kind): Build => {
  return async (scene) => ({
    by: 'stranger',
    path: { id: scene[kind].id },
    proof: { token: (await newToken(kind, scene)).token },
  });
};

export const examples: Examples<typeof endpoints> = {
  listProjectAccessTokens: listExample('project'),
  createProjectAccessToken: createExample('project'),
  rotateOwnProjectAccessToken: ownTokenExample('project'),
  getProjectAccessToken: tokenExample('project'),
  revokeProjectAccessToken: tokenExample('project'),
  rotateProjectAccessToken: tokenExample('project'),
  listGroupAccessTokens: listExample('group'),
  createGroupAccessToken: createExample('group'),
  rotateOwnGroupAccessToken: ownTokenExample('group'),
  getGroupAccessToken: tokenExample('group'),
  revokeGroupAccessToken: tokenExample('group'),
  rotateGroupAccessToken: tokenExample('group'),
};
