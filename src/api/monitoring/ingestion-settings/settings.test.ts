import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, type Project, world } from '#test/support/world.ts';

// Rate limit and retention period of a project's error reports (contract/monitoring.md §13).

const settingsPath = (project: Project) => `${project.at}/error_tracking/ingestion_settings`;

test('returns defaults until settings are saved, and keeps omitted values', async () => {
  const { project, maintainer } = await world({ project: { with: ['maintainer'] } });
  assert.deepEqual((await maintainer.get(settingsPath(project))).body, { events_per_minute: 3000, retention_days: 90 });
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
  for (const [params, expected] of steps) {
    assert.deepEqual((await maintainer.put(settingsPath(project), params)).body, expected);
    assert.deepEqual((await maintainer.get(settingsPath(project))).body, expected);
  }
});

test('returns 400 for values out of range, invalid values and no parameters', async () => {
  const { project, maintainer } = await world({ project: { with: ['maintainer'] } });
  const invalidParams = {
    'events_per_minute does not have a valid value': [{ events_per_minute: 0 }, { events_per_minute: 1_000_001 }],
    'retention_days does not have a valid value': [{ retention_days: 0 }, { retention_days: 91 }],
    'retention_days is invalid': [{ retention_days: 'long' }],
    'events_per_minute, retention_days are missing, at least one parameter must be provided': [{}],
  };
  for (const [error, paramsList] of Object.entries(invalidParams)) {
    for (const params of paramsList) {
      const { status, body } = await maintainer.put(settingsPath(project), params);
      assert.deepEqual([status, body], [400, { error }]);
    }
  }
  assert.deepEqual((await maintainer.get(settingsPath(project))).body, { events_per_minute: 3000, retention_days: 90 });
});

test('allows only maintainers to read and update the settings', async () => {
  const here = await world({ project: { visibility: 'public', with: ['reporter', 'developer', 'maintainer'] } });
  const { project } = here;
  for (const [by, status] of [
    [here.anonymous, 401],
    [await here.user(), 403],
    [here.reporter, 403],
    [here.developer, 403],
    [here.maintainer, 200],
  ] as const) {
    assert.equal((await by.get(settingsPath(project))).status, status);
    assert.equal((await by.put(settingsPath(project), { retention_days: 30 })).status, status);
  }
  await expectSuccess(here.maintainer.get(settingsPath(project)));
});
