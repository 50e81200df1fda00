import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '#test/engines/engine.ts';
import { type PushChange, recordPushEvents, toCommitTitle } from './push-events.ts';

const [older, newer] = ['8'.repeat(40), 'f'.repeat(40)];

const pushed: PushChange = {
  refType: 'branch',
  action: 'pushed',
  ref: 'main',
  from: older,
  to: newer,
  commitCount: 2,
  commitMessage: 'Tighten retry loop',
};
const created: PushChange = { ...pushed, action: 'created', from: null };
const removed: PushChange = { ...pushed, action: 'removed', to: null, commitCount: 0, commitMessage: null };

test('a push of one ref records what happened to it', async () => {
  assert.deepEqual(await recorded([pushed]), [
    {
      action: 'pushed',
      action_name: 'pushed to',
      target_type: null,
      target_id: null,
      push_action: 'pushed',
      ref_type: 'branch',
      commit_count: 2,
      commit_from: older,
      commit_to: newer,
      ref: 'main',
      commit_title: 'Tighten retry loop',
      ref_count: null,
    },
  ]);
});

test('created and removed refs have no old or no new commit', async () => {
  const rows = await recorded([created, { ...created, refType: 'tag', ref: 'v1', commitCount: 1 }, removed]);
  assert.deepEqual(
    rows.map((row) => [row.action_name, row.ref_type, row.push_action, row.ref, row.commit_from, row.commit_to]),
    [
      ['pushed new', 'branch', 'created', 'main', null, newer],
      ['pushed new', 'tag', 'created', 'v1', null, newer],
      ['deleted', 'branch', 'removed', 'main', older, null],
    ],
  );
});

test('refs up to the limit have one event each, more refs share one event', async () => {
  assert.deepEqual(
    (await recorded(branches(3))).map(({ ref }) => ref),
    ['branch-0', 'branch-1', 'branch-2'],
  );
  const bulk = await recorded(branches(4));
  assert.equal(bulk.length, 1);
  const { ref, ref_count, commit_count, commit_from, commit_to, commit_title, action_name } = bulk[0]!;
  assert.deepEqual(
    { ref, ref_count, commit_count, commit_from, commit_to, commit_title, action_name },
    {
      ref: null,
      ref_count: 4,
      commit_count: 0,
      commit_from: null,
      commit_to: null,
      commit_title: null,
      action_name: 'pushed to',
    },
  );
});

test('branches, tags and kinds of changes are counted separately', async () => {
  const tag: PushChange = { ...created, refType: 'tag', ref: 'v1' };
  const rows = await recorded([...branches(4), tag, ...branches(3).map((branch) => ({ ...branch, ...onlyCreated }))]);
  assert.deepEqual(
    rows.map(({ action_name, ref_type, ref_count }) => [action_name, ref_type, ref_count]),
    [
      ['pushed to', 'branch', 4],
      ['pushed new', 'tag', null],
      ['pushed new', 'branch', null],
      ['pushed new', 'branch', null],
      ['pushed new', 'branch', null],
    ],
  );
});

test('with limit 0 even one ref is recorded in bulk', async () => {
  assert.deepEqual(
    (await recorded([pushed], 0)).map(({ ref, ref_count }) => [ref, ref_count]),
    [[null, 1]],
  );
});

test('many refs below a high limit have one event each', async () => {
  assert.equal((await recorded(branches(1100), 5000)).length, 1100);
});

test('a push that changed nothing records nothing', async () => {
  assert.deepEqual(await recorded([]), []);
});

test('titles are truncated when they are stored', async () => {
  const [row] = await recorded([{ ...pushed, commitMessage: `${'x'.repeat(71)}\n\nBody` }]);
  assert.equal(row?.commit_title, `${'x'.repeat(67)}...`);
});

test('the title of a commit is its trimmed first line, at most 70 characters', () => {
  const titles: [message: string, title: string][] = [
    ['a'.repeat(70), 'a'.repeat(70)],
    ['a'.repeat(71), `${'a'.repeat(67)}...`],
    ['  Leading blanks', 'Leading blanks'],
    ['\n\n  First line  \r\n\r\nBody\n', 'First line'],
    ['😀'.repeat(70), '😀'.repeat(70)],
    [`${'😀'.repeat(70)}a`, `${'😀'.repeat(67)}...`],
    [`a${'😀'.repeat(100)}`, `a${'😀'.repeat(66)}...`],
    ['Zero\0 byte', 'Zero byte'],
    ['', ''],
  ];
  for (const [message, title] of titles) {
    assert.equal(toCommitTitle(message), title);
    assert.equal(toCommitTitle(title), title);
  }
});

const onlyCreated = { action: 'created', from: null } as const;

function branches(count: number): PushChange[] {
  return Array.from({ length: count }, (_, n) => ({ ...pushed, ref: `branch-${n}` }));
}

async function recorded(changes: PushChange[], limit = 3) {
  await using database = await testDatabase();
  await database.transaction((tx) => recordPushEvents(tx, { projectId: 34, authorId: 7, changes, limit }));
  return await database.reader
    .selectFrom('activity_events')
    .select(['action', 'action_name', 'target_type', 'target_id', 'push_action', 'ref_type', 'commit_count'])
    .select(['commit_from', 'commit_to', 'ref', 'commit_title', 'ref_count'])
    .orderBy('id')
    .execute();
}
