import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pipelineRow } from '#test/support/pipeline-rows.ts';
import { done, type Project, world } from '#test/support/world.ts';

const here = await world({ project: { readme: true, with: ['planner', 'guest'] } });
const { project, owner, planner, guest, newProject } = here;

/** A merge request of a new branch into `main`, and where its pipelines are. */
async function merging(place: Project) {
  const source_branch = here.name('feature');
  const first = await place.commit({ 'a.txt': here.name('a') }, { branch: source_branch });
  const wish = { title: 'Add', source_branch, target_branch: 'main' };
  const { body } = await done(place.owner.post(`${place.at}/merge_requests`, wish));
  return { first, source_branch, at: `${place.at}/merge_requests/${body.iid}/pipelines` };
}

const ids = (body: readonly { readonly id: number }[]) => body.map(({ id }) => id);

test('the pipelines of a merge request are those of its heads on its source branch, the newest first', async () => {
  const { first, source_branch: ref, at } = await merging(project);
  const second = await project.commit({ 'b.txt': 'b' }, { branch: ref });
  const made = [];
  for (const sha of [first, second, first]) made.push(await pipelineRow(here, project, { sha, ref }));
  await pipelineRow(here, project, { sha: 'c'.repeat(40), ref });
  await pipelineRow(here, project, { sha: first, ref: 'main' });
  await pipelineRow(here, project, { sha: first, ref, tag: true });
  const { body, headers } = await done(planner.get(at));
  assert.deepEqual(ids(body), made.toReversed());
  assert.equal(headers['x-total'], '3');
  assert.deepEqual(body[0], (await done(owner.get(`${project.at}/pipelines`, { ref, sha: first }))).body[1]);
  assert.deepEqual(ids((await done(planner.get(at, { per_page: 1, page: 2 }))).body), [made[1]]);
});

test('who may not read pipelines or merge requests is refused, and what there is not is 404', async () => {
  const { at } = await merging(project);
  const answer = async (by: typeof owner, path: string) => {
    const { status, body } = await by.get(path);
    return [status, body];
  };
  const E403 = [403, { message: '403 Forbidden' }];
  assert.deepEqual(await answer(guest, at), E403);
  assert.deepEqual(await answer(owner, `${project.at}/merge_requests/0/pipelines`), [
    404,
    { message: '404 Not found' },
  ]);
  await done(owner.put(project.at, { public_jobs: false }));
  assert.deepEqual(await answer(planner, at), E403);
  await done(owner.put(project.at, { public_jobs: true }));
  const open = await newProject({ readme: true, visibility: 'public', builds_access_level: 'private' });
  const mr = await merging(open);
  assert.deepEqual(await answer(await here.user(), mr.at), E403);
  await done(open.owner.put(open.at, { builds_access_level: 'enabled' }));
  assert.deepEqual(await answer(here.anonymous, mr.at), [200, []]);
});
