import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listMergeObstacles, type MergeSettings, type MergeState } from './merge-checks.ts';

const NOW = Date.parse('2026-11-29T12:00:00.000Z');

const READY: MergeState = {
  state: 'opened',
  draft: false,
  source_branch: 'fix',
  target_branch: 'main',
  detailed_merge_status: 'mergeable',
  merge_after: null,
  has_conflicts: false,
  blocking_discussions_resolved: true,
  changes_count: '2',
  head_pipeline: null,
  diverged_commits_count: 0,
  rebase_in_progress: false,
  user: { can_merge: true },
};

const CONTEXT = { now: NOW, approvalsLeft: 0, mayReadPipelines: true };

const listReasons = (
  changes: Partial<MergeState>,
  settings: Partial<MergeSettings> = {},
  context: Partial<typeof CONTEXT> = {},
) => listMergeObstacles({ ...READY, ...changes }, { archived: false, ...settings }, { ...CONTEXT, ...context });

const PIPELINE_REQUIRED = { only_allow_merge_if_pipeline_succeeds: true };

test('a merge request that meets all checks has no obstacle', () => {
  assert.deepEqual(listReasons({}), []);
  assert.deepEqual(listReasons({ head_pipeline: { status: 'failed' }, diverged_commits_count: 3 }), []);
});

test('each obstacle is one sentence', () => {
  const cases: [obstacles: ReturnType<typeof listReasons>, check: string, reason: RegExp, canWait: boolean][] = [
    [listReasons({ state: 'closed', detailed_merge_status: 'not_open' }), 'not_open', /is closed\.$/, false],
    [listReasons({}, { archived: true }), 'archived', /project is archived\.$/, false],
    [listReasons({ user: { can_merge: false } }), 'not_allowed', /not allowed to merge into main\.$/, false],
    [listReasons({ rebase_in_progress: true }), 'rebasing', /being rebased\.$/, false],
    [listReasons({ merge_after: '2026-11-29T14:00:00.000Z' }), 'merge_time', /only in 2 hours\.$/, true],
    [listReasons({ draft: true }), 'draft_status', /is a draft/, true],
    [listReasons({ has_conflicts: true, changes_count: null }), 'commits_status', /fix has no commits/, false],
    [listReasons({ blocking_discussions_resolved: false }), 'discussions_not_resolved', /threads are resolved/, true],
    [
      listReasons({ detailed_merge_status: 'title_regex' }, { merge_request_title_regex: '^fix: ' }),
      'title_regex',
      /requires: \^fix: \.$/,
      true,
    ],
    [listReasons({ has_conflicts: true }), 'conflict', /have conflicts/, false],
    [listReasons({ diverged_commits_count: 1 }, { merge_method: 'ff' }), 'need_rebase', /Rebase it first\.$/, false],
    [
      listReasons({ head_pipeline: { status: 'running' } }, PIPELINE_REQUIRED),
      'ci_still_running',
      /not finished\.$/,
      true,
    ],
    [listReasons({ head_pipeline: { status: 'failed' } }, PIPELINE_REQUIRED), 'ci_must_pass', /it is failed\.$/, true],
    [listReasons({}, PIPELINE_REQUIRED), 'ci_must_pass', /there is none\.$/, true],
    [listReasons({ detailed_merge_status: 'unchecked' }), 'unchecked', /not been checked/, false],
    [listReasons({}, {}, { approvalsLeft: 2 }), 'approvals', /2 more approvals\.$/, true],
  ];
  for (const [obstacles, check, reason, canWait] of cases) {
    assert.equal(obstacles.length, 1, check);
    assert.deepEqual([obstacles[0]!.check, obstacles[0]!.canWait], [check, canWait]);
    assert.match(obstacles[0]!.reason, reason);
  }
});

test('several obstacles are all listed, the one that the API names only once', () => {
  const obstacles = listReasons(
    {
      draft: true,
      has_conflicts: true,
      blocking_discussions_resolved: false,
      detailed_merge_status: 'draft_status',
      user: { can_merge: false },
    },
    PIPELINE_REQUIRED,
  );
  assert.deepEqual(
    obstacles.map(({ check }) => check),
    ['not_allowed', 'draft_status', 'discussions_not_resolved', 'conflict', 'ci_must_pass'],
  );
});

test('a check that only the API knows is named', () => {
  for (const check of ['need_rebase', 'discussions_not_resolved', 'ci_must_pass', 'conflict'])
    assert.deepEqual(
      listReasons({ detailed_merge_status: check }).map((obstacle) => obstacle.check),
      [check],
    );
  assert.deepEqual(
    listReasons({ detailed_merge_status: 'new_check' }).map(({ reason }) => reason),
    ['A check is not met: new check.'],
  );
});

test('a pipeline that the caller may not read is only an obstacle if the API says so', () => {
  assert.deepEqual(listReasons({}, PIPELINE_REQUIRED, { mayReadPipelines: false }), []);
});

test('a skipped pipeline is enough where the project says so', () => {
  const skipped = { head_pipeline: { status: 'skipped' } };
  assert.equal(listReasons(skipped, PIPELINE_REQUIRED).length, 1);
  assert.deepEqual(listReasons(skipped, { ...PIPELINE_REQUIRED, allow_merge_on_skipped_pipeline: true }), []);
});
