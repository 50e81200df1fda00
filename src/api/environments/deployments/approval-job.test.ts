import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createProtection, type NewProtection } from '#authorization/protected-environments/fixtures.testing.ts';
import type { JobStatus } from '#database/schema.ts';
import { insertJobRow } from '#test/support/pipeline-rows.ts';
import { type Caller, expectSuccess, world } from '#test/support/world.ts';
import { reportDeployment } from './fixtures.testing.ts';

const here = await world();
const { newProject, server } = here;
const { database } = server.services;

/** A job that waits, and its blocked deployment to an environment that is protected so. */
async function waiting(protection: NewProtection, status: JobStatus = 'manual') {
  const project = await newProject({ readme: true, with: ['developer', 'maintainer'] });
  const { id } = (await expectSuccess(reportDeployment(project, {}, project.developer))).body;
  const job_id = await insertJobRow(here, project, {
    status,
    environment: 'production',
    user_id: project.developer.id,
  });
  await database.transaction(async (tx) => {
    await tx.updateTable('deployments').set({ job_id, status: 'blocked' }).where('id', '=', id).execute();
    const owner = { project_id: project.id, group_id: null };
    await createProtection(tx, owner, 'production', { levels: [{ access_level: 30 }], ...protection });
  });
  const say = (caller: Caller, verdict: string) =>
    expectSuccess(caller.post(`${project.at}/deployments/${id}/approval`, { status: verdict }));
  const job = async () => (await expectSuccess(project.owner.get(`${project.at}/jobs/${job_id}`))).body;
  const deployment = async () => (await expectSuccess(project.owner.get(`${project.at}/deployments/${id}`))).body;
  return { project, say, job, deployment };
}

test('starts the job as its own user on the last approval of a plain count', async () => {
  const { project, say, job } = await waiting({ requiredApprovalCount: 2 });
  await say(project.maintainer, 'approved');
  assert.equal((await job()).status, 'manual');
  await say(project.owner, 'approved');
  const { status, user } = await job();
  assert.deepEqual([status, user.id], ['pending', project.developer.id]);
});

test('makes the job playable on the last approval of rules', async () => {
  const { project, say, job, deployment } = await waiting({ rules: [{ access_level: 40 }] });
  await say(project.maintainer, 'approved');
  assert.deepEqual([(await job()).status, (await deployment()).status], ['manual', 'blocked']);
});

test('fails the job and its deployment on a rejection', async () => {
  for (const at of ['created', 'manual', 'pending', 'running'] as const) {
    const { project, say, job, deployment } = await waiting(
      { rules: [{ access_level: 40, required_approvals: 2 }] },
      at,
    );
    await say(project.maintainer, 'approved');
    await say(project.owner, 'rejected');
    const { status, failure_reason } = await job();
    assert.deepEqual([status, failure_reason], ['failed', 'deployment_rejected']);
    assert.equal((await deployment()).status, 'failed');
  }
});

test('keeps a finished job', async () => {
  const { project, say, job, deployment } = await waiting({ rules: [{ access_level: 40 }] }, 'success');
  await say(project.maintainer, 'rejected');
  assert.deepEqual([(await job()).status, (await deployment()).status], ['success', 'blocked']);
});
