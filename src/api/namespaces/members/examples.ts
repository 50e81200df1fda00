import type { Build, Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

const groupExample: Build = ({ group }) => ({ by: 'guest', path: { id: group.id } });
const projectExample: Build = ({ project }) => ({ by: 'guest', path: { id: project.id } });
const groupMemberExample: Build = ({ group, callers }) => ({
  by: 'guest',
  path: { id: group.id, user_id: callers.developer.id },
});
const projectMemberExample: Build = ({ project, member }) => ({
  by: 'guest',
  path: { id: project.id, user_id: member.id },
});

async function createMember({ user, callers, expectSuccess }: Scene, source: string): Promise<number> {
  const { id } = await user();
  await expectSuccess(callers.owner.post(`/${source}/members`, { user_id: id, access_level: 10 }));
  return id;
}

export const examples: Examples<typeof endpoints> = {
  listGroupMembers: groupExample,
  listAllGroupMembers: groupExample,
  getGroupMember: groupMemberExample,
  getAnyGroupMember: groupMemberExample,
  createGroupMember: async ({ group, user }) => ({
    by: 'owner',
    path: { id: group.id },
    params: { user_id: (await user()).id, access_level: 30 },
  }),
  updateGroupMember: async (scene) => ({
    by: 'owner',
    path: { id: scene.group.id, user_id: await createMember(scene, `groups/${scene.group.id}`) },
    params: { access_level: 30 },
  }),
  deleteGroupMember: [
    async (scene) => ({
      by: 'owner',
      path: { id: scene.group.id, user_id: await createMember(scene, `groups/${scene.group.id}`) },
    }),
    // Removal from a group includes memberships below.
    async (scene) => {
      const { group, project, callers, expectSuccess } = scene;
      const user_id = await createMember(scene, `groups/${group.id}`);
      await expectSuccess(callers.owner.post(`/projects/${project.id}/members`, { user_id, access_level: 20 }));
      return { by: 'owner', path: { id: group.id, user_id } };
    },
  ],
  listProjectMembers: projectExample,
  listAllProjectMembers: projectExample,
  getProjectMember: projectMemberExample,
  getAnyProjectMember: projectMemberExample,
  createProjectMember: async ({ project, user }) => ({
    by: 'maintainer',
    path: { id: project.id },
    params: { user_id: (await user()).id, access_level: 30 },
  }),
  updateProjectMember: async (scene) => ({
    by: 'maintainer',
    path: { id: scene.project.id, user_id: await createMember(scene, `projects/${scene.project.id}`) },
    params: { access_level: 30 },
  }),
  deleteProjectMember: async (scene) => ({
    by: 'maintainer',
    path: { id: scene.project.id, user_id: await createMember(scene, `projects/${scene.project.id}`) },
  }),
  listProjectUsers: projectExample,
};
