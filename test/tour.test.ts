import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { world } from './support/world.ts';

const root = join(import.meta.dirname, '..');
const tour = /```sh tour\n([\s\S]*?)```/.exec(readFileSync(join(root, 'README.md'), 'utf8'))?.[1] ?? '';

/** A tarball has no history to push, a shallow clone only a part of it. */
const pushable = existsSync(join(root, '.git')) && !existsSync(join(root, '.git/shallow'));

test('the tour of the README works when it is pasted', { skip: !pushable }, async () => {
  const { server, root: administrator } = await world();
  const [first = '', ...rest] = tour.split('\n');
  assert.match(first, /^export HEARTH=\S+ TOKEN=\$\(.*\)$/);
  const script = [`export TOKEN=${administrator.token} HEARTH=${server.address}`, 'set -e', ...rest].join('\n');
  const said = await paste(script);
  assert.match(said, /"path_with_namespace":"root\/hearth"/);
  assert.match(said, /"file_path":"greeting.txt","branch":"main"/);
  assert.match(said, /"lines":\["# Hearth"/);
  assert.match(said, /"name":"main"/);
});

function paste(script: string): Promise<string> {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' };
  return new Promise((resolve, reject) => {
    execFile('bash', ['-c', script], { cwd: root, env, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${error.message}\n${stderr}`));
      else resolve(stdout);
    });
  });
}
