import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');

function where(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const { promise, resolve } = Promise.withResolvers<{ code: number; out: string; err: string }>();
  execFile(process.execPath, [join(root, 'scripts/where.ts'), ...words], { cwd: root }, (error, out, err) => {
    resolve({ code: error === null ? 0 : Number(error.code), out, err });
  });
  return promise;
}

test('a method and a path, with or without /api/v4, lead to the line of the declaration', async () => {
  const told = await Promise.all([
    where('GET', '/version'),
    where('get', '/api/v4/version?x=1'),
    where('HEAD', 'version'),
  ]);
  for (const { code, out } of told) {
    assert.equal(code, 0);
    const [, file = '', line = ''] = /^(\S+):(\d+) {2}readVersion\n$/.exec(out) ?? [];
    assert.match(
      readFileSync(join(root, file), 'utf8').split('\n')[Number(line) - 1] ?? '',
      /^export const readVersion /,
    );
  }
});

test('a path of the root is found too', async () => {
  assert.match(
    (await where('GET', '/-/liveness')).out,
    /^src\/api\/instance\/health\/endpoints\.ts:\d+ {2}readLiveness\n$/,
  );
});

test('what nobody answers ends with a word of help', async () => {
  const [wrong, unknown, path, nothing] = await Promise.all([
    where('PATCH', '/version'),
    where('GET', '/no/such/thing'),
    where('GET', '/projects/group/project/nothing'),
    where(),
  ]);
  assert.deepEqual([wrong.code, unknown.code, path.code, nothing.code], [1, 1, 1, 1]);
  assert.match(wrong.err, /the path knows GET, HEAD/);
  assert.match(unknown.err, /No endpoint answers \/no\/such\/thing/);
  assert.match(path.err, /group%2Fproject/);
  assert.match(nothing.err, /Usage: npm run where/);
});
