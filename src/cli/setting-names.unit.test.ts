import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ConfigError, ENV_VARIABLE_NAMES } from '#config.ts';
import { checkVariableNames } from './setting-names.ts';

test('settings and variables of other programs cause no warning', () => {
  const settings = Object.fromEntries(ENV_VARIABLE_NAMES.map((name) => [name, 'x']));
  assert.deepEqual(checkVariableNames({ ...settings, PATH: '/bin', HEARTH: 'http://x', HEARTHSTONE: 'x' }), []);
});

test('an unknown variable causes one warning with its name and without its value', () => {
  for (const name of ['HEARTH_FOO', 'HEARTH_HOME', 'HEARTH_SITE_URL', 'HEARTH_VERSION', 'HEARTH_DATABASE', 'HEARTH_']) {
    const [warning = '', ...more] = checkVariableNames({ [name]: 'hunter2', HEARTH_PORT: '80' });
    assert.deepEqual(more, [], name);
    assert.ok(warning.startsWith(`${name} is not a setting and has no effect.`), warning);
    assert.ok(!warning.includes('hunter2'));
  }
  assert.equal(checkVariableNames({ HEARTH_ONE: '1', HEARTH_TWO: '2' }).length, 2);
});

test('an empty variable counts as unset', () => {
  assert.deepEqual(checkVariableNames({ HEARTH_FOO: '', HEARTH_DATADIR: ' ', HEARTH_BAR: undefined }), []);
});

test('rejects a name close to a setting and suggests the setting, without the value', () => {
  const misspelled = {
    HEARTH_DATADIR: 'HEARTH_DATA_DIR',
    HEARTH_data_dir: 'HEARTH_DATA_DIR',
    HEARTH_DATABASEURL: 'HEARTH_DATABASE_URL',
    HEARTH_DATABASE_URI: 'HEARTH_DATABASE_URL',
    HEARTH_EXTRENAL_URLS: 'HEARTH_EXTERNAL_URL',
    HEARTH_LOGLEVEL: 'HEARTH_LOG_LEVEL',
    HEARTH_STORAGE: 'HEARTH_STORAGES',
    HEARTH_PROT: 'HEARTH_PORT',
    HEARTH_PORTS: 'HEARTH_PORT',
    HEARTH_POST: 'HEARTH_HOST or HEARTH_PORT',
    HEARTH_ROLES: 'HEARTH_ROLE',
    HEARTH_TEIR: 'HEARTH_TIER',
  };
  for (const [name, meant] of Object.entries(misspelled)) {
    assert.throws(
      () => checkVariableNames({ [name]: 'hunter2' }),
      (error) => error instanceof ConfigError && error.message === `${name} is not a setting. Did you mean ${meant}?`,
      name,
    );
  }
});

test('all misspelled names are in one message', () => {
  assert.throws(
    () => checkVariableNames({ HEARTH_DATADIR: '/x', HEARTH_FOO: 'x', HEARTH_TEIR: 'free' }),
    /^ConfigError: HEARTH_DATADIR is not a setting\. Did you mean HEARTH_DATA_DIR\? HEARTH_TEIR is .* HEARTH_TIER\?$/,
  );
});

test('variables that Kubernetes sets for services called hearth or hearth-something are ignored', () => {
  for (const prefix of ['HEARTH', 'HEARTH_POSTGRES', 'HEARTH_SITE_2']) {
    const variables: Record<string, string> = {
      [`${prefix}_SERVICE_HOST`]: '10.0.0.1',
      [`${prefix}_SERVICE_PORT`]: '8080',
      [`${prefix}_SERVICE_PORT_HTTP_ALT`]: '8080',
      ...(prefix === 'HEARTH' ? {} : { [`${prefix}_PORT`]: 'tcp://10.0.0.1:8080' }),
    };
    for (const protocol of ['TCP', 'UDP', 'SCTP']) {
      const port = `${prefix}_PORT_8080_${protocol}`;
      variables[port] = `${protocol.toLowerCase()}://10.0.0.1:8080`;
      for (const part of ['PROTO', 'PORT', 'ADDR']) variables[`${port}_${part}`] = 'x';
    }
    assert.deepEqual(checkVariableNames(variables), []);
  }
  assert.equal(checkVariableNames({ HEARTH_POSTGRES_PORT: '5432' }).length, 1);
});

test('every HEARTH_ name in the source is a setting, or is ignored', () => {
  const src = join(import.meta.dirname, '..');
  const production = globSync('**/*.ts', { cwd: src }).filter((file) => !/\.test(ing)?\.ts$/.test(file));
  const names = new Set(
    production.flatMap((file) => readFileSync(join(src, file), 'utf8').match(/\bHEARTH_[A-Z]\w*/g) ?? []),
  );
  assert.ok(names.size >= ENV_VARIABLE_NAMES.length);
  assert.deepEqual(checkVariableNames(Object.fromEntries([...names].map((name) => [name, 'x']))), []);
});
