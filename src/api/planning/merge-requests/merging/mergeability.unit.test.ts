import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getDetailedStatus, getMergeFailure, isTitleAllowed, type MergeChecks } from './mergeability.ts';

const wants = {
  merge_method: 'merge',
  squash_option: 'never',
  only_allow_merge_if_pipeline_succeeds: false,
  allow_merge_on_skipped_pipeline: null,
  only_allow_merge_if_all_discussions_are_resolved: false,
  merge_request_title_regex: null,
} as const;
const ff = { ...wants, merge_method: 'ff' } as const;
const rebase = { ...wants, merge_method: 'rebase_merge' } as const;
const pipelines = { ...wants, only_allow_merge_if_pipeline_succeeds: true };
const orSkipped = { ...pipelines, allow_merge_on_skipped_pipeline: true };
const threads = { ...wants, only_allow_merge_if_all_discussions_are_resolved: true };
const fine: MergeChecks = {
  state: 'opened',
  draft: false,
  isTooEarly: false,
  titleMatches: true,
  check: 'ahead',
  threadsOpen: false,
  pipeline: null,
  settings: wants,
};
const all: MergeChecks = {
  ...fine,
  state: 'closed',
  draft: true,
  isTooEarly: false,
  titleMatches: false,
  check: 'conflict',
  threadsOpen: true,
  settings: { ...ff, ...pipelines, ...threads, merge_method: 'ff' },
};

const CASES: readonly (readonly [string, MergeChecks, string, ReturnType<typeof getMergeFailure>])[] = [
  ['nothing stands in the way', fine, 'mergeable', null],
  ['it has diverged, and a merge commit brings both together', { ...fine, check: 'diverged' }, 'mergeable', null],
  ['all at once: it is closed', all, 'not_open', 'notMergeable'],
  ['merged', { ...fine, state: 'merged' }, 'not_open', 'notMergeable'],
  ['then: before its time', { ...all, state: 'opened', isTooEarly: true }, 'merge_time', 'notMergeable'],
  ['then: a draft', { ...all, state: 'opened' }, 'draft_status', 'notMergeable'],
  [
    'then: without commits',
    { ...all, state: 'opened', draft: false, check: 'no_commits' },
    'commits_status',
    'notMergeable',
  ],
  ['then: with an open thread', { ...all, state: 'opened', draft: false }, 'discussions_not_resolved', 'notMergeable'],
  ['with one where nobody asks for that', { ...fine, threadsOpen: true }, 'mergeable', null],
  [
    'then: under an unwanted title',
    { ...all, state: 'opened', draft: false, threadsOpen: false },
    'title_regex',
    'notMergeable',
  ],
  [
    'then: in conflict, which refuses after what is missing',
    { ...fine, check: 'conflict', settings: pipelines },
    'conflict',
    'notMergeable',
  ],
  ['in conflict alone', { ...fine, check: 'conflict' }, 'conflict', 'conflict'],
  ['in conflict, and behind', { ...fine, check: 'conflict', settings: ff }, 'conflict', 'conflict'],
  ['behind, where it may not be', { ...fine, check: 'diverged', settings: ff }, 'need_rebase', 'notMergeable'],
  [
    'behind, where a merge commit may not say so',
    { ...fine, check: 'diverged', settings: rebase },
    'need_rebase',
    'notMergeable',
  ],
  ['not behind', { ...fine, settings: ff }, 'mergeable', null],
  ['without a pipeline where one must succeed', { ...fine, settings: pipelines }, 'ci_must_pass', 'notMergeable'],
  ['with one that runs', { ...fine, pipeline: 'running', settings: pipelines }, 'ci_still_running', 'notMergeable'],
  ['with one that waits', { ...fine, pipeline: 'manual', settings: orSkipped }, 'ci_still_running', 'notMergeable'],
  ['with one that has failed', { ...fine, pipeline: 'failed', settings: pipelines }, 'ci_must_pass', 'notMergeable'],
  [
    'with one that was canceled',
    { ...fine, pipeline: 'canceled', settings: orSkipped },
    'ci_must_pass',
    'notMergeable',
  ],
  ['with one that was skipped', { ...fine, pipeline: 'skipped', settings: pipelines }, 'ci_must_pass', 'notMergeable'],
  ['with one that may be skipped', { ...fine, pipeline: 'skipped', settings: orSkipped }, 'mergeable', null],
  ['with one that has succeeded', { ...fine, pipeline: 'success', settings: pipelines }, 'mergeable', null],
  ['with one that has failed and need not succeed', { ...fine, pipeline: 'failed' }, 'mergeable', null],
  [
    'behind, and while it runs',
    { ...fine, check: 'diverged', pipeline: 'running', settings: { ...ff, ...pipelines, merge_method: 'ff' } },
    'need_rebase',
    'notMergeable',
  ],
  ['git has not checked it yet', { ...fine, check: null }, 'unchecked', 'notMergeable'],
];

test('the first obstacle is the detailed status', () => {
  for (const [name, checked, status] of CASES) assert.equal(getDetailedStatus(checked), status, name);
});

test('missing requirements take precedence over conflicts', () => {
  for (const [name, checked, , refusal] of CASES) assert.equal(getMergeFailure(checked), refusal, name);
});

test('a title must contain a match of the project’s regex', () => {
  const wanted = (regex: string | null) => ({ ...wants, merge_request_title_regex: regex });
  assert.deepEqual(
    [null, '', 'T-\\d+', '^T', '(', 'x'].map((regex) => isTitleAllowed('Add T-12', wanted(regex))),
    [true, true, true, false, false, false],
  );
});
