import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recoverInterruptedRefUpdates } from '#repositories/ref-updates/recovery.ts';
import { atNextTransaction, failEveryAttempt } from '#test/support/interrupted-transactions.ts';
import { jobRun } from '#test/support/job-run.ts';
import { expectSuccess, type Project, world } from '#test/support/world.ts';
import { newBranch, newMergeRequest } from './fixtures.testing.ts';
import { REBASE_FAILED, rebaseJob } from './rebase.ts';

const here = await world();
const { newProject, server, runJobs, clock } = here;

type Made = Awaited<ReturnType<typeof newMergeRequest>>;

/** Creates a merge request with two commits of another author; `main` has new commits. */
async function createDivergedMergeRequest(files: Record<string, string> = {}) {
  const project = await newProject({ readme: true, with: ['developer'] });
  const source_branch = await newBranch(project);
  const author = { name: 'Ada', email: 'ada@example.com', at: { seconds: 1_600_000_000, offset: '+0230' } };
  await project.commit({ 'a.txt': 'a', ...files }, { branch: source_branch, author, message: 'Second' });
  const mr = await newMergeRequest(project, { source_branch });
  const main = await project.commit({ 'main.txt': 'm', 'both.txt': 'main' });
  return { project, mr, main };
}

const getMergeRequest = async ({ owner }: Project, mr: Made) =>
  (await expectSuccess(owner.get(mr.at, { include_rebase_in_progress: true, include_diverged_commits_count: true })))
    .body;

test('rebases the commits onto the target branch with their authors, as a push of the caller', async () => {
  const { project, mr, main } = await createDivergedMergeRequest();
  assert.equal((await getMergeRequest(project, mr)).diverged_commits_count, 1);
  const { status, body } = await project.developer.put(`${mr.at}/rebase`);
  assert.deepEqual([status, body], [202, { rebase_in_progress: true }]);
  assert.equal((await getMergeRequest(project, mr)).rebase_in_progress, true);
  await runJobs();
  const now = await getMergeRequest(project, mr);
  assert.deepEqual([now.rebase_in_progress, now.diverged_commits_count, now.merge_error], [false, 0, null]);
  assert.equal(now.diff_refs.base_sha, main);
  const [last, first] = (await expectSuccess(project.owner.get(`${mr.at}/commits`))).body;
  assert.deepEqual([last.id, last.parent_ids, first.parent_ids], [now.sha, [first.id], [main]]);
  assert.deepEqual(
    [last.author_name, last.author_email, last.authored_date, last.title],
    ['Ada', 'ada@example.com', '2020-09-13T14:56:40.000+02:30', 'Second'],
  );
  assert.equal(last.committer_name, `Name of ${project.developer.username}`);
  const [push] = (await expectSuccess(project.developer.get('/events', { action: 'pushed' }))).body;
  assert.deepEqual([push.push_data.ref, push.push_data.commit_to], [mr.source_branch, now.sha]);
  assert.equal((await expectSuccess(project.owner.get(`${mr.at}/versions`))).body.length, 2);
  await expectSuccess(project.developer.put(`${mr.at}/rebase`));
  await runJobs();
  const again = await getMergeRequest(project, mr);
  assert.deepEqual([again.sha, again.rebase_in_progress, again.merge_error], [now.sha, false, null]);
});

test('a conflict changes nothing and stores an error until the next push', async () => {
  const { project, mr } = await createDivergedMergeRequest({ 'both.txt': 'side' });
  await expectSuccess(project.owner.put(`${mr.at}/rebase`));
  await runJobs();
  const failed = await getMergeRequest(project, mr);
  assert.deepEqual([failed.sha, failed.merge_error, failed.rebase_in_progress], [mr.sha, REBASE_FAILED, false]);
  await project.commit({ 'b.txt': 'b' }, { branch: mr.source_branch, parent: mr.sha });
  assert.equal((await getMergeRequest(project, mr)).merge_error, null);
});

test('a push during a rebase wins', async () => {
  const { project, mr } = await createDivergedMergeRequest();
  await expectSuccess(project.owner.put(`${mr.at}/rebase`));
  const pushed = await project.commit({ 'b.txt': 'b' }, { branch: mr.source_branch, parent: mr.sha });
  await runJobs();
  const { sha, rebase_in_progress } = await getMergeRequest(project, mr);
  assert.deepEqual([sha, rebase_in_progress], [pushed, false]);
});

test('of concurrent requests one starts and the others answer 409', async () => {
  const { project, mr } = await createDivergedMergeRequest();
  const answers = await Promise.all([1, 2, 3].map(() => project.owner.put(`${mr.at}/rebase`)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 409, 409]);
  const lost = answers.find(({ status }) => status === 409)!;
  assert.deepEqual(lost.body, { message: '409 Conflict: Resource lock' });
  await runJobs();
  assert.equal((await expectSuccess(project.owner.get(`${mr.at}/versions`))).body.length, 2);
  await expectSuccess(project.owner.put(mr.at, { state_event: 'close' }));
  assert.equal(
    (await project.owner.put(`${mr.at}/rebase`)).status,
    409,
    'rejects the rebase of a closed merge request',
  );
});

test('answers 403 without the permission to push or force push', async () => {
  const { project, mr } = await createDivergedMergeRequest();
  const { owner, developer } = project;
  const reporter = await project.addMember('reporter');
  const refusal = async (by = owner) => {
    const { status, body } = await by.put(`${mr.at}/rebase`);
    return [status, body.message];
  };
  assert.deepEqual(await refusal(reporter), [403, '403 Forbidden - Cannot push to source branch']);
  await expectSuccess(owner.post(`${project.at}/protected_branches`, { name: mr.source_branch }));
  assert.deepEqual(await refusal(developer), [403, '403 Forbidden - Cannot push to source branch']);
  assert.deepEqual(await refusal(), [403, '403 Forbidden - Source branch is protected from force push']);
  await expectSuccess(owner.delete(`${project.repository}/branches/${mr.source_branch}`));
  assert.deepEqual(await refusal(), [403, '403 Forbidden - Source branch does not exist']);
  assert.deepEqual(await refusal(await project.addMember('guest')), [404, '404 Not found']);
});

test('does not move the branch if the caller loses the permission', async () => {
  const { project, mr } = await createDivergedMergeRequest();
  await expectSuccess(project.developer.put(`${mr.at}/rebase`));
  await expectSuccess(project.owner.put(`${project.at}/members/${project.developer.id}`, { access_level: 20 }));
  await runJobs();
  const { sha, merge_error } = await getMergeRequest(project, mr);
  assert.deepEqual([sha, merge_error], [mr.sha, REBASE_FAILED]);
});

test('after a crash the rebase ends, with the branch unchanged or fully rebased', async () => {
  const { project, mr } = await createDivergedMergeRequest();
  const { database } = server.services;
  await expectSuccess(project.owner.put(`${mr.at}/rebase`));
  const jobs = () =>
    database.transaction((tx) =>
      tx.deleteFrom('background_jobs').where('kind', '=', 'rebase_merge_request').returning('payload').execute(),
    );
  const [job] = await jobs();
  assert.ok(job, 'the job exists as long as the row');
  clock.advance(901);
  assert.equal((await getMergeRequest(project, mr)).rebase_in_progress, false);
  assert.equal((await getMergeRequest(project, mr)).sha, mr.sha);
  await expectSuccess(project.owner.put(`${mr.at}/rebase`));
  await runJobs();
  const { sha } = await getMergeRequest(project, mr);
  assert.notEqual(sha, mr.sha);
  await database.transaction((tx) =>
    tx
      .insertInto('background_jobs')
      .values({ kind: 'rebase_merge_request', payload: job.payload, run_at: tx.now, created_at: tx.now })
      .execute(),
  );
  await runJobs();
  const again = await getMergeRequest(project, mr);
  assert.deepEqual([again.sha, again.merge_error], [sha, null], 'a second run has no effect');
});

test('a rebase that crashes each time fails with an error', async () => {
  const { project, mr } = await createDivergedMergeRequest();
  await expectSuccess(project.owner.put(`${mr.at}/rebase`));
  await failEveryAttempt(here, 'rebase_merge_request');
  const { sha, merge_error, rebase_in_progress } = await getMergeRequest(project, mr);
  assert.deepEqual([sha, merge_error, rebase_in_progress], [mr.sha, REBASE_FAILED, false]);
});

test('recovery completes a rebase whose branch has moved', async () => {
  const { project, mr } = await createDivergedMergeRequest();
  const { services } = server;
  const { database } = services;
  await expectSuccess(project.owner.put(`${mr.at}/rebase`));
  const own = database.transaction;
  // The process dies before it records that the branch has moved.
  database.transaction = async (work, options) => {
    if (options?.lock === `refs of ${project.id}`) throw new Error('dead');
    return own(work, options);
  };
  await runJobs().catch(() => {});
  database.transaction = own;
  assert.equal((await getMergeRequest(project, mr)).sha, mr.sha, 'the outcome is not recorded yet');
  await recoverInterruptedRefUpdates(services, { isOnlyProcess: true });
  const settled = await getMergeRequest(project, mr);
  assert.notEqual(settled.sha, mr.sha);
  clock.advance(600);
  await runJobs();
  const after = await getMergeRequest(project, mr);
  assert.deepEqual([after.sha, after.merge_error, after.rebase_in_progress], [settled.sha, null, false]);
});

test('a run that another one has taken over stores no error', async () => {
  const { project, mr } = await createDivergedMergeRequest();
  await expectSuccess(project.owner.put(`${mr.at}/rebase`));
  const run = jobRun();
  const rebase = () => rebaseJob.handle(server.services, { mergeRequestId: mr.id }, run);
  // The lease has expired.
  atNextTransaction(here, async (take) => {
    const taken = await take();
    await rebase();
    return taken;
  });
  await rebase();
  const { sha, merge_error, rebase_in_progress } = await getMergeRequest(project, mr);
  assert.notEqual(sha, mr.sha);
  assert.deepEqual([merge_error, rebase_in_progress], [null, false]);
});

test('starts a pipeline unless skip_ci is set', async () => {
  const ci = { '.gitlab-ci.yml': 'job:\n  script: echo\n' };
  const project = await newProject({ readme: true });
  await project.commit(ci);
  await project.commit({ 'x.txt': 'x' }, { branch: 'side' });
  const mr = await newMergeRequest(project, { source_branch: 'side' });
  const heads: string[] = [];
  for (const skip_ci of [true, false]) {
    await project.commit({ [`${skip_ci}.txt`]: 'x' });
    await expectSuccess(project.owner.put(`${mr.at}/rebase`, { skip_ci }));
    await runJobs();
    heads.push((await getMergeRequest(project, mr)).sha);
  }
  const { body } = await expectSuccess(project.owner.get(`${project.at}/pipelines`, { ref: 'side' }));
  const shas = body.map(({ sha }: { sha: string }) => sha);
  assert.ok(shas.includes(heads[1]!) && heads[0] !== heads[1]);
  assert.equal(body.find(({ sha }: { sha: string }) => sha === heads[0])?.status ?? 'skipped', 'skipped');
});
