import assert from 'node:assert/strict';
import { test } from 'node:test';
import { archivedJob, insertPipelineRow, resourceGroupRow } from '#test/support/pipeline-rows.ts';
import { expectSuccess, world } from '#test/support/world.ts';

// Permissions on pipelines and jobs (contract/runners.md §4, §5), by visibility, `public_jobs` and protection of the ref.

const ROLES = ['guest', 'planner', 'reporter', 'developer', 'maintainer'] as const;
const here = await world({ project: { visibility: 'private', with: [...ROLES], readme: true } });
const { project, anonymous, owner, root, guest, planner, reporter, developer, maintainer } = here;
const stranger = await here.user();
const callers = [anonymous, stranger, guest, planner, reporter, developer, maintainer, owner, root];

type Calls = Readonly<Record<string, (paths: TargetPaths) => readonly [method: string, path: string, params?: object]>>;
/** Paths of a pipeline and its job. */
interface TargetPaths {
  readonly pipeline: string;
  readonly job: string;
}

const READ_PIPELINES: Calls = {
  pipelines: () => ['GET', `${project.at}/pipelines`],
  'latest pipeline': ({ pipeline }) => ['GET', pipeline.replace(/\d+$/, 'latest?ref=feature')],
  pipeline: ({ pipeline }) => ['GET', pipeline],
  'bridges of a pipeline': ({ pipeline }) => ['GET', `${pipeline}/bridges`],
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
  'rename a pipeline': ({ pipeline }) => ['PUT', `${pipeline}/metadata`, { name: 'x' }],
};
const ACT_ON_JOBS: Calls = {
  'cancel a job': ({ job }) => ['POST', `${job}/cancel`],
  'retry a job': ({ job }) => ['POST', `${job}/retry`],
  'keep artifacts': ({ job }) => ['POST', `${job}/artifacts/keep`],
};
const MAINTAIN: Calls = {
  'variables of another user’s pipeline': ({ pipeline }) => ['GET', `${pipeline}/variables`],
  'erase another user’s job': ({ job }) => ['POST', `${job}/erase`],
  'delete artifacts': ({ job }) => ['DELETE', `${job}/artifacts`],
};
const DESTROY: Calls = { 'delete a pipeline': ({ pipeline }) => ['DELETE', pipeline] };
const RESOURCE_GROUPS: Calls = {
  'resource groups': () => ['GET', `${project.at}/resource_groups`],
  'resource group': () => ['GET', `${project.at}/resource_groups/one`],
  'update a resource group': () => ['PUT', `${project.at}/resource_groups/one`, { process_mode: 'unordered' }],
};
await resourceGroupRow(here, project, 'one');

/** Inserts a pipeline on this ref with a finished job that has an archive. Each call gets its own. */
async function newTarget(ref: string): Promise<TargetPaths> {
  const pipeline_id = await insertPipelineRow(here, project, { ref, status: 'success' });
  const { id } = await archivedJob(here, project, { pipeline_id, status: 'success', token_digest: null });
  return { pipeline: `${project.at}/pipelines/${pipeline_id}`, job: `${project.at}/jobs/${id}` };
}

/**
 * Makes each call as each caller, writes each on a target of its own. `expected`: the status for each caller, or `ok` for
 * success.
 */
async function assertStatuses(calls: Calls, expected: string, ref = 'feature'): Promise<void> {
  const readTarget = await newTarget(ref);
  for (const [name, call] of Object.entries(calls)) {
    const isRead = call(readTarget)[0] === 'GET';
    const statuses: (number | string)[] = [];
    for (const caller of callers) {
      const [method, path, params = {}] = call(isRead ? readTarget : await newTarget(ref));
      const { status } = await caller.send(method, path, method === 'GET' ? {} : { params: { ...params } });
      statuses.push(status < 300 ? 'ok' : status);
    }
    assert.equal(statuses.join(' '), expected, name);
  }
}

//             anonymous, stranger, guest, planner, reporter, developer, maintainer, owner, administrator
const FROM_DEVELOPER = '401 404 403 403 403 ok ok ok ok';
const FROM_MAINTAINER = '401 404 403 403 403 403 ok ok ok';
const OWNERS_ONLY = '401 404 403 403 403 403 403 ok ok';

test('members of a private project read pipelines and jobs; Developers act on them', async () => {
  await assertStatuses({ ...READ_PIPELINES, ...READ_JOBS_OF_PIPELINE }, '404 404 ok ok ok ok ok ok ok');
  await assertStatuses(READ_JOBS, '401 404 ok ok ok ok ok ok ok');
  await assertStatuses({ ...ACT_ON_PIPELINES, ...ACT_ON_JOBS, ...RESOURCE_GROUPS }, FROM_DEVELOPER);
  await assertStatuses(MAINTAIN, FROM_MAINTAINER);
  await assertStatuses(DESTROY, OWNERS_ONLY);
});

test('Guests and Planners read neither if public_jobs is off', async () => {
  await expectSuccess(owner.put(project.at, { public_jobs: false }));
  await assertStatuses({ ...READ_PIPELINES, ...READ_JOBS_OF_PIPELINE }, '404 404 403 403 ok ok ok ok ok');
  await assertStatuses(READ_JOBS, '401 404 403 403 ok ok ok ok ok');
  await expectSuccess(owner.put(project.at, { public_jobs: true }));
});

test('anyone reads pipelines of a public project, but only members act on them', async () => {
  await expectSuccess(owner.put(project.at, { visibility: 'public' }));
  const forPublicProject = (row: string) => row.replace(' 404 ', ' 403 ');
  await assertStatuses({ ...READ_PIPELINES, ...READ_JOBS_OF_PIPELINE }, 'ok ok ok ok ok ok ok ok ok');
  await assertStatuses(READ_JOBS, '401 ok ok ok ok ok ok ok ok');
  await assertStatuses({ ...ACT_ON_PIPELINES, ...ACT_ON_JOBS, ...RESOURCE_GROUPS }, forPublicProject(FROM_DEVELOPER));
  await assertStatuses(MAINTAIN, forPublicProject(FROM_MAINTAINER));
  await assertStatuses(DESTROY, forPublicProject(OWNERS_ONLY));
  await expectSuccess(owner.put(project.at, { visibility: 'private' }));
});

test('restricts pipelines and jobs to members with the repository, and to nobody if it is disabled', async () => {
  await expectSuccess(owner.put(project.at, { visibility: 'public', repository_access_level: 'private' }));
  await assertStatuses(READ_PIPELINES, '403 403 ok ok ok ok ok ok ok');
  await assertStatuses(READ_JOBS, '401 403 ok ok ok ok ok ok ok');
  await expectSuccess(owner.put(project.at, { repository_access_level: 'disabled' }));
  await assertStatuses(READ_PIPELINES, '403 403 403 403 403 403 403 403 403');
  await expectSuccess(owner.put(project.at, { visibility: 'private', repository_access_level: 'enabled' }));
});

test('restricts jobs, logs and archives of a public project to Reporters if public_jobs is off, but not pipelines', async () => {
  await expectSuccess(owner.put(project.at, { visibility: 'public', public_jobs: false }));
  await assertStatuses(READ_PIPELINES, 'ok ok ok ok ok ok ok ok ok');
  await assertStatuses(READ_JOBS_OF_PIPELINE, '403 403 403 403 ok ok ok ok ok');
  await assertStatuses(READ_JOBS, '401 403 403 403 ok ok ok ok ok');
  const latest = `${project.at}/jobs/artifacts/feature/download?job=none`;
  assert.equal((await stranger.get(latest)).status, 403);
  assert.equal((await reporter.get(latest)).status, 404);
  await expectSuccess(owner.put(project.at, { visibility: 'private', public_jobs: true }));
});

test('actions on a protected ref require push or merge rights for pipelines, push rights for jobs', async () => {
  await owner.delete(`${project.at}/protected_branches/main`);
  const rule = { name: 'main', push_access_level: 40, merge_access_level: 30 };
  await expectSuccess(owner.post(`${project.at}/protected_branches`, rule));
  await assertStatuses(ACT_ON_PIPELINES, FROM_DEVELOPER, 'main');
  await assertStatuses(ACT_ON_JOBS, FROM_MAINTAINER, 'main');
  await expectSuccess(owner.delete(`${project.at}/protected_branches/main`));
  await expectSuccess(owner.post(`${project.at}/protected_branches`, { ...rule, merge_access_level: 40 }));
  await assertStatuses({ ...ACT_ON_PIPELINES, ...ACT_ON_JOBS }, FROM_MAINTAINER, 'main');
});

test('Developers read variables of their own pipelines and erase their own jobs; Guests do not', async () => {
  const ofDeveloper = { user_id: developer.id };
  const pipeline_id = await insertPipelineRow(here, project, { ref: 'feature', status: 'success', ...ofDeveloper });
  const row = { pipeline_id, status: 'success', token_digest: null, ...ofDeveloper } as const;
  const { id } = await archivedJob(here, project, row);
  assert.equal((await developer.get(`${project.at}/pipelines/${pipeline_id}/variables`)).status, 200);
  assert.equal((await developer.post(`${project.at}/jobs/${id}/erase`)).status, 201);
  const guestPipelineId = await insertPipelineRow(here, project, {
    ref: 'feature',
    status: 'success',
    user_id: guest.id,
  });
  assert.equal((await guest.get(`${project.at}/pipelines/${guestPipelineId}/variables`)).status, 403);
});
