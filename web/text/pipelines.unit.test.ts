import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countStatuses, describeStatus, isActive } from './ci-status.ts';
import { groupByStage } from './pipeline-jobs.ts';

test('each status has a word, a tone and a shape, also an unknown one', () => {
  assert.deepEqual(describeStatus('failed'), { label: 'Failed', tone: 'wrong', shape: 'cross' });
  assert.equal(describeStatus('brand_new').label, 'brand new');
});

test('a manual pipeline waits for a user, a delayed one for the time', () => {
  assert.equal(isActive('manual'), false);
  assert.equal(isActive('scheduled'), true);
});

test('statuses are counted, the most frequent first', () => {
  const items = ['failed', 'success', 'success'].map((status) => ({ status }));
  assert.equal(countStatuses(items), '2 passed, 1 failed');
});

test('stages keep their order when all jobs of one were retried', () => {
  const jobs = [
    { id: 12, name: 'unit', stage: 'test' },
    { id: 3, name: 'ship', stage: 'deploy' },
    { id: 2, name: 'unit', stage: 'test' },
    { id: 1, name: 'make', stage: 'build' },
  ];
  assert.deepEqual(
    groupByStage(jobs).map(({ name, jobs }) => [name, jobs.map(({ job, earlier }) => [job.id, earlier.length])]),
    [
      ['build', [[1, 0]]],
      ['test', [[12, 1]]],
      ['deploy', [[3, 0]]],
    ],
  );
});
