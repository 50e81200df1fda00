import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { newIssue } from '../notes/fixtures.testing.ts';

const { group, owner, guest, planner, user, newProject, newGroup } = await world({
  group: { visibility: 'private', with: ['guest', 'planner'] },
});

type At = { readonly at: string };

const newMilestone = async ({ at }: At, params: Readonly<Record<string, unknown>>) =>
  (await expectSuccess(owner.post(`${at}/milestones`, params))).body as { id: number };

const TAKEN = 'Promotion failed - Title already being used for another group or project milestone.';

test('moves a promoted milestone to the group and merges those of its title in the group’s projects', async () => {
  const [one, other] = [await newProject({ in: group }), await newProject({ in: group })];
  const input = { title: 'v1', description: 'First', start_date: '2026-02-01', due_date: '2026-03-01' };
  const own = await newMilestone(one, input);
  await expectSuccess(owner.put(`${one.at}/milestones/${own.id}`, { state_event: 'close' }));
  const duplicate = await newMilestone(other, { title: 'v1' });
  const [issue, far] = [
    await newIssue(one, { milestone_id: own.id }),
    await newIssue(other, { milestone_id: duplicate.id }),
  ];
  const feed = async () => (await owner.get(`${one.at}/events`, { action: 'destroyed' })).body;
  const { status, body } = await planner.post(`${one.at}/milestones/${own.id}/promote`);
  const { id, iid, created_at, updated_at, web_url, ...made } = body;
  assert.equal(status, 200);
  assert.deepEqual(made, { ...input, group_id: group.id, state: 'closed', expired: false });
  for (const { at } of [issue, far]) {
    assert.equal((await owner.get(at)).body.milestone.id, id);
    const events = (await owner.get(`${at}/resource_milestone_events`)).body;
    assert.deepEqual([events.length, events[0].milestone.id], [1, id]);
  }
  for (const [{ at }, gone] of [
    [one, own],
    [other, duplicate],
  ] as const) {
    assert.equal((await owner.get(`${at}/milestones/${gone.id}`)).status, 404);
  }
  assert.deepEqual(await feed(), []);
});

test('rejects the promotion of a title that an ancestor or descendant group has', async () => {
  const low = await newGroup({ in: group });
  const project = await newProject({ in: low });
  const { id } = await newMilestone(project, { title: 'v2' });
  const deeper = await newGroup({ in: low });
  await newMilestone(deeper, { title: 'v2' });
  const { status, body } = await owner.post(`${project.at}/milestones/${id}/promote`);
  assert.deepEqual([status, body], [400, { message: TAKEN }]);
  assert.equal((await owner.get(`${project.at}/milestones/${id}`)).status, 200);
  assert.deepEqual((await owner.get(`${low.at}/milestones`)).body, []);
});

test('promotes one of two concurrent milestones with one title', async () => {
  const [one, other] = [await newProject({ in: group }), await newProject({ in: group })];
  const [first, second] = [await newMilestone(one, { title: 'v3' }), await newMilestone(other, { title: 'v3' })];
  const answers = await Promise.all([
    owner.post(`${one.at}/milestones/${first.id}/promote`),
    owner.post(`${other.at}/milestones/${second.id}/promote`),
  ]);
  const [won, lost] = answers.map(({ status }) => status).sort();
  assert.equal(won, 200);
  assert.ok(lost === 404 || lost === 400);
  assert.equal((await owner.get(`${group.at}/milestones`, { title: 'v3' })).body.length, 1);
});

test('requires rights in the project and the group, and a milestone of the project', async () => {
  const [project, personal] = [await newProject({ in: group }), await newProject({ owner })];
  const { id } = await newMilestone(project, { title: 'v4' });
  const [own, above] = [await newMilestone(personal, { title: 'v4' }), await newMilestone(group, { title: 'v5' })];
  const helper = await user();
  await project.addMember('planner', helper);
  for (const [by, at, status, message] of [
    [guest, `${project.at}/milestones/${id}`, 403, '403 Forbidden'],
    [helper, `${project.at}/milestones/${id}`, 403, '403 Forbidden'],
    [owner, `${personal.at}/milestones/${own.id}`, 403, '403 Forbidden'],
    [planner, `${project.at}/milestones/${above.id}`, 404, '404 Not found'],
    [planner, `${project.at}/milestones/987654`, 404, '404 Not found'],
  ] as const) {
    const answer = await by.post(`${at}/promote`);
    assert.deepEqual([answer.status, answer.body], [status, { message }]);
  }
});
