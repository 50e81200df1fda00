import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getValueAtPath, isMapping, parseMapping } from './attribute-mapping.ts';

const at = (...path: (string | number)[]) => ({ path, type: 'string' as const });

test('accepts a mapping of alert fields, each with a path and a type', () => {
  for (const mapping of [
    {},
    { title: at('alert', 'name') },
    { hosts: { path: ['hosts', 0], type: 'array', label: 'Hosts' } },
    { end_time: { path: ['ends'], type: 'datetime', label: null } },
    { service_environment_name: at('env'), gitlab_environment_name: { path: ['e'], type: 'number' } },
  ]) {
    assert.ok(isMapping(mapping), JSON.stringify(mapping));
  }
});

test('rejects mappings that do not match the schema exactly', () => {
  for (const wrong of [
    null,
    [],
    'title',
    { name: at('a') },
    { title: null },
    { title: ['a'] },
    { title: { path: ['a'] } },
    { title: { type: 'string' } },
    { title: { path: [], type: 'string' } },
    { title: { path: 'a', type: 'string' } },
    { title: { path: [1.5], type: 'string' } },
    { title: { path: [null], type: 'string' } },
    { title: { path: ['a'], type: 'object' } },
    { title: { path: ['a'], type: 'string', label: 1 } },
    { title: { path: ['a'], type: 'string', more: true } },
    { toString: at('a') },
    { title: at(...new Array(101).fill('a')) },
  ]) {
    assert.ok(!isMapping(wrong), JSON.stringify(wrong));
  }
});

test('resolves paths through objects by name and through arrays by index only', () => {
  const payload = { alert: { hosts: ['db1', { name: 'db2' }], 0: 'zero', none: null } };
  assert.equal(getValueAtPath(payload, ['alert', 'hosts', 0]), 'db1');
  assert.equal(getValueAtPath(payload, ['alert', 'hosts', 1, 'name']), 'db2');
  assert.equal(getValueAtPath(payload, ['alert', 'none']), null);
  for (const path of [
    ['alert', 'hosts', 2],
    ['alert', 'hosts', -1],
    ['alert', 'hosts', '0'],
    ['alert', 'hosts', 'length'],
    ['alert', 0],
    ['alert', 'none', 'x'],
    ['alert', 'hosts', 0, 0],
    ['toString'],
    ['__proto__', 'toString'],
  ]) {
    assert.equal(getValueAtPath(payload, path), undefined, JSON.stringify(path));
  }
});

test('the environment is mapped under either name, and its own one holds', () => {
  const both = { service_environment_name: at('own'), gitlab_environment_name: at('other') };
  assert.deepEqual(parseMapping(JSON.stringify(both)), { service_environment_name: at('own') });
  const turned = { gitlab_environment_name: at('other'), service_environment_name: at('own') };
  assert.deepEqual(parseMapping(JSON.stringify(turned)), { service_environment_name: at('own') });
  const alone = { gitlab_environment_name: at('other') };
  assert.deepEqual(parseMapping(JSON.stringify(alone)), { service_environment_name: at('other') });
});
