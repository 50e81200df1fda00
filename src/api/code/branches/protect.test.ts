import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';

// The rule with a branch's name, created, updated and deleted through the branch (contract/repository.md §3).

const { newProject, root } = await world();

async function setUp() {
  const project = await newProject({ readme: true, with: ['developer'] });
  const { owner, repository, at } = project;
  await expectSuccess(owner.post(`${repository}/branches`, { branch: 'b', ref: 'main' }));
  const rules = async () => (await owner.get(`${at}/protected_branches`, { search: 'b' })).body;
  const url = `${repository}/branches/b`;
  return { ...project, url, rules };
}

const levelsOf = (rule: { [kind: string]: { access_level: number }[] }) =>
  ['push', 'merge'].map((kind) => rule[`${kind}_access_levels`]?.map(({ access_level }) => access_level));

test('protects a branch for Maintainers and optionally Developers', async () => {
  const { owner, developer, url, rules } = await setUp();
  const answer = await owner.put(`${url}/protect`);
  const { name, protected: isProtected, developers_can_push, developers_can_merge } = answer.body;
  assert.deepEqual(
    [answer.status, name, isProtected, developers_can_push, developers_can_merge],
    [200, 'b', true, false, false],
  );
  assert.deepEqual(levelsOf((await rules())[0]), [[40], [40]]);
  assert.equal((await developer.get(url)).body.can_push, false);
  assert.equal((await owner.put(`${url}/protect`, { developers_can_push: true })).body.developers_can_push, true);
  assert.deepEqual(levelsOf((await rules())[0]), [[30], [40]]);
  await owner.put(`${url}/protect`, { developers_can_merge: true });
  await owner.put(`${url}/protect`, { developers_can_push: false });
  const changed = await rules();
  assert.deepEqual([changed.length, levelsOf(changed[0])], [1, [[40], [30]]]);
});

test('keeps user entries when the role changes', async () => {
  const { owner, developer, at, url, rules } = await setUp();
  await expectSuccess(
    owner.post(`${at}/protected_branches`, { name: 'b', allowed_to_push: [{ user_id: developer.id }] }),
  );
  await owner.put(`${url}/protect`, { developers_can_push: false });
  const [rule] = await rules();
  const whom = rule.push_access_levels.map((entry: Record<string, unknown>) => entry.access_level_description);
  assert.deepEqual(whom.sort(), ['Maintainers', `Name of ${developer.username}`]);
});

test('unprotects a branch and keeps other rules', async () => {
  const { owner, at, url, rules } = await setUp();
  await expectSuccess(owner.put(`${url}/protect`));
  await expectSuccess(owner.post(`${at}/protected_branches`, { name: 'b*' }));
  assert.equal((await owner.put(`${url}/unprotect`)).body.protected, true);
  assert.deepEqual(
    (await rules()).map(({ name }: { name: string }) => name),
    ['b*'],
  );
  assert.equal((await owner.put(`${url}/unprotect`)).status, 200, 'succeeds without a rule');
  await expectSuccess(owner.delete(`${at}/protected_branches/b*`));
  assert.equal((await owner.put(`${url}/unprotect`)).body.protected, false);
});

test('keeps a rule that does not admit the caller to unprotect, and requires a Maintainer', async () => {
  const { owner, developer, at, repository, url, rules } = await setUp();
  await expectSuccess(owner.post(`${at}/protected_branches`, { name: 'b', unprotect_access_level: 60 }));
  for (const caller of [owner, developer]) {
    const { status, body } = await caller.put(`${url}/unprotect`);
    assert.deepEqual([status, body], [403, { message: '403 Forbidden' }]);
  }
  assert.equal((await developer.put(`${url}/protect`)).status, 403);
  assert.equal((await rules()).length, 1);
  assert.equal((await root.put(`${url}/unprotect`)).body.protected, false);
  const unknown = await owner.put(`${repository}/branches/nope/protect`);
  assert.deepEqual([unknown.status, unknown.body], [404, { message: '404 Branch Not Found' }]);
  assert.equal((await owner.put(`${repository}/branches/no*/unprotect`)).status, 400);
});
