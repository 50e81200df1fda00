import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { families } from '#api/index.ts';
import { createRegistry } from '../server/routing/registry.ts';
import { apiText } from './api-text.ts';

test('api.txt is what the endpoints say', () => {
  const written = readFileSync(join(import.meta.dirname, '../../../api.txt'), 'utf8').split('\n');
  const now = apiText(createRegistry(families)).split('\n');
  const gone = written.filter((line) => !now.includes(line));
  const come = now.filter((line) => !written.includes(line));
  assert.deepEqual([...gone.map((line) => `- ${line}`), ...come.map((line) => `+ ${line}`)], [], 'run npm run api');
  assert.deepEqual(written, now, 'run npm run api');
});
