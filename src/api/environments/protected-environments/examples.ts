import type { Build, Example, Examples } from '#test/examples/example.ts';
import type { Group, Project, Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

type Place = Pick<Group | Project, 'id' | 'at' | 'owner'>;
type NewParent = (scene: Scene) => Promise<Place>;

const LEVELS = [{ access_level: 40 }];

/** A new project or group for each call, because a group has only one name per tier. */
const inProject: NewParent = (scene) => scene.newProject();
const inGroup: NewParent = (scene) => scene.newSubgroup();

/** A call on a new protection. */
const on =
  (newParent: NewParent, by: Example['by'], params?: Example['params']): Build =>
  async (scene) => {
    const { id, at } = await newParent(scene);
    const name = 'production';
    await scene.expectSuccess(
      scene.callers.owner.post(`${at}/protected_environments`, { name, deploy_access_levels: LEVELS }),
    );
    return { by, path: { id, name }, ...(params && { params }) };
  };

/** Changes that record every kind of audit event. */
const changes = (newParent: NewParent, by: Example['by']): readonly [Build, ...Build[]] => [
  on(newParent, by, { required_approval_count: 2, deploy_access_levels: [{ access_level: 30 }] }),
  async (scene) => {
    const { id, at } = await newParent(scene);
    const name = 'production';
    const protection = { name, deploy_access_levels: [...LEVELS, ...LEVELS], approval_rules: [...LEVELS, ...LEVELS] };
    const { body } = await scene.expectSuccess(scene.callers.owner.post(`${at}/protected_environments`, protection));
    const changed = (elements: { readonly id: number }[]) => [
      { id: elements[0]!.id, access_level: 30 },
      { id: elements[1]!.id, _destroy: true },
    ];
    const params = {
      required_approval_count: 1,
      deploy_access_levels: [...changed(body.deploy_access_levels), ...LEVELS],
      approval_rules: [...changed(body.approval_rules), ...LEVELS],
    };
    return { by, path: { id, name }, params };
  },
];

const create =
  (newParent: NewParent, by: Example['by']): Build =>
  async (scene) => ({
    by,
    path: { id: (await newParent(scene)).id },
    params: { name: 'production', deploy_access_levels: LEVELS },
  });

export const examples: Examples<typeof endpoints> = {
  listGroupProtectedEnvironments: ({ group }) => ({ by: 'owner', path: { id: group.id } }),
  listProjectProtectedEnvironments: ({ project }) => ({ by: 'maintainer', path: { id: project.id } }),
  getGroupProtectedEnvironment: on(inGroup, 'owner'),
  getProjectProtectedEnvironment: on(inProject, 'maintainer'),
  createGroupProtectedEnvironment: create(inGroup, 'owner'),
  createProjectProtectedEnvironment: create(inProject, 'maintainer'),
  updateGroupProtectedEnvironment: changes(inGroup, 'owner'),
  updateProjectProtectedEnvironment: changes(inProject, 'maintainer'),
  deleteGroupProtectedEnvironment: on(inGroup, 'owner'),
  deleteProjectProtectedEnvironment: on(inProject, 'maintainer'),
};
