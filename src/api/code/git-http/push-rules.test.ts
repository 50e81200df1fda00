import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { getRepositoryAt } from '#git/git.ts';
import { toDiskPath } from '#git/storage/storage.ts';
import { type Caller, world } from '#test/support/world.ts';

const { root, server, newProject } = await world();
const createWorkingCopy = await mkdtemp(join(tmpdir(), 'hearth-push-rules-'));
after(() => rm(createWorkingCopy, { recursive: true, force: true }));

// The messages of rejected pushes, ref by ref, which change nothing (contract/repository.md §3 and §5).

/** `HEAD:main` always means a branch. */
const fullRefspec = (refs: string) => refs.replace(/:(?!refs\/)/, ':refs/heads/');

/** Real git in one working copy, without user configuration. */
function runGit(...args: string[]): Promise<{ ok: boolean; out: string; said: string }> {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' };
  const identity = ['-c', 'user.name=Push', '-c', 'user.email=push@hearth.test', '-c', 'init.defaultBranch=main'];
  return new Promise((resolve) => {
    execFile('git', [...identity, ...args], { cwd: createWorkingCopy, env }, (error, out, said) =>
      resolve({ ok: error === null, out, said }),
    );
  });
}

await runGit('init', '-q');
for (const text of ['first', 'second', 'third']) await runGit('commit', '-q', '--allow-empty', '-m', text);

async function listRefs(attributes: object = {}) {
  const project = await newProject({ with: ['developer'], ...attributes });
  const { directory } = getRepositoryAt(server.services.git, 'default', toDiskPath(project.id));
  /** Returns the refs; none before the first push. */
  const there = async () => (await runGit('--git-dir', directory, 'for-each-ref')).out;
  /** Returns the server's message, or null if the push succeeded; a rejected push changes no ref. */
  const push = async (caller: Caller, ...refs: string[]): Promise<string | null> => {
    const remote = `${server.address.replace('http://', `http://x:${caller.token}@`)}/${project.path_with_namespace}.git`;
    const before = await there();
    const { ok, said } = await runGit('push', '--porcelain', remote, ...refs.map(fullRefspec));
    if (ok) return null;
    assert.equal(await there(), before);
    return /^remote: GitLab: (.*?) *$/m.exec(said)?.[1] ?? said;
  };
  return { ...project, push };
}

const PROTECTED = 'You are not allowed to push code to protected branches on this project.';

test('applies protection rules to pushes, force pushes, creations and deletions', async () => {
  const { owner, developer, at, push } = await listRefs();
  assert.equal(await push(owner, 'HEAD~1:main'), null);
  await owner.post(`${at}/protected_branches`, { name: 'rel/*' });
  assert.equal(await push(developer, 'HEAD:main', 'HEAD:fresh'), PROTECTED);
  const create = 'You are not allowed to create protected branches on this project.';
  assert.equal(await push(developer, 'HEAD~1:rel/a/1', 'HEAD:fresh'), create);
  assert.equal(await push(owner, 'HEAD~1:rel/a/1', 'HEAD:rel/2'), null);
  const force = 'You are not allowed to force push code to a protected branch on this project.';
  assert.equal(await push(owner, '+HEAD~2:rel/a/1', 'HEAD:fresh'), force);
  assert.equal(await push(owner, 'HEAD:rel/a/1'), null);
  await owner.patch(`${at}/protected_branches/rel%2F*`, { allow_force_push: true });
  assert.equal(await push(owner, '+HEAD~2:rel/a/1'), null);
  assert.equal(await push(developer, '+HEAD:rel/a/1'), PROTECTED);
  assert.equal(
    await push(developer, ':rel/2'),
    'You are not allowed to delete protected branches from this project. Only a project maintainer or owner can delete a protected branch.',
  );
  for (const caller of [owner, root])
    assert.equal(await push(caller, ':rel/2'), 'You can only delete protected branches using the web interface.');
  await owner.delete(`${at}/protected_branches/rel%2F*`);
  assert.equal(await push(developer, ':rel/2'), null);
  await owner.delete(`${at}/protected_branches/main`);
  assert.equal(await push(owner, ':main'), 'The default branch of a project cannot be deleted.');
});

test('blocks everybody at level 0, and callers who may only merge; any rule grants', async () => {
  const { owner, developer, at, push } = await listRefs({ readme: true });
  await owner.post(`${at}/protected_branches`, { name: 'closed', push_access_level: 0, merge_access_level: 0 });
  await owner.post(`${at}/protected_branches`, { name: 'merged', push_access_level: 0, merge_access_level: 30 });
  const create = 'You are not allowed to create protected branches on this project.';
  for (const caller of [developer, owner, root]) assert.equal(await push(caller, 'HEAD:closed'), create);
  assert.equal(await push(developer, 'HEAD~1:merged'), create);
  assert.equal((await developer.post(`${at}/repository/branches`, { branch: 'merged', ref: 'main' })).status, 201);
  for (const caller of [developer, owner, root]) assert.equal(await push(caller, '+HEAD:merged'), PROTECTED);
  await owner.post(`${at}/protected_branches`, { name: 'c*', push_access_level: 60, merge_access_level: 0 });
  assert.equal(await push(owner, 'HEAD:closed'), create);
  assert.equal(await push(root, 'HEAD:closed'), null);
});

test('rejects invalid names', async () => {
  const { owner, push } = await listRefs({ readme: true });
  const sha = 'You cannot create a branch with a SHA-1 or SHA-256 branch name.';
  const cases: [string, string][] = [
    ['refs/heads/-x', 'Branch name is invalid'],
    ['refs/heads/HEAD', 'Branch name is invalid'],
    ['refs/heads/refs/heads/x', 'Branch name is invalid'],
    [`refs/heads/${'a'.repeat(40)}`, sha],
    [`refs/heads/${'A'.repeat(40)}-x`, sha],
    [`refs/heads/${'a'.repeat(64)}`, sha],
    ['refs/tags/-x', 'Tag name invalid'],
    ['refs/tags/main', 'You cannot use default branch name to create a tag'],
    [`refs/tags/${'a'.repeat(40)}`, 'You cannot create a tag with a SHA-1 or SHA-256 tag name.'],
    [`refs/tags/${'a'.repeat(64)}`, 'You cannot create a tag with a SHA-1 or SHA-256 tag name.'],
    ['refs/other', 'Ref name is invalid'],
  ];
  for (const [ref, text] of cases) assert.equal(await push(owner, `HEAD:${ref}`, 'HEAD:fresh'), text, ref);
  assert.equal(await push(owner, `HEAD:refs/heads/${'a'.repeat(39)}`, `HEAD:refs/tags/${'a'.repeat(41)}`), null);
});

test('applies default_branch_protection to the first push and the new rule', async () => {
  const before = (await root.get('/application/settings')).body.default_branch_protection;
  const cases: [protection: number, first: string | null, push: number | null, merge: number | null][] = [
    [0, null, null, null],
    [1, null, 30, 40],
    [2, PROTECTED, 40, 40],
    [3, PROTECTED, 40, 30],
    [4, null, 40, 40],
  ];
  for (const [default_branch_protection, first, pushLevel, mergeLevel] of cases) {
    assert.equal((await root.put('/application/settings', { default_branch_protection })).status, 200);
    const { owner, developer, at, push } = await listRefs();
    assert.equal(await push(developer, 'HEAD~1:trunk'), first, `first push, ${default_branch_protection}`);
    if (first !== null) assert.equal(await push(owner, 'HEAD~1:trunk'), null);
    assert.equal((await owner.get(at)).body.default_branch, 'trunk');
    const rules = (await owner.get(`${at}/protected_branches`)).body;
    const [rule] = rules;
    assert.equal(rules.length, pushLevel === null ? 0 : 1);
    assert.deepEqual(
      [rule?.name, rule?.push_access_levels[0].access_level, rule?.merge_access_levels[0].access_level],
      pushLevel === null ? [undefined, undefined, undefined] : ['trunk', pushLevel, mergeLevel],
    );
    const then = pushLevel === 40 ? PROTECTED : null;
    assert.equal(await push(developer, 'HEAD:trunk'), then, `next push, ${default_branch_protection}`);
  }
  await root.put('/application/settings', { default_branch_protection: before });
});

test('uses an existing matching rule for the first push and adds none', async () => {
  const { owner, developer, at, push } = await listRefs();
  await owner.post(`${at}/protected_branches`, { name: '*', push_access_level: 30, merge_access_level: 30 });
  assert.equal(await push(developer, 'HEAD:main'), null);
  assert.deepEqual(
    (await owner.get(`${at}/protected_branches`)).body.map((rule: { name: string }) => rule.name),
    ['*'],
  );
});

test('sets HEAD to the default branch when it is pushed among others', async () => {
  const { owner, at, push } = await listRefs();
  assert.equal(await push(owner, 'HEAD:aaa', 'HEAD:main', 'HEAD:zzz'), null);
  const { body } = await owner.get(at);
  assert.deepEqual([body.default_branch, body.empty_repo], ['main', false]);
});

test('applies the rules of protected tags to pushes', async () => {
  const { owner, developer, at, push } = await listRefs();
  assert.equal(await push(owner, 'HEAD~1:main', 'HEAD~1:refs/tags/v1'), null);
  await owner.post(`${at}/protected_tags`, { name: 'v*' });
  const create = 'You are not allowed to create this tag as it is protected.';
  assert.equal(await push(developer, 'HEAD~1:refs/tags/v2'), create);
  assert.equal(await push(developer, 'HEAD~1:refs/tags/w2'), null);
  assert.equal(await push(owner, 'HEAD~1:refs/tags/v2'), null);
  assert.equal(await push(owner, '+HEAD:refs/tags/v1'), 'Protected tags cannot be updated.');
  assert.equal(await push(owner, ':refs/tags/v1'), 'You can only delete protected tags using the web interface.');
  const refused =
    'You are not allowed to delete protected tags from this project. Only a project maintainer or owner can delete a protected tag.';
  assert.equal(await push(developer, ':refs/tags/v1'), refused);
  assert.equal(await push(developer, '+HEAD:refs/tags/w2'), null);
});
