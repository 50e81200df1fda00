import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { test } from 'node:test';
import type { Services } from '#http/services.ts';
import { world } from '#test/support/world.ts';
import { checkReadiness } from './readiness.ts';

// What monitors ask (contract/conventions.md §10 "Health"): they compare bodies to the letter.

const { anonymous, withToken, root, server } = await world();

test('returns the documented bodies of health, liveness and readiness to anonymous callers', async () => {
  for (const caller of [anonymous, withToken(root, 'glpat-nobody-has-this-one')]) {
    const health = await caller.get('//-/health');
    assert.deepEqual([health.status, health.text, health.headers['content-type']], [200, 'GitLab OK', 'text/plain']);
    const alive = await caller.get('//-/liveness');
    assert.deepEqual([alive.status, alive.text], [200, '{"status":"ok"}']);
    const ready = await caller.get('//-/readiness');
    assert.deepEqual([ready.status, ready.text], [200, '{"status":"ok","master_check":[{"status":"ok"}]}']);
    for (const answer of [health, alive, ready]) assert.equal(answer.headers['cache-control'], 'no-cache');
  }
});

test('lists database and storages in the complete readiness check', async () => {
  const { status, body } = await anonymous.get('//-/readiness?all=1');
  const ok = { status: 'ok' };
  const shard = { status: 'ok', labels: { shard: 'default' } };
  assert.equal(status, 200);
  assert.deepEqual(body, { status: 'ok', master_check: [ok], db_check: [ok], gitaly_check: [shard] });
});

const failed = [{ status: 'failed', message: 'unexpected Master check result: false' }];

test('returns 503 for readiness while the server starts or stops', async () => {
  const services: Services = { ...server.services, isServing: () => false };
  assert.deepEqual(await checkReadiness(services, false), { status: 'failed', master_check: failed });
  assert.equal(server.services.isServing(), true);
});

test('returns 503 for readiness without the database', async () => {
  const { database } = server.services;
  const reader = new Proxy(database.reader, {
    get: () => {
      throw new Error('gone');
    },
  });
  const found = await checkReadiness({ ...server.services, database: { ...database, reader } }, true);
  assert.deepEqual([found.status, found.master_check], ['failed', failed]);
  assert.deepEqual(found.db_check, [{ status: 'failed', message: 'unexpected Db check result: false' }]);
});

test('returns 503 for readiness while the data directory cannot be written, and leaves no file in a writable one', async () => {
  const { config } = server.services;
  const found = await checkReadiness({ ...server.services, config: { ...config, dataDir: '/dev/null/full' } }, false);
  assert.deepEqual(found, { status: 'failed', master_check: failed });
  assert.equal((await checkReadiness(server.services, false)).status, 'ok');
  const names = await readdir(config.dataDir);
  assert.deepEqual(
    names.filter((name) => name.startsWith('.readiness')),
    [],
  );
});

test('stays ready while one storage works, and names the failed ones', async () => {
  const { git } = server.services;
  const storages = { ...git.storages, away: '/dev/null/away' };
  const some = await checkReadiness({ ...server.services, git: { ...git, storages } }, true);
  const [away, left] = some.gitaly_check!;
  assert.equal(some.status, 'ok');
  assert.equal(left!.status, 'ok');
  assert.deepEqual(away, {
    status: 'failed',
    message: 'The storage cannot be used: ENOTDIR',
    labels: { shard: 'away' },
  });
  const none = await checkReadiness(
    { ...server.services, git: { ...git, storages: { away: '/dev/null/away' } } },
    true,
  );
  assert.equal(none.status, 'failed');
  assert.equal((await checkReadiness({ ...server.services, git: { ...git, storages: {} } }, false)).status, 'ok');
});
