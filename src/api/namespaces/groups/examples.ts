import type { Examples } from '#test/examples/example.ts';
import type { Group, Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

async function createArchivedSubgroup({ newSubgroup, callers, expectSuccess }: Scene): Promise<Group> {
  const group = await newSubgroup();
  await expectSuccess(callers.owner.post(`/groups/${group.id}/archive`));
  return group;
}

/** Creates a subgroup with a project and marks the subgroup for deletion. */
async function createMarkedSubgroup({ newSubgroup, newProject, callers, expectSuccess }: Scene): Promise<Group> {
  const group = await newSubgroup();
  await newProject(group);
  await expectSuccess(callers.owner.delete(`/groups/${group.id}`));
  return (await expectSuccess(callers.owner.get(`/groups/${group.id}`))).body;
}

/** Creates a public top-level group with a public project. */
async function createPublicGroup({ callers, name, expectSuccess }: Scene): Promise<Group> {
  const [path, visibility] = [name('group'), 'public'];
  const group = (await expectSuccess(callers.owner.post('/groups', { name: path, path, visibility }))).body;
  await expectSuccess(callers.owner.post('/projects', { path: name('project'), namespace_id: group.id, visibility }));
  return group;
}

export const examples: Examples<typeof endpoints> = {
  listGroups: () => ({ by: 'anonymous' }),
  createGroup: ({ name, visibility }) => {
    const path = name('group');
    return { by: 'stranger', params: { name: path, path, visibility } };
  },
  getGroup: ({ group }) => ({ by: 'guest', path: { id: group.id } }),
  updateGroup: async ({ newGroup, name, visibility }) => ({
    by: 'owner',
    path: { id: (await newGroup()).id },
    params: {
      name: name('group'),
      path: name('group'),
      description: 'A new one',
      visibility: visibility === 'internal' ? 'private' : 'internal',
    },
  }),
  deleteGroup: [
    async ({ newSubgroup }) => ({ by: 'owner', path: { id: (await newSubgroup()).id } }),
    async (scene) => {
      const { id, full_path } = await createMarkedSubgroup(scene);
      return { by: 'owner', path: { id }, params: { permanently_remove: true, full_path } };
    },
  ],
  restoreGroup: async (scene) => ({ by: 'owner', path: { id: (await createMarkedSubgroup(scene)).id } }),
  archiveGroup: async ({ newSubgroup }) => ({ by: 'owner', path: { id: (await newSubgroup()).id } }),
  unarchiveGroup: async (scene) => ({ by: 'owner', path: { id: (await createArchivedSubgroup(scene)).id } }),
  transferGroup: [
    async ({ newSubgroup, subgroup }) => ({
      by: 'owner',
      path: { id: (await newSubgroup()).id },
      params: { group_id: subgroup.id },
    }),
    async (scene) => ({
      by: 'owner',
      path: { id: (await createPublicGroup(scene)).id },
      params: { group_id: scene.subgroup.id },
    }),
  ],
  listSubgroups: ({ group }) => ({ by: 'guest', path: { id: group.id } }),
  listDescendantGroups: ({ group }) => ({ by: 'guest', path: { id: group.id } }),
};
