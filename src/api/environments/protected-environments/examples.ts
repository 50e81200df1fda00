import type { Build, Example, Examples } from '#test/examples/example.ts';
import type { Group, Project, Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

type TestParent = Pick<Group | Project, 'id' | 'at' | 'owner'>;
type NewParent = (scene: Scene) => Promise<TestParent>;

const LEVELS = [{ access_level: 40 }];

/** Each call has a new project or group, because a group has only one name per tier. */
const createProjectParent: NewParent = (scene) => scene.newProject();
const createGroupParent: NewParent = (scene) => scene.newSubgroup();

/** Builds a call on a new protection. */
const callOnNewProtection =
  (newParent: NewParent, by: Example['by'], params?: Example['params']): Build =>
  async (scene) => {
    const { id, at } = await newParent(scene);
    const name = 'production';
    await scene.expectSuccess(
      scene.callers.owner.post(`${at}/protected_environments`, { name, deploy_access_levels: LEVELS }),
    );
    return { by, path: { id, name }, ...(params && { params }) };
  };

/** Builds updates that record every kind of audit event. */
const buildUpdateCalls = (newParent: NewParent, by: Example['by']): readonly [Build, ...Build[]] => [
  callOnNewProtection(newParent, by, { required_approval_count: 2, deploy_access_levels: [{ access_level: 30 }] }),
  async (scene) => {
    const { id, at } = await newParent(scene);
    const name = 'production';
    const protection = { name, deploy_access_levels: [...LEVELS, ...LEVELS], approval_rules: [...LEVELS, ...LEVELS] };
    const { body } = await scene.expectSuccess(scene.callers.owner.post(`${at}/protected_environments`, protection));
    const toElementChanges = (elements: { readonly id: number }[]) => [
      { id: elements[0]!.id, access_level: 30 },
      { id: elements[1]!.id, _destroy: true },
    ];
    const params = {
      required_approval_count: 1,
      deploy_access_levels: [...toElementChanges(body.deploy_access_levels), ...LEVELS],
      approval_rules: [...toElementChanges(body.approval_rules), ...LEVELS],
    };
    return { by, path: { id, name }, params };
  },
];

const buildCreateCall =
  (newParent: NewParent, by: Example['by']): Build =>
  async (scene) => ({
    by,
    path: { id: (await newParent(scene)).id },
    params: { name: 'production', deploy_access_levels: LEVELS },
  });

export const examples: Examples<typeof endpoints> = {
  listGroupProtectedEnvironments: ({ group }) => ({ by: 'owner', path: { id: group.id } }),
  listProjectProtectedEnvironments: ({ project }) => ({ by: 'maintainer', path: { id: project.id } }),
  getGroupProtectedEnvironment: callOnNewProtection(createGroupParent, 'owner'),
  getProjectProtectedEnvironment: callOnNewProtection(createProjectParent, 'maintainer'),
  createGroupProtectedEnvironment: buildCreateCall(createGroupParent, 'owner'),
  createProjectProtectedEnvironment: buildCreateCall(createProjectParent, 'maintainer'),
  updateGroupProtectedEnvironment: buildUpdateCalls(createGroupParent, 'owner'),
  updateProjectProtectedEnvironment: buildUpdateCalls(createProjectParent, 'maintainer'),
  deleteGroupProtectedEnvironment: callOnNewProtection(createGroupParent, 'owner'),
  deleteProjectProtectedEnvironment: callOnNewProtection(createProjectParent, 'maintainer'),
};
