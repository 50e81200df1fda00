import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, type Group, world } from '#test/support/world.ts';

const { newProject } = await world();

const DEVELOPERS = [{ access_level: 30 }];
const MAINTAINERS = [{ access_level: 40 }];

/** Returns the protection of the first branch in a new project of the group. */
async function getRuleOfNewProject(group: Group) {
  const project = await newProject({ in: group, readme: true });
  const { body } = await project.owner.get(`${project.at}/protected_branches`);
  const roles = (levels: { access_level: number }[]) => levels.map(({ access_level }) => access_level);
  return body.map((rule: Record<'push_access_levels' | 'merge_access_levels', never>) => [
    roles(rule.push_access_levels),
    roles(rule.merge_access_levels),
  ]);
}

const fetchResult = ({ body }: { body: Record<string, unknown> }) => [
  body.default_branch_protection,
  body.default_branch_protection_defaults,
];

test('protects new projects as the group says, or else the instance', async () => {
  const { group, owner, root } = await world({ group: {} });
  assert.deepEqual(fetchResult(await owner.get(group.at)), [2, {}]);
  assert.deepEqual(await getRuleOfNewProject(group), [[[40], [40]]]);
  await expectSuccess(root.put('/application/settings', { default_branch_protection: 3 }));
  assert.deepEqual(fetchResult(await owner.get(group.at)), [3, {}]);
  assert.deepEqual(await getRuleOfNewProject(group), [[[40], [30]]]);
  await expectSuccess(root.put('/application/settings', { default_branch_protection: 2 }));
  const full = {
    allowed_to_push: MAINTAINERS,
    allow_force_push: false,
    allowed_to_merge: MAINTAINERS,
    code_owner_approval_required: false,
    developer_can_initial_push: false,
  };
  const partial = { ...full, allowed_to_push: DEVELOPERS };
  assert.deepEqual(fetchResult(await owner.put(group.at, { default_branch_protection: 1 })), [1, partial]);
  assert.deepEqual(await getRuleOfNewProject(group), [[[30], [40]]]);
  await expectSuccess(owner.put(group.at, { default_branch_protection: 0 }));
  assert.deepEqual(await getRuleOfNewProject(group), []);
  assert.deepEqual(fetchResult(await owner.put(group.at, { default_branch_protection: null })), [2, {}]);
});

test("ignores duplicate roles in a group's protection", async () => {
  const { group, owner } = await world({ group: {} });
  const twice = [{ access_level: 40 }, { access_level: 30 }, { access_level: 40 }];
  const [, whole] = fetchResult(
    await owner.put(group.at, { default_branch_protection_defaults: { allowed_to_push: twice } }),
  );
  assert.deepEqual((whole as { allowed_to_push: unknown }).allowed_to_push, twice.slice(0, 2));
  assert.deepEqual(await getRuleOfNewProject(group), [[[40, 30], [40]]]);
});

test("accepts roles in a group's protection and fills in full protection", async () => {
  const { group, owner } = await world({ group: {} });
  const input = { allowed_to_merge: [{ access_level: 30 }, { access_level: 60 }], allow_force_push: true };
  const [level, whole] = fetchResult(await owner.put(group.at, { default_branch_protection_defaults: input }));
  assert.equal(level, 2);
  assert.deepEqual(whole, {
    ...input,
    allowed_to_push: MAINTAINERS,
    code_owner_approval_required: false,
    developer_can_initial_push: false,
  });
  assert.deepEqual(await getRuleOfNewProject(group), [[[40], [30, 60]]]);
  const like4 = { allowed_to_push: MAINTAINERS, developer_can_initial_push: true };
  assert.equal(fetchResult(await owner.put(group.at, { default_branch_protection_defaults: like4 }))[0], 4);
});

test("applies a group's protection to projects created afterwards, whenever they get their first branch", async () => {
  const { group, owner } = await world({ group: {} });
  const before = await newProject({ in: group });
  await expectSuccess(owner.put(group.at, { default_branch_protection: 0 }));
  const after = await newProject({ in: group });
  await expectSuccess(owner.put(group.at, { default_branch_protection: 3 }));
  for (const [project, rules] of [
    [before, 1],
    [after, 0],
  ] as const) {
    await project.commit({ 'a.txt': 'a' });
    assert.equal((await owner.get(`${project.at}/protected_branches`)).body.length, rules);
  }
});

test('lets a Developer make the first push if the group allows it', async () => {
  const { group, owner, developer } = await world({ group: { with: ['developer'] } });
  const begin = async () => {
    const { repository } = await newProject({ in: group });
    const file = { branch: 'main', content: 'a', commit_message: 'a' };
    return [
      (await developer.post(`${repository}/files/a.txt`, file)).status,
      (await developer.post(`${repository}/files/b.txt`, file)).status,
    ];
  };
  assert.deepEqual(await begin(), [403, 403]);
  await expectSuccess(owner.put(group.at, { default_branch_protection: 4 }));
  assert.deepEqual(await begin(), [201, 403]);
});

test('rejects unknown levels and roles', async () => {
  const { group, owner } = await world({ group: {} });
  const rows = [
    [{ default_branch_protection: 5 }, 'default_branch_protection does not have a valid value'],
    [{ default_branch_protection_defaults: 'full' }, 'default_branch_protection_defaults is invalid'],
    [
      { default_branch_protection_defaults: { allowed_to_push: [{ access_level: 20 }] } },
      'default_branch_protection_defaults[allowed_to_push][0][access_level] does not have a valid value',
    ],
  ] as const;
  for (const [sent, error] of rows) {
    const { status, body } = await owner.put(group.at, sent);
    assert.deepEqual([status, body], [400, { error }]);
  }
});
