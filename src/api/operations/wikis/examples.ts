import type { Examples } from '#test/examples/example.ts';
import type { Scene } from '#test/examples/scene.ts';
import type * as endpoints from './endpoints.ts';

const input = { title: 'guides/First steps', content: '# Hello' };
const OF_GROUP = '/groups';
const OF_PROJECT = '/projects';

/** Creates a new wiki with one page. */
async function newPage({ callers, expectSuccess, newSubgroup, newEmptyProject }: Scene, at: string) {
  const { id } = at === OF_GROUP ? await newSubgroup() : await newEmptyProject();
  await expectSuccess(callers.owner.post(`${at}/${id}/wikis`, input));
  return { id, slug: 'guides/first-steps' };
}

const emptyWiki = async ({ newSubgroup, newEmptyProject }: Scene, at: string) => ({
  id: (at === OF_GROUP ? await newSubgroup() : await newEmptyProject()).id,
});

const BOUNDARY = 'wikis-boundary';
const file = [
  `--${BOUNDARY}`,
  'Content-Disposition: form-data; name="file"; filename="dk.png"',
  '',
  'bytes',
  `--${BOUNDARY}--`,
  '',
].join('\r\n');
const headers = { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` };

export const examples: Examples<typeof endpoints> = {
  listGroupWikiPages: async (scene) => ({ by: 'guest', path: await emptyWiki(scene, OF_GROUP) }),
  listProjectWikiPages: async (scene) => ({ by: 'guest', path: await emptyWiki(scene, OF_PROJECT) }),
  getGroupWikiPage: async (scene) => ({ by: 'guest', path: await newPage(scene, OF_GROUP) }),
  getProjectWikiPage: async (scene) => ({ by: 'guest', path: await newPage(scene, OF_PROJECT) }),
  createGroupWikiPage: async (scene) => ({ by: 'planner', path: await emptyWiki(scene, OF_GROUP), params: input }),
  createProjectWikiPage: async (scene) => ({ by: 'planner', path: await emptyWiki(scene, OF_PROJECT), params: input }),
  updateGroupWikiPage: async (scene) => ({
    by: 'planner',
    path: await newPage(scene, OF_GROUP),
    params: { content: 'changed' },
  }),
  updateProjectWikiPage: async (scene) => ({
    by: 'planner',
    path: await newPage(scene, OF_PROJECT),
    params: { content: 'changed' },
  }),
  deleteGroupWikiPage: async (scene) => ({ by: 'planner', path: await newPage(scene, OF_GROUP) }),
  deleteProjectWikiPage: async (scene) => ({ by: 'planner', path: await newPage(scene, OF_PROJECT) }),
  attachToGroupWiki: async (scene) => ({
    by: 'planner',
    path: await emptyWiki(scene, OF_GROUP),
    raw: file,
    headers,
  }),
  attachToProjectWiki: async (scene) => ({
    by: 'planner',
    path: await emptyWiki(scene, OF_PROJECT),
    raw: file,
    headers,
  }),
};
