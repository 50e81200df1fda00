import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { where } from '../scripts/where.ts';

const root = join(import.meta.dirname, '..');

test('a method and a path, with or without /api/v4, lead to the line of the declaration', () => {
  const asked = [
    ['GET', '/version'],
    ['get', '/api/v4/version?x=1'],
    ['HEAD', 'version'],
  ];
  for (const words of asked) {
    const { found, text } = where(words);
    assert.ok(found, text);
    const [, file = '', line = ''] = /^(\S+):(\d+) {2}readVersion$/.exec(text) ?? [];
    assert.match(
      readFileSync(join(root, file), 'utf8').split('\n')[Number(line) - 1] ?? '',
      /^export const readVersion /,
    );
  }
});

test('a path of the root is found too, and the command says so', () => {
  const script = join(root, 'scripts/where.ts');
  const said = execFileSync(process.execPath, [script, 'GET', '/-/liveness'], { cwd: root, encoding: 'utf8' });
  assert.match(said, /^src\/api\/instance\/health\/endpoints\.ts:\d+ {2}readLiveness\n$/);
});

test('what nobody answers ends with a word of help', () => {
  const rows: [words: string[], help: RegExp][] = [
    [['PATCH', '/version'], /the path knows GET, HEAD/],
    [['GET', '/no/such/thing'], /No endpoint answers \/no\/such\/thing/],
    [['GET', '/projects/group/project/nothing'], /group%2Fproject/],
    [[], /Usage: npm run where/],
  ];
  for (const [words, help] of rows) {
    const { found, text } = where(words);
    assert.equal(found, false);
    assert.match(text, help);
  }
});
