import type { Build, Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

const ofGroup: Build = ({ group }) => ({ by: 'guest', path: { id: group.id } });
const ofProject: Build = ({ project }) => ({ by: 'guest', path: { id: project.id } });
const oneOfGroup: Build = ({ group, callers }) => ({
  by: 'guest',
  path: { id: group.id, user_id: callers.developer.id },
});
const oneOfProject: Build = ({ project, member }) => ({ by: 'guest', path: { id: project.id, user_id: member.id } });

async function newMember({ user, callers, done }: Scene, source: string): Promise<number> {
  const { id } = await user();
  await done(callers.owner.post(`/${source}/members`, { user_id: id, access_level: 10 }));
  return id;
}

export const examples: Examples<typeof endpoints> = {
  listGroupMembers: ofGroup,
  listAllGroupMembers: ofGroup,
  readGroupMember: oneOfGroup,
  readAnyGroupMember: oneOfGroup,
  createGroupMember: async ({ group, user }) => ({
    by: 'owner',
    path: { id: group.id },
    params: { user_id: (await user()).id, access_level: 30 },
  }),
  updateGroupMember: async (scene) => ({
    by: 'owner',
    path: { id: scene.group.id, user_id: await newMember(scene, `groups/${scene.group.id}`) },
    params: { access_level: 30 },
  }),
  deleteGroupMember: [
    async (scene) => ({
      by: 'owner',
      path: { id: scene.group.id, user_id: await newMember(scene, `groups/${scene.group.id}`) },
    }),
    // Whoever goes leaves what is below, too.
    async (scene) => {
      const { group, project, callers, done } = scene;
      const user_id = await newMember(scene, `groups/${group.id}`);
      await done(callers.owner.post(`/projects/${project.id}/members`, { user_id, access_level: 20 }));
      return { by: 'owner', path: { id: group.id, user_id } };
    },
  ],
  listProjectMembers: ofProject,
  listAllProjectMembers: ofProject,
  readProjectMember: oneOfProject,
  readAnyProjectMember: oneOfProject,
  createProjectMember: async ({ project, user }) => ({
    by: 'maintainer',
    path: { id: project.id },
    params: { user_id: (await user()).id, access_level: 30 },
  }),
  updateProjectMember: async (scene) => ({
    by: 'maintainer',
    path: { id: scene.project.id, user_id: await newMember(scene, `projects/${scene.project.id}`) },
    params: { access_level: 30 },
  }),
  deleteProjectMember: async (scene) => ({
    by: 'maintainer',
    path: { id: scene.project.id, user_id: await newMember(scene, `projects/${scene.project.id}`) },
  }),
  listProjectUsers: ofProject,
};
