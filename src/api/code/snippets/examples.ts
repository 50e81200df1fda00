import type { Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

const input = { title: 'Notes', content: 'text' };
const projectInput = { ...input, file_name: 'a.md' };

/** Creates a snippet of the stranger with the scene's visibility. */
async function createStrangersSnippet({ callers, visibility, expectSuccess }: Scene): Promise<{ readonly id: number }> {
  return { id: (await expectSuccess(callers.stranger.post('/snippets', { ...input, visibility }))).body.id };
}

/** Creates a snippet of the scene's project, with the project's visibility, and returns its path parameters. */
async function createProjectsSnippet({ project, visibility, expectSuccess }: Scene) {
  const response = expectSuccess(project.owner.post(`${project.at}/snippets`, { ...projectInput, visibility }));
  return { id: project.id, snippet_id: (await response).body.id as number };
}

const file = { ref: 'main', file_path: 'a.md' };

export const examples: Examples<typeof endpoints> = {
  createSnippet: () => ({ by: 'stranger', params: { ...input, file_name: 'a.md', visibility: 'internal' } }),
  createProjectSnippet: ({ project }) => ({
    by: 'reporter',
    path: { id: project.id },
    params: { ...projectInput, visibility: 'private' },
  }),
  listSnippets: () => ({ by: 'stranger' }),
  listPublicSnippets: () => ({ by: 'stranger' }),
  listAllSnippets: () => ({ by: 'stranger' }),
  listProjectSnippets: ({ project }) => ({ by: 'guest', path: { id: project.id } }),
  getSnippet: async (scene) => ({ by: 'stranger', path: await createStrangersSnippet(scene) }),
  getProjectSnippet: async (scene) => ({ by: 'guest', path: await createProjectsSnippet(scene) }),
  updateSnippet: async (scene) => ({
    by: 'stranger',
    path: await createStrangersSnippet(scene),
    params: { title: 'Renamed', content: 'changed' },
  }),
  updateProjectSnippet: async (scene) => ({
    by: 'maintainer',
    path: await createProjectsSnippet(scene),
    params: { files: [{ action: 'move', previous_path: 'a.md', file_path: 'b.md', content: 'changed' }] },
  }),
  getSnippetContent: async (scene) => ({ by: 'stranger', path: await createStrangersSnippet(scene) }),
  getProjectSnippetContent: async (scene) => ({ by: 'guest', path: await createProjectsSnippet(scene) }),
  getSnippetFile: async (scene) => ({
    by: 'stranger',
    path: { ...(await createStrangersSnippet(scene)), ref: 'main', file_path: 'snippetfile1.txt' },
  }),
  getProjectSnippetFile: async (scene) => ({ by: 'guest', path: { ...(await createProjectsSnippet(scene)), ...file } }),
  deleteSnippet: async (scene) => ({ by: 'stranger', path: await createStrangersSnippet(scene) }),
  deleteProjectSnippet: async (scene) => ({ by: 'maintainer', path: await createProjectsSnippet(scene) }),
};
