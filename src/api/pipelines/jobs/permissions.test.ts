import assert from 'node:assert/strict';
import { test } from 'node:test';
import { archivedJob, pipelineRow, resourceGroupRow } from '#test/support/pipeline-rows.ts';
import { done, world } from '#test/support/world.ts';

// Who may do what with pipelines and jobs (contract/runners.md §4, §5), by visibility, `public_jobs` and the ref's protection.

const ROLES = ['guest', 'planner', 'reporter', 'developer', 'maintainer'] as const;
const here = await world({ project: { visibility: 'private', with: [...ROLES], readme: true } });
const { project, anonymous, owner, root, guest, planner, reporter, developer, maintainer } = here;
const stranger = await here.user();
const callers = [anonymous, stranger, guest, planner, reporter, developer, maintainer, owner, root];

type Calls = Readonly<Record<string, (at: Thing) => readonly [method: string, path: string, params?: object]>>;
interface Thing {
  readonly pipeline: string;
  readonly job: string;
}

const READ_PIPELINES: Calls = {
  pipelines: () => ['GET', `${project.at}/pipelines`],
  'latest pipeline': ({ pipeline }) => ['GET', pipeline.replace(/\d+$/, 'latest?ref=feature')],
  pipeline: ({ pipeline }) => ['GET', pipeline],
  'its bridges': ({ pipeline }) => ['GET', `${pipeline}/bridges`],
};
const READ_JOBS_OF_PIPELINE: Calls = { 'jobs of a pipeline': ({ pipeline }) => ['GET', `${pipeline}/jobs`] };
const READ_JOBS: Calls = {
  jobs: () => ['GET', `${project.at}/jobs`],
  job: ({ job }) => ['GET', job],
  log: ({ job }) => ['GET', `${job}/trace`],
  artifacts: ({ job }) => ['GET', `${job}/artifacts`],
};
const ACT_ON_PIPELINES: Calls = {
  'retry a pipeline': ({ pipeline }) => ['POST', `${pipeline}/retry`],
  'cancel a pipeline': ({ pipeline }) => ['POST', `${pipeline}/cancel`],
  'name a pipeline': ({ pipeline }) => ['PUT', `${pipeline}/metadata`, { name: 'x' }],
};
const ACT_ON_JOBS: Calls = {
  'cancel a job': ({ job }) => ['POST', `${job}/cancel`],
  'retry a job': ({ job }) => ['POST', `${job}/retry`],
  'keep artifacts': ({ job }) => ['POST', `${job}/artifacts/keep`],
};
const MAINTAIN: Calls = {
  'variables of another’s pipeline': ({ pipeline }) => ['GET', `${pipeline}/variables`],
  'erase another’s job': ({ job }) => ['POST', `${job}/erase`],
  'delete artifacts': ({ job }) => ['DELETE', `${job}/artifacts`],
};
const DESTROY: Calls = { 'delete a pipeline': ({ pipeline }) => ['DELETE', pipeline] };
const RESOURCE_GROUPS: Calls = {
  'resource groups': () => ['GET', `${project.at}/resource_groups`],
  'resource group': () => ['GET', `${project.at}/resource_groups/one`],
  'change a resource group': () => ['PUT', `${project.at}/resource_groups/one`, { process_mode: 'unordered' }],
};
await resourceGroupRow(here, project, 'one');

/** A pipeline on this ref with a job that has ended and left an archive: each call has one of its own. */
async function thing(ref: string): Promise<Thing> {
  const pipeline_id = await pipelineRow(here, project, { ref, status: 'success' });
  const { id } = await archivedJob(here, project, { pipeline_id, status: 'success', token_digest: null });
  return { pipeline: `${project.at}/pipelines/${pipeline_id}`, job: `${project.at}/jobs/${id}` };
}

/** `expected`: for each caller what each of the calls answers, `ok` where it is done. */
async function matrix(calls: Calls, expected: string, ref = 'feature'): Promise<void> {
  for (const [name, call] of Object.entries(calls)) {
    const statuses: (number | string)[] = [];
    for (const caller of callers) {
      const [method, path, params = {}] = call(await thing(ref));
      const { status } = await caller.send(method, path, method === 'GET' ? {} : { params: { ...params } });
      statuses.push(status < 300 ? 'ok' : status);
    }
    assert.equal(statuses.join(' '), expected, name);
  }
}

//             anonymous, stranger, guest, planner, reporter, developer, maintainer, owner, administrator
const DEVELOPERS = '401 404 403 403 403 ok ok ok ok';
const MAINTAINERS = '401 404 403 403 403 403 ok ok ok';
const OWNERS = '401 404 403 403 403 403 403 ok ok';

test('members of a private project read pipelines and jobs, Developers act on them', async () => {
  await matrix({ ...READ_PIPELINES, ...READ_JOBS_OF_PIPELINE }, '404 404 ok ok ok ok ok ok ok');
  await matrix(READ_JOBS, '401 404 ok ok ok ok ok ok ok');
  await matrix({ ...ACT_ON_PIPELINES, ...ACT_ON_JOBS, ...RESOURCE_GROUPS }, DEVELOPERS);
  await matrix(MAINTAIN, MAINTAINERS);
  await matrix(DESTROY, OWNERS);
});

test('guests and planners read neither where jobs are not shown to all members', async () => {
  await done(owner.put(project.at, { public_jobs: false }));
  await matrix({ ...READ_PIPELINES, ...READ_JOBS_OF_PIPELINE }, '404 404 403 403 ok ok ok ok ok');
  await matrix(READ_JOBS, '401 404 403 403 ok ok ok ok ok');
  await done(owner.put(project.at, { public_jobs: true }));
});

test('pipelines of a public project are everybody’s to read, and nobody else’s to act on', async () => {
  await done(owner.put(project.at, { visibility: 'public' }));
  const strangers = (row: string) => row.replace(' 404 ', ' 403 ');
  await matrix({ ...READ_PIPELINES, ...READ_JOBS_OF_PIPELINE }, 'ok ok ok ok ok ok ok ok ok');
  await matrix(READ_JOBS, '401 ok ok ok ok ok ok ok ok');
  await matrix({ ...ACT_ON_PIPELINES, ...ACT_ON_JOBS, ...RESOURCE_GROUPS }, strangers(DEVELOPERS));
  await matrix(MAINTAIN, strangers(MAINTAINERS));
  await matrix(DESTROY, strangers(OWNERS));
  await done(owner.put(project.at, { visibility: 'private' }));
});

test('where the code is for members alone so are pipelines and jobs, and nobody’s where it is switched off', async () => {
  await done(owner.put(project.at, { visibility: 'public', repository_access_level: 'private' }));
  await matrix(READ_PIPELINES, '403 403 ok ok ok ok ok ok ok');
  await matrix(READ_JOBS, '401 403 ok ok ok ok ok ok ok');
  await done(owner.put(project.at, { repository_access_level: 'disabled' }));
  await matrix(READ_PIPELINES, '403 403 403 403 403 403 403 403 403');
  await done(owner.put(project.at, { visibility: 'private', repository_access_level: 'enabled' }));
});

test('where a public project hides its jobs, their logs and archives too are for Reporters; pipelines are everybody’s', async () => {
  await done(owner.put(project.at, { visibility: 'public', public_jobs: false }));
  await matrix(READ_PIPELINES, 'ok ok ok ok ok ok ok ok ok');
  await matrix(READ_JOBS_OF_PIPELINE, '403 403 403 403 ok ok ok ok ok');
  await matrix(READ_JOBS, '401 403 403 403 ok ok ok ok ok');
  const latest = `${project.at}/jobs/artifacts/feature/download?job=none`;
  assert.equal((await stranger.get(latest)).status, 403);
  assert.equal((await reporter.get(latest)).status, 404);
  await done(owner.put(project.at, { visibility: 'private', public_jobs: true }));
});

test('on a protected ref pipelines need the right to push or to merge, jobs that to push', async () => {
  await owner.delete(`${project.at}/protected_branches/main`);
  const rule = { name: 'main', push_access_level: 40, merge_access_level: 30 };
  await done(owner.post(`${project.at}/protected_branches`, rule));
  await matrix(ACT_ON_PIPELINES, DEVELOPERS, 'main');
  await matrix(ACT_ON_JOBS, MAINTAINERS, 'main');
  await done(owner.delete(`${project.at}/protected_branches/main`));
  await done(owner.post(`${project.at}/protected_branches`, { ...rule, merge_access_level: 40 }));
  await matrix({ ...ACT_ON_PIPELINES, ...ACT_ON_JOBS }, MAINTAINERS, 'main');
});

test('who has started a pipeline or a job reads its variables and erases it while he is Developer', async () => {
  const own = { user_id: developer.id };
  const pipeline_id = await pipelineRow(here, project, { ref: 'feature', status: 'success', ...own });
  const erased = { pipeline_id, status: 'success', token_digest: null, ...own } as const;
  const { id } = await archivedJob(here, project, erased);
  assert.equal((await developer.get(`${project.at}/pipelines/${pipeline_id}/variables`)).status, 200);
  assert.equal((await developer.post(`${project.at}/jobs/${id}/erase`)).status, 201);
  const guests = await pipelineRow(here, project, { ref: 'feature', status: 'success', user_id: guest.id });
  assert.equal((await guest.get(`${project.at}/pipelines/${guests}/variables`)).status, 403);
});
