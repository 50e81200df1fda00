import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { readNewPassword } from './user.ts';

/** A terminal on which a user types these lines, one after each prompt. Records what is written, and when its echo ends. */
function createTerminal(lines: readonly string[]) {
  const events: string[] = [];
  const remaining = [...lines];
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (isRaw: boolean) => void events.push(isRaw ? 'echo off' : 'echo on'),
  }) as unknown as NodeJS.ReadStream;
  const write = (written: string) => {
    events.push(written);
    // A user types after the prompt.
    if (written.endsWith(': ')) setImmediate(() => (stdin as unknown as PassThrough).write(`${remaining.shift()}\r`));
  };
  return { events, context: { env: {}, stdin, stdout: { write }, stderr: { write } } };
}

test('a terminal is prompted twice, with its echo off', async () => {
  const { events, context } = createTerminal(['amber river tuesday', 'amber river tuesday']);
  assert.equal(await readNewPassword(context), 'amber river tuesday');
  assert.deepEqual(events, ['echo off', 'New password: ', '\n', 'Repeat the password: ', '\n', 'echo on']);
});

test('two different or empty passwords are rejected', async () => {
  const different = createTerminal(['amber river tuesday', 'amber river monday']);
  await assert.rejects(readNewPassword(different.context), /^CommandFailed: The two passwords differ/);
  await assert.rejects(readNewPassword(createTerminal(['']).context), /^CommandFailed: No password was given/);
});
