import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';

// contract/runners.md §1.3

const here = await world({ group: { with: ['developer', 'maintainer'] } });
const { group, owner, maintainer, developer, root, anonymous, newRunner, newProject } = here;
const project = await newProject({ in: group });

test('updates each field independently', async () => {
  const { at } = await newRunner({ in: group, tag_list: ['a'] });
  const changes = [
    { description: 'box' },
    { paused: true, active: false },
    { tag_list: ['b', 'c'] },
    { run_untagged: false },
    { locked: true },
    { access_level: 'ref_protected' },
    { maximum_timeout: 600 },
    { maximum_timeout: null },
    { maintenance_note: 'new disk' },
    { description: null },
  ];
  let before = (await owner.get(at)).body;
  for (const { active, ...change } of changes as (Record<string, unknown> & { active?: boolean })[]) {
    const { status, body } = await owner.put(at, change);
    assert.equal(status, 200);
    const expected = { ...before, ...change, ...(active === undefined ? {} : { active }) };
    assert.deepEqual(body, expected);
    before = (await owner.get(at)).body;
    assert.deepEqual(before, expected);
  }
  assert.equal((await owner.put(at, { active: true })).body.paused, false);
});

test('allows only its owner, Maintainers of its projects and administrators to update a runner', async () => {
  const refusal = [403, { message: '403 Forbidden - No access granted' }];
  const cases = [
    [await newRunner(), [root], [owner]],
    [await newRunner({ in: group }), [owner, root], [maintainer, developer]],
    [await newRunner({ in: project }), [owner, maintainer, root], [developer]],
  ] as const;
  for (const [{ at }, may, mayNot] of cases) {
    for (const caller of may) assert.equal((await caller.put(at, { paused: true })).status, 200);
    for (const caller of mayNot) {
      const { status, body } = await caller.put(at, { paused: false });
      assert.deepEqual([status, body], refusal);
    }
    assert.equal((await root.get(at)).body.paused, true);
    assert.equal((await anonymous.put(at, { paused: false })).status, 401);
  }
});

test('allows a Maintainer of any of its projects to update a runner', async () => {
  const other = await newProject({ owner });
  const { id, at } = await newRunner({ in: project });
  await owner.post(`${other.at}/runners`, { runner_id: id });
  const his = await other.addMember('maintainer');
  assert.equal((await his.put(at, { description: 'his' })).status, 200);
});

test('rejects an empty update, active together with paused, and unknown access levels', async () => {
  const { at } = await newRunner({ in: group });
  const all =
    'description, active, paused, tag_list, run_untagged, locked, access_level, maximum_timeout, maintenance_note';
  const cases = [
    [{}, `${all} are missing, at least one parameter must be provided`],
    [{ active: true, paused: true }, 'active, paused are mutually exclusive'],
    [{ access_level: 'wrong' }, 'access_level does not have a valid value'],
  ] as const;
  for (const [params, error] of cases) {
    const { status, body } = await owner.put(at, params);
    assert.deepEqual([status, body], [400, { error }]);
  }
});

test('reports all errors in one response and stores nothing', async () => {
  const { at } = await newRunner({ in: group, tag_list: ['a'], description: 'before' });
  const before = (await owner.get(at)).body;
  const wrong = { description: 'after', maximum_timeout: 599, run_untagged: false, tag_list: '' };
  const { status, body } = await owner.put(at, { ...wrong, maintenance_note: 'x'.repeat(1025) });
  assert.deepEqual(
    [status, body.message],
    [
      400,
      {
        maximum_timeout: ['needs to be at least 10 minutes'],
        tags_list: ['can not be empty when runner is not allowed to pick untagged jobs'],
        maintenance_note: ['is too long (maximum is 1024 characters)'],
      },
    ],
  );
  const tag_list = Array.from({ length: 51 }, (_, index) => `t${index}`);
  assert.deepEqual((await owner.put(at, { tag_list })).body.message, {
    tags_list: ['Too many tags specified. Please limit the number of tags to 50'],
  });
  assert.deepEqual((await owner.get(at)).body, before);
});
