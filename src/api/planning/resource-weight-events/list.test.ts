import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';
import { newIssue } from '../notes/fixtures.testing.ts';

test('records one event per weight change, including set and cleared', async () => {
  const { project, owner, guest, planner } = await world({ project: { with: ['guest', 'planner'] } });
  const issue = await newIssue(project, { weight: 3 });
  const events = `${issue.at}/resource_weight_events`;
  for (const weight of [3, 5, null, null, 0]) await expectSuccess(planner.put(issue.at, { weight }));
  await expectSuccess(planner.put(issue.at, { title: 'Another' }));
  const { body, headers } = await guest.get(events);
  assert.deepEqual(
    body.map(({ weight }: { weight: number | null }) => weight),
    [3, 5, null, 0],
  );
  assert.equal(headers['x-total'], '4');
  const { user, created_at, id, ...event } = body[1];
  assert.deepEqual([user.id, event], [planner.id, { issue_id: issue.id, weight: 5 }]);
  assert.deepEqual((await guest.get(`${events}/${id}`)).body, body[1]);
  const other = await newIssue(project);
  assert.deepEqual((await owner.get(`${other.at}/resource_weight_events`)).body, []);
  for (const wrong of [id, 'x']) {
    assert.deepEqual((await owner.get(`${other.at}/resource_weight_events/${wrong}`)).body, {
      message: '404 Not found',
    });
  }
});

test('records no weight events on the free tier', async () => {
  const { project, owner } = await world({ env: { HEARTH_TIER: 'free' }, project: {} });
  const issue = await newIssue(project, { weight: 3 });
  assert.deepEqual((await owner.get(`${issue.at}/resource_weight_events`)).body, []);
});
