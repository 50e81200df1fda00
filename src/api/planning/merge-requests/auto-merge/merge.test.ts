import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atNextTransaction, failEveryAttempt } from '#test/support/interrupted-transactions.ts';
import { jobRun } from '#test/support/job-run.ts';
import { insertPipelineRow } from '#test/support/pipeline-rows.ts';
import { expectSuccess, type Project, world } from '#test/support/world.ts';
import { newMergeRequest, succeedPipeline } from '../fixtures.testing.ts';
import { autoMergeJob } from './job.ts';

const here = await world();
const { newProject, runJobs, server, root } = here;
const { services } = server;

type Made = Awaited<ReturnType<typeof newMergeRequest>>;
type Place = Project;

/** Creates a merge request with auto-merge and a running pipeline, in a project that requires pipelines. */
async function createWithAutoMerge(params: object = {}, place?: Place) {
  const project = place ?? (await newProject({ readme: true, only_allow_merge_if_pipeline_succeeds: true }));
  const mr = await newMergeRequest(project, params);
  const row = { sha: mr.sha, ref: mr.source_branch, status: 'running' } as const;
  const id = await insertPipelineRow(here, project, row);
  await expectSuccess(project.owner.put(`${mr.at}/merge`, { auto_merge: true, merge_commit_message: 'By itself' }));
  return { project, owner: project.owner, mr, succeed: () => succeedPipeline(here, id) };
}

const getMergeRequest = async ({ owner }: Place, mr: Made) => (await expectSuccess(owner.get(mr.at))).body;

const lastNote = async ({ owner }: Place, mr: Made) => (await expectSuccess(owner.get(`${mr.at}/notes`))).body[0].body;

test('merges after pipeline success with the stored options, as the user who enabled auto-merge', async () => {
  const { project, mr, succeed } = await createWithAutoMerge();
  await runJobs();
  assert.equal((await getMergeRequest(project, mr)).state, 'opened');
  await succeed();
  await runJobs();
  const merged = await getMergeRequest(project, mr);
  assert.deepEqual(
    [merged.state, merged.merge_user.id, merged.merge_when_pipeline_succeeds, merged.merge_error],
    ['merged', project.owner.id, false, null],
  );
  const { body } = await expectSuccess(project.owner.get(`${project.repository}/commits/${merged.merge_commit_sha}`));
  assert.equal(body.message, 'By itself');
});

test('merges when the pipeline is skipped, if the project accepts that', async () => {
  const settings = { only_allow_merge_if_pipeline_succeeds: true, allow_merge_on_skipped_pipeline: true };
  const project = await newProject({ readme: true, ...settings });
  const mr = await newMergeRequest(project);
  await expectSuccess(project.owner.put(`${mr.at}/merge`, { auto_merge: true }));
  await runJobs();
  assert.equal((await getMergeRequest(project, mr)).state, 'opened');
  const status = { ref: mr.source_branch, state: 'skipped' };
  await expectSuccess(project.owner.post(`${project.at}/statuses/${mr.sha}`, status));
  await runJobs();
  assert.equal((await getMergeRequest(project, mr)).state, 'merged');
});

test('merges a draft when it is marked as ready', async () => {
  const { project, owner, mr, succeed } = await createWithAutoMerge({ title: 'Draft: Words' });
  await succeed();
  await runJobs();
  assert.equal((await getMergeRequest(project, mr)).state, 'opened');
  await expectSuccess(owner.put(mr.at, { title: 'Words' }));
  await runJobs();
  assert.equal((await getMergeRequest(project, mr)).state, 'merged');
});

test('merges when the last open thread is resolved', async () => {
  const wants = { only_allow_merge_if_all_discussions_are_resolved: true };
  const project = await newProject({ readme: true, ...wants });
  const mr = await newMergeRequest(project);
  const threads: string[] = [];
  for (const body of ['One', 'Two']) {
    threads.push((await expectSuccess(project.owner.post(`${mr.at}/discussions`, { body }))).body.id);
  }
  await expectSuccess(project.owner.put(`${mr.at}/merge`, { auto_merge: true }));
  for (const [thread, state] of [
    [threads[0], 'opened'],
    [threads[1], 'merged'],
  ]) {
    await expectSuccess(project.owner.put(`${mr.at}/discussions/${thread}`, { resolved: true }));
    await runJobs();
    assert.equal((await getMergeRequest(project, mr)).state, state);
  }
});

test('a new head, a new target branch and closing abort auto-merge with a note', async () => {
  const { project, owner, mr, succeed } = await createWithAutoMerge();
  await project.commit({ 'more.txt': 'x' }, { branch: mr.source_branch, parent: mr.sha });
  await succeed();
  const led = await createWithAutoMerge({}, project);
  await expectSuccess(owner.post(`${project.repository}/branches`, { branch: 'other', ref: 'main' }));
  await expectSuccess(owner.put(led.mr.at, { target_branch: 'other' }));
  const closed = await createWithAutoMerge({}, project);
  await expectSuccess(owner.put(closed.mr.at, { state_event: 'close' }));
  await runJobs();
  for (const [one, reason] of [
    [mr, 'the source branch was updated'],
    [led.mr, 'target branch was changed'],
    [closed.mr, 'merge request was closed'],
  ]) {
    const { state, merge_when_pipeline_succeeds } = await getMergeRequest(project, one);
    assert.notEqual(state, 'merged');
    assert.equal(merge_when_pipeline_succeeds, false);
    assert.equal(await lastNote(project, one), `aborted the automatic merge because ${reason}`);
  }
});

test('does not merge if the user lost the permission, and stores an error', async () => {
  const project = await newProject({ readme: true, only_allow_merge_if_pipeline_succeeds: true });
  const maintainer = await project.addMember('maintainer');
  const mr = await newMergeRequest(project);
  const row = { sha: mr.sha, ref: mr.source_branch, status: 'running' } as const;
  const id = await insertPipelineRow(here, project, row);
  await expectSuccess(maintainer.put(`${mr.at}/merge`, { auto_merge: true }));
  await expectSuccess(project.owner.put(`${project.at}/members/${maintainer.id}`, { access_level: 30 }));
  await succeedPipeline(here, id);
  await runJobs();
  const { state, merge_error, merge_when_pipeline_succeeds } = await getMergeRequest(project, mr);
  const text = 'Auto-merge failed: who has enabled it is not allowed to merge into the target branch.';
  assert.deepEqual([state, merge_error, merge_when_pipeline_succeeds], ['opened', text, false]);
});

test('gives up auto-merge with an error if each attempt crashes the process', async () => {
  const { project, mr, succeed } = await createWithAutoMerge();
  await succeed();
  await failEveryAttempt(here, 'run_auto_merge');
  const { state, merge_error, merge_when_pipeline_succeeds } = await getMergeRequest(project, mr);
  const text = 'Auto-merge failed: the merge could not be made.';
  assert.deepEqual([state, merge_error, merge_when_pipeline_succeeds], ['opened', text, false]);
});

test('merges after the branches have stopped moving', async () => {
  const { project, mr, succeed } = await createWithAutoMerge();
  await succeed();
  // Before each transaction of five attempts: the one that begins the ref update and the one that gives it up.
  let moves = 0;
  const moveFirst = () =>
    atNextTransaction(here, async (run) => {
      await project.commit({ [`${++moves}.txt`]: 'x' });
      if (moves < 10) moveFirst();
      return run();
    });
  moveFirst();
  const run = jobRun();
  await assert.rejects(
    autoMergeJob.handle(services, { mergeRequestId: mr.id }, run),
    /branches were moved during each attempt/,
  );
  assert.equal((await getMergeRequest(project, mr)).merge_when_pipeline_succeeds, true);
  await runJobs();
  assert.deepEqual([moves, (await getMergeRequest(project, mr)).state], [10, 'merged']);
});

test('concurrent events merge it once', async () => {
  const { project, owner, mr, succeed } = await createWithAutoMerge({ title: 'Draft: Words' });
  await Promise.all([succeed(), expectSuccess(owner.put(mr.at, { title: 'Words' }))]);
  await Promise.all([runJobs(), owner.put(`${mr.at}/merge`)]);
  await runJobs();
  assert.equal((await getMergeRequest(project, mr)).state, 'merged');
  const deeds = services.database.reader.selectFrom('activity_events').select('action').where('target_id', '=', mr.id);
  const actions = await deeds.where('target_type', '=', 'MergeRequest').where('action', '=', 'merged').execute();
  assert.equal(actions.length, 1);
});

test('does not miss a pipeline that succeeds while auto-merge is enabled', async () => {
  const project = await newProject({ readme: true });
  const mr = await newMergeRequest(project);
  const row = { sha: mr.sha, ref: mr.source_branch, status: 'running' } as const;
  const id = await insertPipelineRow(here, project, row);
  atNextTransaction(here, async (run) => {
    await succeedPipeline(here, id);
    return run();
  });
  const { body } = await expectSuccess(project.owner.put(`${mr.at}/merge`, { auto_merge: true }));
  assert.equal(body.state, 'merged');
});

test('waits while the repository is read-only', async () => {
  const { project, mr, succeed } = await createWithAutoMerge();
  await expectSuccess(root.put(project.at, { repository_read_only: true }));
  await succeed();
  await runJobs();
  assert.equal((await getMergeRequest(project, mr)).merge_when_pipeline_succeeds, true);
  await expectSuccess(root.put(project.at, { repository_read_only: false }));
  here.clock.advance(601);
  await runJobs();
  assert.equal((await getMergeRequest(project, mr)).state, 'merged');
});

test('waits for merge_after, which an update can move or clear', async () => {
  const project = await newProject({ readme: true });
  const { owner } = project;
  const inSeconds = (seconds: number) => new Date(here.clock.now().getTime() + seconds * 1000).toISOString();
  const time = inSeconds(3600);
  const [early, moved, cleared] = [
    await newMergeRequest(project, { merge_after: time }),
    await newMergeRequest(project, { merge_after: time }),
    await newMergeRequest(project, { merge_after: time }),
  ];
  assert.deepEqual([early.merge_after, early.detailed_merge_status], [time, 'merge_time']);
  assert.equal((await owner.put(`${early.at}/merge`)).status, 405);
  for (const mr of [early, moved, cleared]) await expectSuccess(owner.put(`${mr.at}/merge`, { auto_merge: true }));
  await expectSuccess(owner.put(moved.at, { merge_after: inSeconds(7200) }));
  assert.equal((await expectSuccess(owner.put(cleared.at, { merge_after: '' }))).body.merge_after, null);
  const states = async () => {
    await runJobs();
    return Promise.all([early, moved, cleared].map(async (mr) => (await getMergeRequest(project, mr)).state));
  };
  assert.deepEqual(await states(), ['opened', 'opened', 'merged']);
  here.clock.advance(3601);
  assert.deepEqual(await states(), ['merged', 'opened', 'merged']);
  here.clock.advance(3600);
  assert.deepEqual(await states(), ['merged', 'merged', 'merged']);
});
