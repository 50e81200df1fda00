import type { Build, Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

type Kind = 'project' | 'group';

const managerRoles = { project: 'maintainer', group: 'owner' } as const;
const tokenInput = (name: string) => ({ name, scopes: ['api'], expires_at: '2026-12-01', access_level: 10 });

const buildListExample = (kind: Kind): Build => {
  return (scene) => ({ by: managerRoles[kind], path: { id: scene[kind].id } });
};
const buildCreateExample = (kind: Kind): Build => {
  return (scene) => ({ by: managerRoles[kind], path: { id: scene[kind].id }, params: tokenInput(scene.name('token')) });
};

async function createToken(
  kind: Kind,
  { callers, name, expectSuccess, ...scene }: Scene,
): Promise<{ id: number; token: string }> {
  return (
    await expectSuccess(callers.owner.post(`/${kind}s/${scene[kind].id}/access_tokens`, tokenInput(name('token'))))
  ).body;
}

const buildTokenExample = (kind: Kind): Build => {
  return async (scene) => ({
    by: managerRoles[kind],
    path: { id: scene[kind].id, token_id: (await createToken(kind, scene)).id },
  });
};
const buildOwnTokenExample = (kind: Kind): Build => {
  return async (scene) => ({
    by: 'stranger',
    path: { id: scene[kind].id },
    proof: { token: (await createToken(kind, scene)).token },
  });
};

export const examples: Examples<typeof endpoints> = {
  listProjectAccessTokens: buildListExample('project'),
  createProjectAccessToken: buildCreateExample('project'),
  rotateOwnProjectAccessToken: buildOwnTokenExample('project'),
  getProjectAccessToken: buildTokenExample('project'),
  revokeProjectAccessToken: buildTokenExample('project'),
  rotateProjectAccessToken: buildTokenExample('project'),
  listGroupAccessTokens: buildListExample('group'),
  createGroupAccessToken: buildCreateExample('group'),
  rotateOwnGroupAccessToken: buildOwnTokenExample('group'),
  getGroupAccessToken: buildTokenExample('group'),
  revokeGroupAccessToken: buildTokenExample('group'),
  rotateGroupAccessToken: buildTokenExample('group'),
};
