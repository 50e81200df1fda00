import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DataDirectoryInUse, lockDataDirectory } from './data-directory-lock.ts';

const directory = mkdtempSync(join(tmpdir(), 'hearth-lock-'));
after(() => rmSync(directory, { recursive: true, force: true }));

test('rejects a second server on a data directory until the first one releases it', () => {
  const release = lockDataDirectory(directory);
  assert.throws(() => lockDataDirectory(directory), DataDirectoryInUse);
  release();
  lockDataDirectory(directory)();
});

test('takes over the lock of a killed process', async () => {
  const code = `
    const { lockDataDirectory } = await import(${JSON.stringify(import.meta.resolve('./data-directory-lock.ts'))});
    globalThis.held = lockDataDirectory(${JSON.stringify(directory)});
    console.log('locked');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  assert.throws(() => lockDataDirectory(directory), DataDirectoryInUse);
  child.kill('SIGKILL');
  await once(child, 'exit');
  lockDataDirectory(directory)();
});
