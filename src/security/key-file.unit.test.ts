import assert from 'node:assert/strict';
import type { KeyObject } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { loadSecretKey } from './key-file.ts';

async function directory(t: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'hearth-key-'));
  t.after(() => rm(path, { recursive: true }));
  return path;
}

const hex = (key: KeyObject) => key.export().toString('hex');

test('the first start creates a key file that only its owner can read', async (t) => {
  const dataDir = join(await directory(t), 'data');
  const key = await loadSecretKey({ dataDir, secretKey: null });
  assert.equal(key.symmetricKeySize, 32);
  assert.deepEqual(await readdir(dataDir), ['secret-key']);
  assert.equal((await stat(join(dataDir, 'secret-key'))).mode & 0o777, 0o600);
  assert.equal(hex(await loadSecretKey({ dataDir, secretKey: null })), hex(key));
});

test('concurrent starts use one key', async (t) => {
  const dataDir = await directory(t);
  const keys = await Promise.all(Array.from({ length: 8 }, () => loadSecretKey({ dataDir, secretKey: null })));
  assert.equal(new Set(keys.map(hex)).size, 1);
  assert.deepEqual(await readdir(dataDir), ['secret-key']);
});

test('the setting takes precedence and no file is created', async (t) => {
  const dataDir = await directory(t);
  assert.equal(hex(await loadSecretKey({ dataDir, secretKey: Buffer.alloc(32, 1) })), '01'.repeat(32));
  assert.deepEqual(await readdir(dataDir), []);
});

test('a file without a key stops the start and is not changed', async (t) => {
  const dataDir = await directory(t);
  await writeFile(join(dataDir, 'secret-key'), 'hunter2\n');
  await assert.rejects(loadSecretKey({ dataDir, secretKey: null }), {
    name: 'ConfigError',
    message: `The key file ${join(dataDir, 'secret-key')} must contain 64 hexadecimal digits`,
  });
});

test('printing the key object does not reveal the key', async (t) => {
  const key = await loadSecretKey({ dataDir: await directory(t), secretKey: Buffer.alloc(32, 0xab) });
  assert.doesNotMatch(JSON.stringify(key) + String(key), /abab/);
});
