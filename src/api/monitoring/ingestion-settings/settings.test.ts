import assert from 'node:assert/strict';
import { test } from 'node:test';
import { done, type Project, world } from '#test/support/world.ts';

// How many reports a project takes, and how long it keeps them (contract/monitoring.md §13).

const at = (project: Project) => `${project.at}/error_tracking/ingestion_settings`;

test('what was never set has its defaults, and what is not sent stays', async () => {
  const { project, maintainer } = await world({ project: { with: ['maintainer'] } });
  assert.deepEqual((await maintainer.get(at(project))).body, { events_per_minute: 3000, retention_days: 90 });
  const steps = [
    [{ retention_days: 1 }, { events_per_minute: 3000, retention_days: 1 }],
    [{ events_per_minute: null }, { events_per_minute: null, retention_days: 1 }],
    [{ retention_days: 90 }, { events_per_minute: null, retention_days: 90 }],
    [{ events_per_minute: 1_000_000 }, { events_per_minute: 1_000_000, retention_days: 90 }],
    [
      { events_per_minute: '1', retention_days: '2' },
      { events_per_minute: 1, retention_days: 2 },
    ],
  ] as const;
  for (const [params, shown] of steps) {
    assert.deepEqual((await maintainer.put(at(project), params)).body, shown);
    assert.deepEqual((await maintainer.get(at(project))).body, shown);
  }
});

test('what is out of range, no number or nothing at all is refused', async () => {
  const { project, maintainer } = await world({ project: { with: ['maintainer'] } });
  const refusals = {
    'events_per_minute does not have a valid value': [{ events_per_minute: 0 }, { events_per_minute: 1_000_001 }],
    'retention_days does not have a valid value': [{ retention_days: 0 }, { retention_days: 91 }],
    'retention_days is invalid': [{ retention_days: 'long' }],
    'events_per_minute, retention_days are missing, at least one parameter must be provided': [{}],
  };
  for (const [error, wrong] of Object.entries(refusals)) {
    for (const params of wrong) {
      const { status, body } = await maintainer.put(at(project), params);
      assert.deepEqual([status, body], [400, { error }]);
    }
  }
  assert.deepEqual((await maintainer.get(at(project))).body, { events_per_minute: 3000, retention_days: 90 });
});

test('they are for maintainers, to read and to change', async () => {
  const here = await world({ project: { visibility: 'public', with: ['reporter', 'developer', 'maintainer'] } });
  const { project } = here;
  for (const [by, status] of [
    [here.anonymous, 401],
    [await here.user(), 403],
    [here.reporter, 403],
    [here.developer, 403],
    [here.maintainer, 200],
  ] as const) {
    assert.equal((await by.get(at(project))).status, status);
    assert.equal((await by.put(at(project), { retention_days: 30 })).status, status);
  }
  await done(here.maintainer.get(at(project)));
});
