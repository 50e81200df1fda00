import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JobStatus, JobWhen } from '#database/schema.ts';
import { getCompositeStatus } from './composite-status.ts';
import { findReadyJobs, hasFinished, type PipelineJob } from './job-readiness.ts';

const WHEN: readonly JobWhen[] = ['on_success', 'on_failure', 'always', 'manual', 'delayed'];

type Drawn = { stage: number; when: JobWhen; mayFail: boolean; needs: readonly number[] | null };

const drawnJobs = fc.array(
  fc.record({
    stage: fc.nat(3),
    when: fc.constantFrom(...WHEN),
    mayFail: fc.boolean(),
    needs: fc.option(fc.array(fc.nat(11), { maxLength: 3 })),
  }),
  { minLength: 1, maxLength: 12 },
);

/** Jobs that need earlier ones of their own or an earlier stage, as a checked CI file has them. */
function jobsOf(drawn: readonly Drawn[]): PipelineJob[] {
  const sorted = drawn.toSorted((one, other) => one.stage - other.stage);
  return sorted.map(({ stage, when, mayFail, needs }, index) => ({
    id: index + 1,
    name: `job ${index}`,
    stage_index: stage,
    status: 'created',
    run_when: when,
    allow_failure: mayFail,
    needs: needs && [...new Set(needs)].filter((need) => need < index).map((need) => needOf(`job ${need}`)),
  }));
}

const needOf = (job: string) => ({ job, artifacts: true, optional: false });

/** What a job that is under way may become, by a number. */
const STEPS: Partial<Record<JobStatus, readonly JobStatus[]>> = {
  pending: ['running', 'failed', 'canceled'],
  running: ['success', 'success', 'failed', 'canceled', 'canceling'],
  canceling: ['canceled'],
  manual: ['pending', 'pending', 'canceled'],
  scheduled: ['pending', 'pending', 'failed'],
};

/** Brings a pipeline to its end by these choices; tells each status it had, and how its jobs ended. */
function run(jobs: readonly PipelineJob[], choices: readonly number[]) {
  let now = jobs;
  const statuses: JobStatus[] = [];
  for (let step = 0; ; step++) {
    const outcomes = findReadyJobs(now);
    now = now.map((job) => ({ ...job, status: outcomes.get(job.id) ?? job.status }));
    assert.equal(findReadyJobs(now).size, 0, 'one look finds all that follows');
    statuses.push(getCompositeStatus(now));
    const open = now.filter(({ status }) => STEPS[status] !== undefined);
    if (open.length === 0) return { jobs: now, statuses };
    assert.ok(step < 200, 'it ends');
    const choice = choices[step % choices.length]!;
    const job = open[choice % open.length]!;
    const steps = STEPS[job.status]!;
    const status = steps[choice % steps.length]!;
    now = now.map((other) => (other.id === job.id ? { ...other, status } : other));
  }
}

const choices = fc.array(fc.nat(1000), { minLength: 1, maxLength: 40 });

test('finishes every pipeline and all its jobs, for any results of the jobs', () => {
  fc.assert(
    fc.property(drawnJobs, choices, (drawn, chosen) => {
      const { jobs, statuses } = run(jobsOf(drawn), chosen);
      assert.deepEqual(
        jobs.filter(({ status }) => !hasFinished(status)),
        [],
      );
      assert.ok(hasFinished(statuses.at(-1)!), statuses.at(-1));
    }),
    { numRuns: 500 },
  );
});

test('derives the outcome of a pipeline only from its jobs, in any order', () => {
  fc.assert(
    fc.property(drawnJobs, choices, (drawn, chosen) => {
      const jobs = jobsOf(drawn);
      assert.deepEqual(run(jobs, chosen), run(jobs, chosen));
      const backwards = findReadyJobs(jobs.toReversed());
      assert.deepEqual([...backwards].sort(byId), [...findReadyJobs(jobs)].sort(byId));
    }),
    { numRuns: 200 },
  );
});

const byId = ([one]: readonly [number, unknown], [other]: readonly [number, unknown]) => one - other;

test('processes a pipeline of a thousand interdependent jobs quickly', () => {
  const many = Array.from({ length: 1000 }, (_, index) => ({
    id: index,
    name: `${index}`,
    stage_index: 0,
    status: 'created' as const,
    run_when: 'on_success' as const,
    allow_failure: false,
    needs: index === 0 ? [] : Array.from({ length: Math.min(index, 50) }, (_, back) => needOf(`${index - back - 1}`)),
  }));
  assert.deepEqual([...findReadyJobs(many)], [[0, 'pending']]);
  const skipped = findReadyJobs([{ ...many[0]!, status: 'failed' }, ...many.slice(1)]);
  assert.equal(skipped.size, 999);
});
