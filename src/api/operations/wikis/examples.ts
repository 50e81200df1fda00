import type { Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

const pageInput = { title: 'guides/First steps', content: '# Hello' };
const GROUPS_PATH = '/groups';
const PROJECTS_PATH = '/projects';

/** Creates a new wiki with one page. */
async function createPage({ callers, expectSuccess, newSubgroup, newEmptyProject }: Scene, rootPath: string) {
  const { id } = rootPath === GROUPS_PATH ? await newSubgroup() : await newEmptyProject();
  await expectSuccess(callers.owner.post(`${rootPath}/${id}/wikis`, pageInput));
  return { id, slug: 'guides/first-steps' };
}

const createContainerWithoutWiki = async ({ newSubgroup, newEmptyProject }: Scene, rootPath: string) => ({
  id: (rootPath === GROUPS_PATH ? await newSubgroup() : await newEmptyProject()).id,
});

const BOUNDARY = 'wikis-boundary';
const multipartBody = [
  `--${BOUNDARY}`,
  'Content-Disposition: form-data; name="file"; filename="dk.png"',
  '',
  'bytes',
  `--${BOUNDARY}--`,
  '',
].join('\r\n');
const headers = { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` };

export const examples: Examples<typeof endpoints> = {
  listGroupWikiPages: async (scene) => ({ by: 'guest', path: await createContainerWithoutWiki(scene, GROUPS_PATH) }),
  listProjectWikiPages: async (scene) => ({
    by: 'guest',
    path: await createContainerWithoutWiki(scene, PROJECTS_PATH),
  }),
  getGroupWikiPage: async (scene) => ({ by: 'guest', path: await createPage(scene, GROUPS_PATH) }),
  getProjectWikiPage: async (scene) => ({ by: 'guest', path: await createPage(scene, PROJECTS_PATH) }),
  createGroupWikiPage: async (scene) => ({
    by: 'planner',
    path: await createContainerWithoutWiki(scene, GROUPS_PATH),
    params: pageInput,
  }),
  createProjectWikiPage: async (scene) => ({
    by: 'planner',
    path: await createContainerWithoutWiki(scene, PROJECTS_PATH),
    params: pageInput,
  }),
  updateGroupWikiPage: async (scene) => ({
    by: 'planner',
    path: await createPage(scene, GROUPS_PATH),
    params: { content: 'changed' },
  }),
  updateProjectWikiPage: async (scene) => ({
    by: 'planner',
    path: await createPage(scene, PROJECTS_PATH),
    params: { content: 'changed' },
  }),
  deleteGroupWikiPage: async (scene) => ({ by: 'planner', path: await createPage(scene, GROUPS_PATH) }),
  deleteProjectWikiPage: async (scene) => ({ by: 'planner', path: await createPage(scene, PROJECTS_PATH) }),
  attachToGroupWiki: async (scene) => ({
    by: 'planner',
    path: await createContainerWithoutWiki(scene, GROUPS_PATH),
    raw: multipartBody,
    headers,
  }),
  attachToProjectWiki: async (scene) => ({
    by: 'planner',
    path: await createContainerWithoutWiki(scene, PROJECTS_PATH),
    raw: multipartBody,
    headers,
  }),
};
