import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, expectSuccess, type Group, type Project, world } from '#test/support/world.ts';

const { user, newGroup, newProject, clock } = await world();

interface Element {
  readonly id: number;
  readonly access_level: number | null;
  readonly user_id: number | null;
  readonly group_id: number | null;
  readonly required_approvals?: number;
}

/** A place with a protection: two levels and two rules, an element that says nothing of all of them. */
async function protectedPlace<Place extends Group | Project>(place: Place) {
  const { owner, at } = place;
  const elements = [{ access_level: 40 }, { access_level: 30 }];
  const params = { name: 'production', deploy_access_levels: elements, approval_rules: elements };
  const { body } = await expectSuccess(
    owner.post(`${at}/protected_environments`, { ...params, required_approval_count: 3 }),
  );
  const url = `${at}/protected_environments/production`;
  const [levels, rules] = [body.deploy_access_levels as Element[], body.approval_rules as Element[]];
  return { place, owner, url, before: body, levels, rules, read: async () => (await owner.get(url)).body };
}

const toPrincipal = ({ access_level, user_id, group_id }: Element) => [access_level, user_id, group_id];

/** A refused change leaves everything as it was. */
async function refused(
  { owner, url, before, read }: { owner: Caller; url: string; before: object; read(): Promise<object> },
  params: object,
): Promise<[number, object]> {
  const { status, body } = await owner.put(url, params as Record<string, unknown>);
  assert.deepEqual(await read(), before);
  return [status, body];
}

test('elements that are not mentioned stay, and so does the count', async () => {
  const { owner, url, before, read } = await protectedPlace(await newGroup());
  assert.deepEqual((await owner.put(url, {})).body, before);
  assert.deepEqual((await owner.put(url, { name: 'staging', deploy_access_levels: [] })).body, before);
  const { body } = await owner.put(url, { deploy_access_levels: [{ access_level: 60 }] });
  const [, , added] = body.deploy_access_levels;
  assert.deepEqual(toPrincipal(added), [60, null, null]);
  assert.deepEqual(body, { ...before, deploy_access_levels: [...before.deploy_access_levels, added] });
  assert.deepEqual(await read(), body);
  assert.equal((await owner.put(url, { required_approval_count: 0 })).body.required_approval_count, 0);
});

test('replaces the principal of an element', async () => {
  const group = await newGroup({ with: ['maintainer'] });
  const { owner, url, levels, rules } = await protectedPlace(group);
  const [level, rule] = [levels[0]!.id, rules[1]!.id];
  const { status, body } = await owner.put(url, {
    deploy_access_levels: [{ id: level, user_id: group.maintainer.id }],
    approval_rules: [{ id: rule, access_level: null, group_id: group.id, required_approvals: 4 }],
  });
  assert.equal(status, 200);
  assert.deepEqual(body.deploy_access_levels.map(toPrincipal), [
    [null, group.maintainer.id, null],
    [30, null, null],
  ]);
  assert.deepEqual(body.approval_rules.map(toPrincipal), [
    [40, null, null],
    [null, null, group.id],
  ]);
  assert.equal(body.approval_rules[1].required_approvals, 4);
  const again = await owner.put(url, { approval_rules: [{ id: rule, group_inheritance_type: 1 }] });
  assert.deepEqual(
    [again.body.approval_rules[1].group_inheritance_type, again.body.approval_rules[1].required_approvals],
    [1, 4],
  );
  assert.deepEqual((await owner.put(url, { approval_rules: [{ id: rule, user_id: null }] })).body, again.body);
});

test('elements go with _destroy in each of its forms, rules to the last one, levels not', async () => {
  const { owner, url, levels, rules } = await protectedPlace(await newProject());
  const [one, other] = rules.map(({ id }) => id);
  assert.equal(
    (await owner.put(url, { approval_rules: [{ id: one, _destroy: 'true' }] })).body.approval_rules.length,
    1,
  );
  assert.deepEqual((await owner.put(url, { approval_rules: [{ id: other, _destroy: 1 }] })).body.approval_rules, []);
  const before = (await owner.get(url)).body;
  const all = levels.map(({ id }) => ({ id, _destroy: true }));
  const message = ['Deploy access levels is too short (minimum is 1 character)'];
  const read = async () => (await owner.get(url)).body;
  const params = { required_approval_count: 1, deploy_access_levels: all };
  assert.deepEqual(await refused({ owner, url, before, read }, params), [422, { message }]);
  const net = await owner.put(url, { deploy_access_levels: [...all, { access_level: 60 }] });
  assert.deepEqual(net.body.deploy_access_levels.map(toPrincipal), [[60, null, null]]);
  assert.deepEqual(
    (await owner.put(url, { deploy_access_levels: [{ access_level: 30, _destroy: true }] })).body,
    net.body,
  );
});

test('an element of another protection, or of the other kind, is not found, and nothing is changed', async () => {
  const there = await protectedPlace(await newGroup());
  const elsewhere = await protectedPlace(await newGroup());
  const gone = [404, { message: '404 Not found' }];
  const change = { required_approval_count: 1 };
  const [own] = there.levels;
  for (const id of [elsewhere.levels[0]!.id, 0, -1, 9007199254740991]) {
    const levels = [
      { id: own!.id, access_level: 60 },
      { id, access_level: 60 },
    ];
    assert.deepEqual(await refused(there, { ...change, deploy_access_levels: levels }), gone);
    assert.deepEqual(await refused(there, { ...change, approval_rules: [{ id, _destroy: true }] }), gone);
  }
  const twice = [
    { id: own!.id, _destroy: true },
    { id: own!.id, access_level: 60 },
  ];
  assert.deepEqual(await refused(there, { deploy_access_levels: twice }), gone);
});

test('whoever may not be named is passed over, in an element that stands as in a new one', async () => {
  const group = await newGroup({ with: ['developer', 'maintainer'] });
  const there = await protectedPlace(group);
  const { owner, url, before, levels } = there;
  const stranger = (await user()).id;
  const { status, body } = await owner.put(url, {
    deploy_access_levels: [{ id: levels[0]!.id, user_id: stranger }, { user_id: group.developer.id }],
  });
  assert.deepEqual([status, body], [200, before]);
  const message = ['Approval rules base User or group is not eligible'];
  for (const change of [{ group_id: 999999 }, { id: before.approval_rules[0].id, user_id: stranger }]) {
    const rejected = await owner.put(url, { required_approval_count: 1, approval_rules: [change] });
    assert.deepEqual([rejected.status, rejected.body], [422, { message }]);
    assert.deepEqual((await owner.get(url)).body, before);
  }
  // Who is named already stays so, and goes, whatever he has become.
  const rule = { user_id: group.maintainer.id, required_approvals: 1 };
  const named = (await expectSuccess(owner.put(url, { approval_rules: [rule] }))).body.approval_rules[2];
  await expectSuccess(owner.put(`${group.at}/members/${group.maintainer.id}`, { access_level: 10 }));
  const kept = await owner.put(url, { approval_rules: [{ ...rule, id: named.id, required_approvals: 2 }] });
  assert.equal(kept.body.approval_rules[2].required_approvals, 2);
  const left = await owner.put(url, { approval_rules: [{ ...rule, id: named.id, _destroy: '1' }] });
  assert.equal(left.body.approval_rules.length, 2);
});

test('changes nothing if any part of an update is invalid', async () => {
  const there = await protectedPlace(await newGroup());
  const [level] = there.levels;
  const [rule] = there.rules;
  const good = { required_approval_count: 1, deploy_access_levels: [{ access_level: 60 }] };
  const both = { id: level!.id, access_level: 60, user_id: there.owner.id };
  const texts = async (params: object) => (await refused(there, { ...good, ...params }))[1];
  assert.deepEqual(await texts({ deploy_access_levels: [both] }), {
    message: ['Deploy access levels base Exactly one of access_level, group_id, user_id must be present'],
  });
  assert.deepEqual(await texts({ approval_rules: [{ id: rule!.id, required_approvals: 6 }] }), {
    message: ['Approval rules required approvals must be less than or equal to 5'],
  });
  assert.deepEqual(await texts({ required_approval_count: 6 }), {
    message: ['Required approval count must be less than or equal to 5'],
  });
  assert.deepEqual(await texts({ approval_rules: [{ required_approvals: 2, _destroy: false }] }), {
    error:
      'approval_rules[0][access_level], approval_rules[0][user_id], approval_rules[0][group_id] are missing, at least one parameter must be provided',
  });
  assert.deepEqual(await texts({ deploy_access_levels: [{ id: 'a' }] }), {
    error: 'deploy_access_levels[0][id] is invalid',
  });
});

test('accepts element ids in forms', async () => {
  const { owner, url, levels } = await protectedPlace(await newProject());
  const [one, other] = levels.map(({ id }) => id);
  const key = 'deploy_access_levels[]';
  const { status, body } = await owner.send('PUT', url, {
    raw: `${key}[id]=${one}&${key}[access_level]=60&${key}[id]=${other}&${key}[_destroy]=true&${key}[access_level]=20`,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  });
  assert.equal(status, 200);
  assert.deepEqual(body.deploy_access_levels.map(toPrincipal), [[60, null, null]]);
  const added = await owner.put(`${url}?${key}[access_level]=20`);
  assert.deepEqual(added.body.deploy_access_levels.map(toPrincipal), [
    [60, null, null],
    [20, null, null],
  ]);
});

test('what is not protected is not found, after what is wrong with the call', async () => {
  const group = await newGroup({ with: ['maintainer'] });
  const url = `${group.at}/protected_environments/staging`;
  assert.equal((await group.maintainer.put(url, { required_approval_count: 'x' })).status, 403);
  assert.deepEqual((await group.owner.put(url, { required_approval_count: 'x' })).body, {
    error: 'required_approval_count is invalid',
  });
  assert.deepEqual((await group.owner.put(url)).body, { message: '404 Not found' });
});

test('rejects one of two concurrent deletions of the last two levels', async () => {
  const { owner, url, levels } = await protectedPlace(await newGroup());
  const destroy = (level: Element) => owner.put(url, { deploy_access_levels: [{ id: level.id, _destroy: true }] });
  const all = await Promise.all(levels.map(destroy));
  assert.deepEqual(all.map(({ status }) => status).toSorted(), [200, 422]);
});

test('a deletion that waits for an unchanged protection sees changes of elements', async () => {
  const { owner, url } = await protectedPlace(await newProject());
  const seen = { 'If-Unmodified-Since': clock.now().toISOString() };
  clock.advance(10);
  await expectSuccess(owner.put(url, { deploy_access_levels: [{ access_level: 60 }] }));
  assert.equal((await owner.delete(url, {}, seen)).status, 412);
  assert.equal((await owner.get(url)).status, 200);
  clock.advance(10);
  assert.equal((await owner.delete(url, {}, { 'If-Unmodified-Since': clock.now().toISOString() })).status, 204);
});
