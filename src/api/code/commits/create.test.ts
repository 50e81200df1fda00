import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, world } from '#test/support/world.ts';

const tip = async (caller: Caller, url: string) => (await caller.get(`${url}/branches/main`)).body.commit.id;
const raw = async (caller: Caller, url: string, path: string) =>
  caller.get(`${url}/files/${encodeURIComponent(path)}/raw`);

const ACTIONS = [
  { action: 'create', file_path: '/lib/a.txt', content: 'a' },
  { action: 'create', file_path: 'run.sh', content: 'YQ==', encoding: 'base64' },
  { action: 'update', file_path: 'lib/a.txt', content: 'b' },
  { action: 'move', file_path: 'lib/b.txt', previous_path: 'lib/a.txt' },
  { action: 'chmod', file_path: 'run.sh', execute_filemode: true },
  { action: 'delete', file_path: 'README.md' },
];

test('applies several actions in order as one commit', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const before = await tip(owner, project.repository);
  const answer = await owner.post(`${project.repository}/commits`, {
    branch: 'main',
    commit_message: 'Many at once',
    author_name: 'Ada',
    author_email: 'ada@hearth.test',
    actions: ACTIONS,
  });
  assert.equal(answer.status, 201, answer.text);
  assert.deepEqual(answer.body.parent_ids, [before]);
  assert.equal(answer.body.author_name, 'Ada');
  assert.deepEqual(answer.body.stats, {
    additions: 2,
    deletions: answer.body.stats.deletions,
    total: 2 + answer.body.stats.deletions,
  });
  assert.equal((await raw(owner, project.repository, 'lib/b.txt')).text, 'b');
  assert.equal((await raw(owner, project.repository, 'lib/a.txt')).status, 404);
  assert.equal((await raw(owner, project.repository, 'README.md')).status, 404);
  const run = await owner.get(`${project.repository}/files/run.sh`, { ref: 'main' });
  assert.equal(run.body.execute_filemode, true);
});

const create = { action: 'create', file_path: 'n', content: 'x' };
const base = { branch: 'main', commit_message: 'm' };

const MALFORMED: [Record<string, unknown>, string][] = [
  [{ commit_message: 'm', actions: [create] }, '400 Bad request - branch is required'],
  [{ branch: 'main', actions: [create] }, '400 Bad request - commit_message is required'],
  [base, '400 Bad request - Provide at least one action, or set allow_empty to true'],
  [{ ...base, actions: 'x' }, '400 Bad request - actions must be an array'],
  [{ ...base, actions: [{ file_path: 'n' }] }, '400 Bad request - actions[0][action] is required'],
  [{ ...base, actions: [create, { action: 'create' }] }, '400 Bad request - actions[1][file_path] is required'],
  [
    { ...base, actions: [{ action: 'x', file_path: 'n' }] },
    '400 Bad request - actions[0][action] must be one of: create, update, move, delete, chmod',
  ],
  [
    { ...base, actions: [{ ...create, encoding: 'x' }] },
    '400 Bad request - actions[0][encoding] must be text or base64',
  ],
  [
    { ...base, actions: [{ ...create, encoding: ['base64'] }] },
    '400 Bad request - actions[0][encoding] must be text or base64',
  ],
  [
    { ...base, actions: [{ action: 'update', file_path: 'n' }] },
    '400 Bad request - actions[0][content] is required for update action',
  ],
  [
    { ...base, actions: [{ action: 'move', file_path: 'n' }] },
    '400 Bad request - actions[0][previous_path] is required for move action',
  ],
  [
    { ...base, actions: [{ action: 'chmod', file_path: 'n' }] },
    '400 Bad request - actions[0][execute_filemode] is required for chmod action',
  ],
];

/** Each of these commits is rejected with its message and changes nothing. */
async function assertRejected(caller: Caller, url: string, cases: readonly [Record<string, unknown>, string][]) {
  const before = await tip(caller, url);
  for (const [params, message] of cases) {
    const answer = await caller.post(`${url}/commits`, params);
    assert.equal(answer.status, 400, answer.text);
    assert.equal(answer.body.message, message);
  }
  assert.equal(await tip(caller, url), before);
}

test('reports missing parameters and leaves the branch unchanged', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await assertRejected(owner, project.repository, MALFORMED);
});

test('leaves the branch unchanged if an action cannot be applied', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const before = await tip(owner, project.repository);
  await assertRejected(owner, project.repository, [
    [
      { ...base, actions: [create], start_branch: 'main', start_sha: before },
      '400 Bad request - start_branch, start_sha are mutually exclusive',
    ],
    [{ ...base, branch: 'new', start_sha: 'xyz', actions: [create] }, "Invalid start_sha 'xyz'"],
    [
      { ...base, branch: 'new', start_sha: 'a'.repeat(40), actions: [create] },
      `Cannot find start_sha '${'a'.repeat(40)}'`,
    ],
    [
      { ...base, branch: `${'a'.repeat(40)}/x`, start_sha: before, actions: [create] },
      'You cannot create a branch with a SHA-1 or SHA-256 branch name.',
    ],
    [{ ...base, actions: [create, { ...create, file_path: 'README.md' }] }, 'A file with this name already exists'],
    [{ ...base, actions: [create, { action: 'delete', file_path: 'gone' }] }, "A file with this name doesn't exist"],
  ]);
});

test('resets an existing branch with force, and creates an empty commit with allow_empty', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const start = await tip(owner, project.repository);
  const empty = await owner.post(`${project.repository}/commits`, {
    branch: 'main',
    commit_message: 'Nothing',
    allow_empty: true,
  });
  assert.equal(empty.status, 201, empty.text);
  assert.equal(empty.body.stats.total, 0);
  const branch = {
    branch: 'side',
    start_branch: 'main',
    commit_message: 'm',
    actions: [{ action: 'create', file_path: 'a', content: 'a' }],
  };
  assert.equal((await owner.post(`${project.repository}/commits`, branch)).status, 201);
  const again = { ...branch, start_branch: undefined, start_sha: start };
  assert.equal((await owner.post(`${project.repository}/commits`, again)).status, 400);
  const forced = await owner.post(`${project.repository}/commits`, { ...again, force: true });
  assert.equal(forced.status, 201, forced.text);
  assert.deepEqual(forced.body.parent_ids, [start]);
});

test('does not force-push to a branch whose protection forbids it', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const start = await tip(owner, project.repository);
  const action = (file_path: string) => [{ action: 'create', file_path, content: 'x' }];
  const base = { branch: 'main', commit_message: 'm' };
  assert.equal((await owner.post(`${project.repository}/commits`, { ...base, actions: action('a') })).status, 201);
  const before = await tip(owner, project.repository);
  const reset = { ...base, start_sha: start, force: true, actions: action('b') };
  const refused = await owner.post(`${project.repository}/commits`, reset);
  assert.equal(refused.status, 400);
  assert.equal(refused.body.message, 'You are not allowed to force push code to a protected branch on this project.');
  assert.equal(await tip(owner, project.repository), before);
  // A change that keeps the history is not a force push.
  assert.equal((await owner.post(`${project.repository}/commits`, { ...reset, start_sha: before })).status, 201);
  const rules = project.repository.replace('/repository', '/protected_branches/main');
  assert.equal((await owner.patch(rules, { allow_force_push: true })).status, 200);
  const forced = await owner.post(`${project.repository}/commits`, reset);
  assert.deepEqual([forced.status, forced.body.parent_ids], [201, [start]]);
});

test('checks permission before parameters, and both starts before actions', async () => {
  const { project, owner, reporter } = await world({ project: { readme: true, with: ['reporter'] } });
  assert.equal((await reporter.post(`${project.repository}/commits`, {})).status, 403);
  const both = { branch: 'main', commit_message: 'm', start_branch: 'main', start_sha: 'x', actions: [{}] };
  const answer = await owner.post(`${project.repository}/commits`, both);
  assert.equal(answer.body.message, '400 Bad request - start_branch, start_sha are mutually exclusive');
});
