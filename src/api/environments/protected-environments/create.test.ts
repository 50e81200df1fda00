import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, type Group, type Project, world } from '#test/support/world.ts';

const { root, anonymous, user, newGroup, newProject } = await world();

const MAINTAINERS = [{ access_level: 40 }];
const maintainers = { access_level: 40, access_level_description: 'Maintainers', user_id: null, group_id: null };

const protect = ({ owner, at }: Group | Project, params: object) =>
  owner.post(`${at}/protected_environments`, { name: 'production', deploy_access_levels: MAINTAINERS, ...params });

/** The same, refused: nothing is protected then. */
async function refusal(place: Group | Project, params: object): Promise<[number, object]> {
  const { status, body } = await protect(place, params);
  assert.deepEqual((await place.owner.get(`${place.at}/protected_environments`)).body, []);
  return [status, body];
}

test("a group's protection shows its levels and rules in words, by id", async () => {
  const group = await newGroup();
  const inner = await newGroup({ in: group });
  const { status, body } = await protect(group, {
    deploy_access_levels: [...MAINTAINERS, { group_id: inner.id, group_inheritance_type: 1 }],
    approval_rules: [{ group_id: group.id, required_approvals: 2 }, { access_level: 60 }],
  });
  assert.equal(status, 201);
  const [level, ofGroup] = body.deploy_access_levels;
  const [rule, other] = body.approval_rules;
  assert.ok(level.id < ofGroup.id && rule.id < other.id);
  const ofInner = { access_level: null, access_level_description: inner.name, user_id: null, group_id: inner.id };
  const administrators = { ...maintainers, access_level: 60, access_level_description: 'Administrators' };
  const ofThis = { ...ofInner, access_level_description: group.name, group_id: group.id };
  assert.deepEqual(body, {
    name: 'production',
    deploy_access_levels: [
      { id: level.id, ...maintainers, group_inheritance_type: 0 },
      { id: ofGroup.id, ...ofInner, group_inheritance_type: 1 },
    ],
    required_approval_count: 0,
    approval_rules: [
      { id: rule.id, ...ofThis, required_approvals: 2, group_inheritance_type: 0 },
      { id: other.id, ...administrators, required_approvals: 1, group_inheritance_type: 0 },
    ],
  });
});

test('reports missing parameters only to Owners of a group', async () => {
  const group = await newGroup({ with: ['maintainer'], visibility: 'public' });
  const hidden = await newGroup();
  const stranger = await user();
  const post = (caller: typeof root, { at }: Group) => caller.post(`${at}/protected_environments`);
  assert.equal((await post(anonymous, group)).status, 401);
  assert.equal((await post(anonymous, hidden)).status, 401);
  assert.deepEqual((await post(stranger, hidden)).body, { message: '404 Group Not Found' });
  assert.equal((await post(stranger, group)).status, 403);
  assert.deepEqual((await post(group.maintainer, group)).body, { message: '403 Forbidden' });
  assert.deepEqual((await post(group.owner, group)).body, {
    error: 'name is missing, deploy_access_levels is missing',
  });
  assert.equal((await post(root, group)).status, 400);
});

test('allows Maintainers, but not Developers, to protect environments of a project', async () => {
  const project = await newProject({ with: ['maintainer', 'developer'] });
  const params = { name: 'review/a', deploy_access_levels: MAINTAINERS };
  const post = (caller: typeof root) => caller.post(`${project.at}/protected_environments`, params);
  assert.equal((await post(project.developer)).status, 403);
  assert.equal((await post(project.maintainer)).status, 201);
  const { status, body } = await project.owner.get(`${project.at}/protected_environments/review%2Fa`);
  assert.deepEqual([status, body.name], [200, 'review/a']);
});

test('reports invalid values of elements with their position', async () => {
  const group = await newGroup();
  const wrong = async (params: object) => (await refusal(group, params))[1];
  const element = (name: string) => ({ error: `${name} does not have a valid value` });
  assert.deepEqual(
    await wrong({ deploy_access_levels: [{ access_level: 50 }] }),
    element('deploy_access_levels[0][access_level]'),
  );
  assert.deepEqual(
    await wrong({ approval_rules: [...MAINTAINERS, { access_level: 10 }] }),
    element('approval_rules[1][access_level]'),
  );
  assert.deepEqual(
    await wrong({ deploy_access_levels: [{ access_level: 40, group_inheritance_type: 2 }] }),
    element('deploy_access_levels[0][group_inheritance_type]'),
  );
  const [status, body] = await refusal(group, { approval_rules: [{ required_approvals: 1 }] });
  const error =
    'approval_rules[0][access_level], approval_rules[0][user_id], approval_rules[0][group_id] are missing, at least one parameter must be provided';
  assert.deepEqual([status, body], [400, { error }]);
});

test('what a protection may not be is told in sentences', async () => {
  const group = await newGroup();
  const refused = async (params: object, ...message: string[]) =>
    assert.deepEqual(await refusal(group, params), [422, { message }]);
  const name = 'Name must be one of environment tiers: production, staging, testing, development, other.';
  await refused({ name: 'gprd' }, name);
  await refused({ name: '' }, name);
  await refused({ deploy_access_levels: [] }, 'Deploy access levels is too short (minimum is 1 character)');
  const one = 'base Exactly one of access_level, group_id, user_id must be present';
  await refused({ deploy_access_levels: [{}] }, `Deploy access levels ${one}`);
  const both = { access_level: 40, group_id: group.id };
  await refused(
    { deploy_access_levels: [both], approval_rules: [both] },
    `Deploy access levels ${one}`,
    `Approval rules ${one}`,
  );
  await refused({ approval_rules: [{ user_id: null }] }, `Approval rules ${one}`);
  const least = 'must be greater than or equal to';
  const most = 'must be less than or equal to 5';
  const rules = (required_approvals: number) => ({ approval_rules: [{ access_level: 40, required_approvals }] });
  await refused(rules(0), `Approval rules required approvals ${least} 1`);
  await refused(rules(6), `Approval rules required approvals ${most}`);
  await refused({ required_approval_count: -1 }, `Required approval count ${least} 0`);
  await refused({ required_approval_count: 6, name: 'x' }, name, `Required approval count ${most}`);
});

test('a project takes any name that is none of nothing and not too long', async () => {
  const project = await newProject();
  const blank = [422, { message: ["Name can't be blank"] }];
  assert.deepEqual(await refusal(project, { name: '' }), blank);
  const tooLong = [422, { message: ['Name is too long (maximum is 255 characters)'] }];
  assert.deepEqual(await refusal(project, { name: 'x'.repeat(256) }), tooLong);
  assert.equal((await protect(project, { name: 'x'.repeat(255) })).status, 201);
});

test('protects an environment for one of five concurrent requests and returns an error to the others', async () => {
  const [group, project] = [await newGroup(), await newProject()];
  const texts = [`Protected environment 'production' already exists`, `Environment 'production' is already protected`];
  for (const [index, place] of [group, project].entries()) {
    const all = await Promise.all([1, 2, 3, 4, 5].map(() => protect(place, {})));
    assert.deepEqual(all.map(({ status }) => status).toSorted(), [201, 409, 409, 409, 409]);
    const refused = all.filter(({ status }) => status === 409);
    for (const { body } of refused) assert.deepEqual(body, { message: texts[index] });
    // This check precedes the validation of access levels.
    assert.equal((await protect(place, { deploy_access_levels: [] })).status, 409);
  }
});

test('in a group maintainers and owners may be named, from above too, and the groups inside it', async () => {
  const above = await newGroup({ with: ['maintainer', 'developer'] });
  const group = await newGroup({ in: above, with: ['maintainer'] });
  const inner = await newGroup({ in: group, with: ['owner' as never] });
  const stranger = await user();
  const { body } = await protect(group, {
    deploy_access_levels: [above.maintainer, above.developer, group.maintainer, stranger].map(({ id }) => ({
      user_id: id,
    })),
    approval_rules: [group, inner].map(({ id }) => ({ group_id: id })),
  });
  const ids = (elements: object[], key: 'user_id' | 'group_id') =>
    elements.map((element) => (element as Record<typeof key, number>)[key]);
  assert.deepEqual(ids(body.deploy_access_levels, 'user_id'), [above.maintainer.id, group.maintainer.id]);
  assert.deepEqual(ids(body.approval_rules, 'group_id'), [group.id, inner.id]);
});

test('an approval rule for somebody who is not eligible is rejected, and nothing is protected', async () => {
  const [above, stranger] = [await newGroup({ with: ['maintainer'] }), await user()];
  const [group, project] = [await newGroup({ in: above }), await newProject({ in: above })];
  const message = ['Approval rules base User or group is not eligible'];
  for (const parent of [group, project]) {
    for (const rule of [{ user_id: stranger.id }, { group_id: above.id }, { user_id: 999999 }, { group_id: 999999 }]) {
      const rules = [{ user_id: above.maintainer.id }, rule];
      assert.deepEqual(await refusal(parent, { approval_rules: rules }), [422, { message }]);
    }
    const right = await protect(parent, { approval_rules: [{ user_id: above.maintainer.id }] });
    assert.deepEqual([right.status, right.body.approval_rules.length], [201, 1]);
  }
});

test('in a project its developers may be named, from above too, and no groups', async () => {
  const group = await newGroup({ with: ['developer', 'reporter'] });
  const project = await newProject({ in: group });
  const expiring = await project.addMember('maintainer', undefined, { expires_at: '2026-12-30' });
  const users = [group.developer, group.reporter, expiring].map(({ id }) => ({ user_id: id }));
  const { body } = await protect(project, { deploy_access_levels: [...users, { group_id: group.id }] });
  const named = body.deploy_access_levels.map(
    (level: { access_level_description: string }) => level.access_level_description,
  );
  assert.deepEqual(named, [`Name of ${group.developer.username}`, `Name of ${expiring.username}`]);
  const alone = await newProject({ in: group });
  const short = { message: ['Deploy access levels is too short (minimum is 1 character)'] };
  assert.deepEqual(await refusal(alone, { deploy_access_levels: [{ group_id: group.id }] }), [422, short]);
});

test('forms and queries name elements as clients write them', async () => {
  const project = await newProject();
  const send = (name: string, pairs: string) =>
    project.owner.send('POST', `${project.at}/protected_environments`, {
      raw: `name=${name}&${pairs}`,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });
  const levels = async (name: string, pairs: string) => {
    const { status, body } = await send(name, pairs);
    assert.equal(status, 201);
    return body.deploy_access_levels.map((level: { access_level: number }) => level.access_level);
  };
  const key = 'deploy_access_levels';
  assert.deepEqual(await levels('a', `${key}[][access_level]=40&${key}[][access_level]=30`), [40, 30]);
  assert.deepEqual(await levels('b', `${key}[0][access_level]=40&${key}[1][access_level]=60`), [40, 60]);
  assert.deepEqual(await levels('c', `${key}[access_level]=20`), [20]);
  const one = { message: ['Deploy access levels base Exactly one of access_level, group_id, user_id must be present'] };
  // A key that does not repeat goes on with the element.
  const { body } = await send('d', `${key}[][access_level]=40&${key}[][user_id]=${project.owner.id}`);
  assert.deepEqual(body, one);
});

test('archived groups and projects, and those of tier free, protect environments too', async () => {
  const project = await newProject();
  await expectSuccess(project.owner.post(`${project.at}/archive`));
  assert.equal((await protect(project, {})).status, 201);
  const free = await world({ env: { HEARTH_TIER: 'free' } });
  assert.equal((await protect(await free.newGroup(), {})).status, 201);
});
