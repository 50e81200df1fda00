import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { AUTOMATIC, newCadence } from './fixtures.testing.ts';

const here = await world();

test('orders cadences by title, includes ancestor groups, and filters', async () => {
  const group = await here.newGroup({ visibility: 'public' });
  const below = await here.newGroup({ in: group, visibility: 'public' });
  await newCadence(group, { ...AUTOMATIC, title: 'b above' });
  await newCadence(below, { automatic: false, title: 'c By hand' });
  await newCadence(below, { ...AUTOMATIC, duration_in_weeks: 1, title: 'a', active: false });
  for (const [params, expected] of [
    [{}, ['a', 'b above', 'c By hand']],
    [{ include_ancestors: false }, ['a', 'c By hand']],
    [{ search: 'BY' }, ['c By hand']],
    [{ active: true }, ['b above', 'c By hand']],
    [{ automatic: false }, ['c By hand']],
    [{ duration_in_weeks: 2 }, ['b above']],
  ] as const) {
    const { body } = await here.anonymous.get(`${below.at}/iteration_cadences`, params);
    assert.deepEqual(
      body.map(({ title }: { title: string }) => title),
      expected,
      JSON.stringify(params),
    );
  }
});

test('forbids iterations on the free tier, and returns 404 to callers who cannot see the group', async () => {
  const free = await world({ env: { HEARTH_TIER: 'free' } });
  const group = await free.newGroup();
  const stranger = await free.user();
  for (const path of ['iteration_cadences', 'iteration_cadences/1', 'iterations', 'iterations/1']) {
    const { status, body } = await group.owner.get(`${group.at}/${path}`);
    assert.deepEqual([status, body], [403, { message: '403 Forbidden' }], path);
    assert.equal((await stranger.get(`${group.at}/${path}`)).status, 404);
  }
  const project = await free.newProject({ in: group });
  assert.equal((await group.owner.get(`${project.at}/iterations`)).status, 403);
});
