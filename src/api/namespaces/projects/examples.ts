import type { Examples } from '#test/examples/example.ts';
import type { Project, Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

async function createArchivedProject({ newProject, callers, expectSuccess }: Scene): Promise<Project> {
  const project = await newProject();
  await expectSuccess(callers.owner.post(`/projects/${project.id}/archive`));
  return project;
}

/** Creates a project and marks it for deletion. */
async function createMarkedProject({ newProject, callers, expectSuccess }: Scene): Promise<Project> {
  const { id } = await newProject();
  await expectSuccess(callers.owner.delete(`/projects/${id}`));
  return (await expectSuccess(callers.owner.get(`/projects/${id}`))).body;
}

/** Creates a project in a public group, which allows any visibility. */
async function createProjectInPublicGroup({ newGroup, newProject, callers, expectSuccess }: Scene): Promise<Project> {
  const group = await newGroup();
  await expectSuccess(callers.owner.put(`/groups/${group.id}`, { visibility: 'public' }));
  return newProject(group);
}

export const examples: Examples<typeof endpoints> = {
  listProjects: () => ({ by: 'anonymous' }),
  createProject: [
    ({ group, name }) => ({ by: 'developer', params: { name: name('project'), namespace_id: group.id } }),
    ({ group, name }) => ({
      by: 'developer',
      params: { name: name('project'), namespace_id: group.id, initialize_with_readme: true },
    }),
  ],
  createProjectForUser: [
    ({ callers, name }) => ({
      by: 'administrator',
      path: { user_id: callers.stranger.id },
      params: { name: name('project') },
    }),
    ({ callers, name }) => ({
      by: 'administrator',
      path: { user_id: callers.stranger.id },
      params: { name: name('project'), initialize_with_readme: true },
    }),
  ],
  getProject: ({ project }) => ({ by: 'guest', path: { id: project.id } }),
  updateProject: [
    async ({ newProject, name }) => ({
      by: 'maintainer',
      path: { id: (await newProject()).id },
      params: { name: name('project'), path: name('project'), description: 'A new one' },
    }),
    async (scene) => ({
      by: 'owner',
      path: { id: (await createProjectInPublicGroup(scene)).id },
      params: { visibility: 'internal' },
    }),
  ],
  deleteProject: [
    async ({ newProject }) => ({ by: 'owner', path: { id: (await newProject()).id } }),
    async (scene) => {
      const { id, path_with_namespace: full_path } = await createMarkedProject(scene);
      return { by: 'owner', path: { id }, params: { permanently_remove: true, full_path } };
    },
  ],
  restoreProject: async (scene) => ({ by: 'owner', path: { id: (await createMarkedProject(scene)).id } }),
  archiveProject: async ({ newProject }) => ({ by: 'owner', path: { id: (await newProject()).id } }),
  unarchiveProject: async (scene) => ({ by: 'owner', path: { id: (await createArchivedProject(scene)).id } }),
  transferProject: async ({ newProject, subgroup }) => ({
    by: 'owner',
    path: { id: (await newProject()).id },
    params: { namespace: subgroup.id },
  }),
  listUserProjects: ({ callers }) => ({ by: 'anonymous', path: { user_id: callers.developer.id } }),
};
