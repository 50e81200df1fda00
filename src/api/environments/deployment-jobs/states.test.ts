import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createPipelineFixture, type PipelineFixture } from '#api/pipelines/processing/fixtures.testing.ts';
import { changeJobStatus } from '#api/pipelines/processing/index.ts';
import { ANONYMOUS } from '#authentication/caller.ts';
import { createProtection } from '#authorization/protected-environments/fixtures.testing.ts';
import type { DeploymentStatus, JobStatus } from '#database/schema.ts';
import { world } from '#test/support/world.ts';
import { DEPLOYMENT_STATUS } from './on-job-status.ts';

// Whatever is done to jobs in whatever order: deployments and environments make only steps of contract/environments.md "States".

const here = await world();
const { server, newProject } = here;
const { runUnitOfWork, database } = server.services;

type Place = Awaited<ReturnType<typeof place>>;
const place = () => newProject({ readme: true, with: ['maintainer'] });

type Trigger = (project: Place, pipeline: PipelineFixture) => Promise<unknown>;

const NAMES = ['build', 'ship', 'end'] as const;
const step = (name: string, from: readonly JobStatus[], to: JobStatus): Trigger => {
  return async (_project, pipeline) => {
    const id = await pipeline.getJobId(name);
    return runUnitOfWork(ANONYMOUS, (uow) => changeJobStatus(uow, id, from, to));
  };
};
const goOn = (name: string): Trigger => {
  return async (project, pipeline) =>
    (await step(name, ['running'], 'success')(project, pipeline)) ??
    step(name, ['pending'], 'running')(project, pipeline);
};
const ask = (name: string, how: string): Trigger => {
  return async ({ maintainer, at }, pipeline) => maintainer.post(`${at}/jobs/${await pipeline.getJobId(name)}/${how}`);
};

const TRIGGERS: readonly Trigger[] = [
  // Several times, because without them nothing else comes about.
  ...NAMES.flatMap((name) => [goOn(name), goOn(name), goOn(name), ask(name, 'play')]),
  ...['ship', 'end'].flatMap((name) => [step(name, ['running'], 'failed'), ask(name, 'cancel'), ask(name, 'retry')]),
  ({ maintainer, at }, { id }) => maintainer.post(`${at}/pipelines/${id}/cancel`),
  ({ maintainer, at }, { id }) => maintainer.post(`${at}/pipelines/${id}/retry`),
  async ({ maintainer, at, id }) => {
    const of = await database.reader.selectFrom('environments').select('id').where('project_id', '=', id).execute();
    return maintainer.post(`${at}/environments/${of[0]?.id ?? 0}/stop`);
  },
  ({ id }) =>
    database.transaction(async (tx) => {
      const owner = { project_id: id, group_id: null };
      await tx.deleteFrom('protected_environments').where('project_id', '=', id).execute();
      await createProtection(tx, owner, 'a', { levels: [{ access_level: 40 }], rules: [{ access_level: 50 }] });
    }),
  ({ id }) =>
    database.transaction((tx) => tx.deleteFrom('protected_environments').where('project_id', '=', id).execute()),
];

/** What one step leads to, or two that an act makes at once: a job that waits again may have its turn. */
const LEADS: Readonly<Record<DeploymentStatus, readonly DeploymentStatus[]>> = {
  created: ['created', 'blocked', 'running', 'success', 'failed', 'canceled', 'skipped'],
  blocked: ['blocked', 'running', 'success', 'failed', 'canceled'],
  running: ['running', 'success', 'failed', 'canceled'],
  skipped: ['skipped', 'created', 'blocked', 'failed', 'canceled'],
  success: ['success'],
  failed: ['failed'],
  canceled: ['canceled'],
};

async function standing({ id }: Place) {
  const db = database.reader;
  const deployments = await db
    .selectFrom('deployments')
    .innerJoin('jobs', 'jobs.id', 'deployments.job_id')
    .select(['deployments.id', 'deployments.status', 'deployments.finished_at', 'jobs.status as job'])
    .where('deployments.project_id', '=', id)
    .execute();
  const [environment] = await db.selectFrom('environments').select('state').where('project_id', '=', id).execute();
  return { deployments, state: environment?.state ?? 'available' };
}

type Standing = Awaited<ReturnType<typeof standing>>;

function check(before: Standing, now: Standing): void {
  for (const { id, status, finished_at, job } of now.deployments) {
    const was = before.deployments.find((one) => one.id === id)?.status ?? 'created';
    assert.ok(LEADS[was].includes(status), `${was} -> ${status}`);
    const meant = DEPLOYMENT_STATUS[job];
    assert.ok(
      meant === null ? ['created', 'blocked'].includes(status) || job === 'canceling' : meant === status,
      `${job}: ${status}`,
    );
    assert.equal(finished_at !== null, ['success', 'failed', 'canceled'].includes(status));
  }
  if (before.state === 'stopped') assert.notEqual(now.state, 'stopping');
}

test('follows the transition table for deployments and environments', async () => {
  const many = fc.array(fc.integer({ min: 0, max: TRIGGERS.length - 1 }), { minLength: 20, maxLength: 50 });
  const run = async (triggers: number[]) => {
    const project = await place();
    const row = { environment: 'a', user_id: project.maintainer.id };
    const pipeline = await createPipelineFixture(here, project, {
      build: {},
      ship: { stage: 1, row, options: { environment: { action: 'start', on_stop: 'end' } } },
      end: { stage: 1, when: 'manual', allowFailure: true, row, options: { environment: { action: 'stop' } } },
    });
    let before = await standing(project);
    for (const at of triggers) {
      await TRIGGERS[at]!(project, pipeline);
      const now = await standing(project);
      check(before, now);
      before = now;
    }
  };
  await fc.assert(fc.asyncProperty(many, run), { numRuns: 12, seed: 20260102 });
});
