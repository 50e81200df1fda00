import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobStatus, JobWhen } from '#database/schema.ts';
import { type CountedJob, getCompositeStatus } from './composite-status.ts';
import { findLaterJobs, findReadyJobs, type PipelineJob } from './job-readiness.ts';

/** `name status when needs` of a job: `a* 0 failed`; a star lets it fail. */
function jobOf(id: number, text: string): PipelineJob {
  const [name, stage, status, run_when = 'on_success', needs] = text.split(' ') as [
    string,
    string,
    JobStatus,
    JobWhen?,
    string?,
  ];
  return {
    id,
    name: name.replace('*', '').replace('_', ' '),
    stage_index: Number(stage),
    status,
    run_when,
    allow_failure: name.includes('*'),
    needs:
      needs === undefined
        ? null
        : needs.split(',').flatMap((job) => (job === '-' ? [] : [{ job, artifacts: true, optional: false }])),
  };
}

/** What becomes of the jobs, by their names. */
function outcomesOf(...texts: readonly string[]): Record<string, string> {
  const jobs = texts.map((text, index) => jobOf(index + 1, text));
  const outcomes = findReadyJobs(jobs);
  return Object.fromEntries(jobs.flatMap(({ id, name }) => (outcomes.has(id) ? [[name, outcomes.get(id)!]] : [])));
}

test('starts a stage only after the earlier stages have succeeded', () => {
  assert.deepEqual(outcomesOf('a 0 created', 'b 1 created'), { a: 'pending' });
  assert.deepEqual(outcomesOf('a 0 success', 'c 0 running', 'b 1 created'), {});
  assert.deepEqual(outcomesOf('a 0 success', 'c 0 skipped', 'b 1 created'), { b: 'pending' });
  assert.deepEqual(outcomesOf('a 0 skipped', 'b 1 created'), { b: 'pending' });
  assert.deepEqual(outcomesOf('a 0 success', 'b 1 failed', 'c 2 created'), { c: 'skipped' });
});

test('runs on_failure jobs after a failure, and skips them after a success', () => {
  assert.deepEqual(outcomesOf('a 0 failed', 'b 1 created', 'c 1 created on_failure', 'd 1 created always'), {
    b: 'skipped',
    c: 'pending',
    d: 'pending',
  });
  assert.deepEqual(outcomesOf('a 0 success', 'c 1 created on_failure', 'd 1 created always'), {
    c: 'skipped',
    d: 'pending',
  });
  assert.deepEqual(outcomesOf('a 0 failed', 'x 0 running', 'c 1 created on_failure'), {});
});

test('treats an allowed failure as success', () => {
  assert.deepEqual(outcomesOf('a* 0 failed', 'b 1 created', 'c 1 created on_failure'), { b: 'pending', c: 'skipped' });
  assert.deepEqual(outcomesOf('a* 0 canceled', 'b 1 created'), { b: 'pending' });
  assert.deepEqual(outcomesOf('a* 0 failed', 'b 1 created on_success a'), { b: 'pending' });
});

test('runs no jobs after a cancellation, not even when: always', () => {
  assert.deepEqual(outcomesOf('a 0 canceled', 'b 1 created', 'c 1 created on_failure', 'd 1 created always'), {
    b: 'skipped',
    c: 'skipped',
    d: 'skipped',
  });
});

test('blocks later stages by a manual job unless it may fail', () => {
  assert.deepEqual(outcomesOf('a 0 created manual', 'b 1 created'), { a: 'manual' });
  assert.deepEqual(outcomesOf('a* 0 created manual', 'b 1 created'), { a: 'manual', b: 'pending' });
  assert.deepEqual(outcomesOf('a 0 success', 'b 1 created manual', 'c 2 created'), { b: 'manual' });
  assert.deepEqual(outcomesOf('a 0 failed', 'b 1 created manual'), { b: 'skipped' });
});

test('schedules a delayed job, and later stages wait for it', () => {
  assert.deepEqual(outcomesOf('a 0 created delayed', 'b 1 created'), { a: 'scheduled' });
  assert.deepEqual(outcomesOf('a 0 scheduled delayed', 'b 1 created'), {});
});

test('starts a job with needs after those jobs, independently of stages', () => {
  assert.deepEqual(outcomesOf('a 0 success', 'x 0 running', 'b 1 created on_success a'), { b: 'pending' });
  assert.deepEqual(outcomesOf('x 0 running', 'b 3 created on_success -'), { b: 'pending' });
  assert.deepEqual(outcomesOf('a 0 success', 'b 0 created on_success a', 'c 0 created on_success b'), { b: 'pending' });
  assert.deepEqual(outcomesOf('a 0 failed', 'b 1 created on_success a', 'c 1 created on_failure a'), {
    b: 'skipped',
    c: 'pending',
  });
});

test('skips jobs that need a job that did not run', () => {
  assert.deepEqual(outcomesOf('a 0 skipped', 'b 1 created on_success a', 'c 2 created on_success b'), {
    b: 'skipped',
    c: 'skipped',
  });
  assert.deepEqual(outcomesOf('a* 0 manual manual', 'b 1 created on_success a'), { b: 'skipped' });
  assert.deepEqual(outcomesOf('a 0 manual manual', 'b 1 created on_success a'), {});
  assert.deepEqual(outcomesOf('a 0 skipped', 'b 1 created always a'), { b: 'pending' });
});

test('needs name each of several jobs of one name, and one that is not there is not waited for', () => {
  assert.deepEqual(outcomesOf('a_1/2 0 success', 'a_2/2 0 running', 'b 1 created on_success a'), {});
  assert.deepEqual(outcomesOf('a_1/2 0 success', 'a_2/2 0 success', 'b 1 created on_success a'), { b: 'pending' });
  assert.deepEqual(outcomesOf('b 1 created on_success gone'), { b: 'pending' });
});

test('later than a job are later stages and what needs it, however far away', () => {
  const texts = ['a 0 failed', 'b 0 skipped on_success a', 'c 0 skipped on_success b', 'd 0 skipped', 'e 1 skipped'];
  const jobs = texts.map((text, index) => jobOf(index + 1, text));
  const later = findLaterJobs(jobs, jobs[0]!);
  assert.deepEqual(
    later.map(({ name }) => name),
    ['b', 'c', 'e'],
  );
});

test('derives the status of a set of jobs by the table', () => {
  const table: [parts: string, status: JobStatus][] = [
    ['', 'success'],
    ['skipped manual*', 'skipped'],
    ['success skipped failed* manual*', 'success'],
    ['created failed* manual*', 'created'],
    ['canceled success skipped failed*', 'canceled'],
    ['canceled*', 'success'],
    ['pending created skipped', 'pending'],
    ['pending success', 'running'],
    ['running failed', 'running'],
    ['waiting_for_resource success manual', 'waiting_for_resource'],
    ['manual created', 'manual'],
    ['scheduled success created', 'scheduled'],
    ['preparing created', 'preparing'],
    ['created success', 'running'],
    ['canceling success', 'canceling'],
    ['failed success', 'failed'],
    ['failed canceled', 'failed'],
  ];
  for (const [parts, status] of table) {
    const set = parts.split(' ').filter(Boolean).map(partOf);
    assert.equal(getCompositeStatus(set), status, parts);
    assert.equal(getCompositeStatus(set.toReversed()), status, parts);
  }
});

function partOf(text: string): CountedJob {
  return { status: text.replace('*', '') as JobStatus, allow_failure: text.endsWith('*') };
}
