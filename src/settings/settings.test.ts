import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testDatabase } from '#test/engines/engine.ts';
import { defaultSettings } from './definitions.ts';
import {
  createSettings,
  loadSettings,
  readStoredValue,
  updateSettings,
  validateSettings,
  writeStoredValue,
} from './settings.ts';

test('every setting has its default without a row', async () => {
  await using database = await testDatabase();
  assert.deepEqual(await loadSettings(database.reader), defaultSettings);
});

test('a change applies at once, in its own database only', async () => {
  await using one = await testDatabase();
  await using other = await testDatabase();
  const changed = await one.transaction((tx) =>
    updateSettings(tx, { offset_pagination_limit: 7, can_create_group: true }),
  );
  assert.deepEqual(changed, [{ name: 'offset_pagination_limit', from: 50_000, to: 7 }]);
  assert.equal((await loadSettings(one.reader)).offset_pagination_limit, 7);
  assert.equal((await loadSettings(other.reader)).offset_pagination_limit, 50_000);
  assert.equal(await loadSettings(one.reader), await loadSettings(one.reader), 'and is parsed once');
});

test('keeps all concurrent changes', async () => {
  await using database = await testDatabase();
  const names = ['max_artifacts_size', 'ci_jobs_trace_size_limit', 'session_expire_delay'] as const;
  await Promise.all(names.map((name) => database.transaction((tx) => updateSettings(tx, { [name]: 9 }))));
  const settings = await loadSettings(database.reader);
  assert.deepEqual(
    names.map((name) => settings[name]),
    [9, 9, 9],
  );
});

test('the first start writes its settings once, and keeps other stored values', async () => {
  await using database = await testDatabase();
  await database.transaction((tx) => writeStoredValue(tx, 'other', 7));
  await database.transaction((tx) => createSettings(tx, { bulk_import_enabled: false }));
  await database.transaction((tx) => createSettings(tx, { bulk_import_enabled: true }));
  assert.equal((await loadSettings(database.reader)).bulk_import_enabled, false);
  assert.equal(await readStoredValue(database.reader, 'other'), 7);
});

test('every default is a valid value', () => {
  assert.deepEqual(validateSettings(defaultSettings), {});
});

test('accepts durations in time units and rejects others', () => {
  for (const good of ['30 days', '3600', '1 week 2 days', '2h20min', 'never', '3 mins 4 sec']) {
    assert.deepEqual(validateSettings({ default_artifacts_expire_in: good }), {}, good);
  }
  for (const bad of ['', 'soon', '-1 day']) {
    assert.deepEqual(validateSettings({ default_artifacts_expire_in: bad }), {
      default_artifacts_expire_in: ['is not a correct duration'],
    });
  }
});
