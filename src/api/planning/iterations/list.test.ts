import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, type Group, world } from '#test/support/world.ts';
import { newCadence, newIteration } from '../iteration-cadences/fixtures.testing.ts';

const here = await world();
const group = await here.newGroup({ visibility: 'public', with: ['guest'] });
const below = await here.newGroup({ in: group, visibility: 'public' });
const hidden = await here.newGroup({ in: below, visibility: 'private' });
const project = await here.newProject({ in: below, visibility: 'public' });

const cadence = async (place: Group, title: string) =>
  (await newCadence(place, { automatic: false, title })).id as number;
const [above, own] = [await cadence(group, 'Above'), await cadence(below, 'Own cadence')];
await newIteration(group, '2026-01-01', '2026-01-10', { title: 'now', iterations_cadence_id: above });
await newIteration(group, '2025-01-01', '2025-01-10', { title: 'then', iterations_cadence_id: above });
await newIteration(below, '2026-01-03', '2026-01-10', { iterations_cadence_id: own });
await newIteration(hidden, '2026-01-02', '2026-01-09', { title: 'secret' });

const titles = async (params = {}, path = `${project.at}/iterations`, by = here.anonymous) =>
  (await expectSuccess(by.get(path, params))).body.map(({ title }: { title: string | null }) => title);

test('returns all fields of an iteration, with its state by date and its sequence in the cadence', async () => {
  const [{ id, created_at, updated_at, ...rest }] = (await here.anonymous.get(`${group.at}/iterations`)).body;
  assert.deepEqual(rest, {
    iid: 2,
    sequence: 1,
    group_id: group.id,
    title: 'then',
    description: null,
    state: 3,
    start_date: '2025-01-01',
    due_date: '2025-01-10',
    web_url: `${group.web_url}/-/iterations/${id}`,
  });
  assert.equal(created_at, updated_at);
});

test('orders iterations by due date, untitled ones last, and filters by state and search', async () => {
  for (const [params, expected] of [
    [{}, ['then', 'now', null]],
    [{ state: 'all' }, ['then', 'now', null]],
    [{ state: 'opened' }, ['now', null]],
    [{ state: 'upcoming' }, [null]],
    [{ state: 'current' }, ['now']],
    [{ state: 'started' }, ['now']],
    [{ state: 'closed' }, ['then']],
    [{ search: 'NO' }, ['now']],
    [{ search: '' }, ['then', 'now', null]],
    [{ search: 'cadence' }, []],
    [{ search: 'cadence', 'in[]': 'cadence_title' }, [null]],
    [{ search: 'cadence', in: 'cadence_title' }, [null]],
    [{ search: 'ow', in: 'title,cadence_title' }, ['now', null]],
    [{ search: 'ow', in: ['title', 'cadence_title'] }, ['now', null]],
    [{ include_ancestors: false }, [null]],
    [{ updated_after: '2026-01-02T03:04:05Z' }, ['then', 'now', null]],
    [{ updated_before: '2026-01-02T03:04:04Z' }, []],
  ] as const) {
    assert.deepEqual(await titles(params), expected, JSON.stringify(params));
  }
});

test('includes visible descendant groups on request', async () => {
  const path = `${group.at}/iterations`;
  assert.deepEqual(await titles({}, path), ['then', 'now']);
  assert.deepEqual(await titles({ include_descendants: true }, path), ['then', 'now', null]);
  assert.deepEqual(await titles({ include_descendants: true }, path, group.guest), ['then', 'secret', 'now', null]);
  const counted = await here.anonymous.get(path, { include_descendants: true });
  assert.equal(counted.headers['x-total'], '3');
});

test('rejects unknown states and search fields', async () => {
  const path = `${project.at}/iterations`;
  const state = await here.anonymous.get(path, { state: 'open' });
  assert.deepEqual([state.status, state.body], [400, { error: 'state does not have a valid value' }]);
  assert.deepEqual((await here.anonymous.get(path, { in: ['body'] })).body, {
    error: 'in does not have a valid value',
  });
});

test('hides iterations of private projects from the public and forbids personal projects', async () => {
  const closed = await here.newProject({ in: group });
  const missing = await here.anonymous.get(`${closed.at}/iterations`);
  assert.deepEqual([missing.status, missing.body], [404, { message: '404 Project Not Found' }]);
  assert.equal((await here.anonymous.get(`${hidden.at}/iterations`)).status, 404);
  const personal = await here.newProject({ visibility: 'public' });
  for (const caller of [personal.owner, here.anonymous, here.root]) {
    const { status, body } = await caller.get(`${personal.at}/iterations`);
    assert.deepEqual([status, body], [403, { message: '403 Forbidden' }]);
  }
});

test('returns an iteration in its group and descendants only', async () => {
  const [{ id }] = (await here.anonymous.get(`${group.at}/iterations`)).body;
  assert.equal((await here.anonymous.get(`${below.at}/iterations/${id}`)).body.id, id);
  const other = await here.newGroup({ visibility: 'public' });
  const missing = await here.anonymous.get(`${other.at}/iterations/${id}`);
  assert.deepEqual([missing.status, missing.body], [404, { message: '404 Not found' }]);
});
