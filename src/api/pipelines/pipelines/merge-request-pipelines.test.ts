import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insertPipelineRow } from '#test/support/pipeline-rows.ts';
import { expectSuccess, type Project, world } from '#test/support/world.ts';

const here = await world({ project: { readme: true, with: ['planner', 'guest'] } });
const { project, owner, planner, guest, newProject } = here;

/** Creates a merge request of a new branch into `main`; `at` is the path of its pipelines. */
async function newMergeRequest(target: Project) {
  const source_branch = here.name('feature');
  const first = await target.commit({ 'a.txt': here.name('a') }, { branch: source_branch });
  const input = { title: 'Add', source_branch, target_branch: 'main' };
  const { body } = await expectSuccess(target.owner.post(`${target.at}/merge_requests`, input));
  return { first, source_branch, at: `${target.at}/merge_requests/${body.iid}/pipelines` };
}

const ids = (body: readonly { readonly id: number }[]) => body.map(({ id }) => id);

test('lists the pipelines of a merge request: those of its head commits on the source branch, newest first', async () => {
  const { first, source_branch: ref, at } = await newMergeRequest(project);
  const second = await project.commit({ 'b.txt': 'b' }, { branch: ref });
  const pipelineIds = [];
  for (const sha of [first, second, first]) pipelineIds.push(await insertPipelineRow(here, project, { sha, ref }));
  await insertPipelineRow(here, project, { sha: 'c'.repeat(40), ref });
  await insertPipelineRow(here, project, { sha: first, ref: 'main' });
  await insertPipelineRow(here, project, { sha: first, ref, tag: true });
  const { body, headers } = await expectSuccess(planner.get(at));
  assert.deepEqual(ids(body), pipelineIds.toReversed());
  assert.equal(headers['x-total'], '3');
  assert.deepEqual(body[0], (await expectSuccess(owner.get(`${project.at}/pipelines`, { ref, sha: first }))).body[1]);
  assert.deepEqual(ids((await expectSuccess(planner.get(at, { per_page: 1, page: 2 }))).body), [pipelineIds[1]]);
});

test('returns 403 to callers who cannot read pipelines or merge requests, and 404 for a missing merge request', async () => {
  const { at } = await newMergeRequest(project);
  const answer = async (caller: typeof owner, path: string) => {
    const { status, body } = await caller.get(path);
    return [status, body];
  };
  const FORBIDDEN = [403, { message: '403 Forbidden' }];
  assert.deepEqual(await answer(guest, at), FORBIDDEN);
  assert.deepEqual(await answer(owner, `${project.at}/merge_requests/0/pipelines`), [
    404,
    { message: '404 Not found' },
  ]);
  await expectSuccess(owner.put(project.at, { public_jobs: false }));
  assert.deepEqual(await answer(planner, at), FORBIDDEN);
  await expectSuccess(owner.put(project.at, { public_jobs: true }));
  const open = await newProject({ readme: true, visibility: 'public', builds_access_level: 'private' });
  const mergeRequest = await newMergeRequest(open);
  assert.deepEqual(await answer(await here.user(), mergeRequest.at), FORBIDDEN);
  await expectSuccess(open.owner.put(open.at, { builds_access_level: 'enabled' }));
  assert.deepEqual(await answer(here.anonymous, mergeRequest.at), [200, []]);
});
