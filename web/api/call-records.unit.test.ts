import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import type { CallRecord } from './call.ts';
import { addRecord, toCommand } from './call-records.ts';

const session = { origin: 'https://hearth.test', basePath: '/forge' };
const record: CallRecord = { method: 'GET', url: '/api/v4/user', body: null, status: 200, milliseconds: 3, size: 7 };

/** Returns the arguments that `curl` gets from a shell. */
function runInShell(command: string): string[] {
  const script = `TOKEN=secret; curl() { printf '%s\\0' "$@"; }; ${command}`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
}

const TOKEN = ['--header', 'PRIVATE-TOKEN: secret'];

test('the command of a call repeats it, whatever its texts contain', () => {
  assert.deepEqual(runInShell(toCommand(record, session)), [...TOKEN, 'https://hearth.test/forge/api/v4/user']);
  const body = JSON.stringify({ title: `it's $(touch /tmp/x) \`id\` "\\" $TOKEN\n;&|` });
  assert.deepEqual(
    runInShell(toCommand({ ...record, method: 'POST', url: "/api/v4/x'y?z=1&a=$(id)", body }, session)),
    ['--request', 'POST', ...TOKEN, '--json', body, "https://hearth.test/forge/api/v4/x'y?z=1&a=$(id)"],
  );
});

test('the command of a form names its fields', () => {
  const form = { ...record, method: 'POST', body: ['file', "a'b"] };
  assert.deepEqual(runInShell(toCommand(form, session)).slice(2, -1), [
    ...TOKEN,
    '--form',
    'file=...',
    '--form',
    "a'b=...",
  ]);
});

test('the newest 200 calls are shown', () => {
  let records: readonly CallRecord[] = [];
  for (let size = 1; size <= 300; size++) records = addRecord(records, { ...record, size });
  assert.deepEqual([records.length, records[0]!.size, records.at(-1)!.size], [200, 101, 300]);
});
