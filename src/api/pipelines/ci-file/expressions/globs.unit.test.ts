import assert from 'node:assert/strict';
import test from 'node:test';
import { compileGlob } from './paths.ts';

for (const [glob, path, matches] of [
  ['README.md', 'README.md', true],
  ['README.md', 'docs/README.md', false],
  ['*.md', 'README.md', true],
  ['*.md', 'docs/README.md', false],
  ['**/*.md', 'README.md', true],
  ['**/*.md', 'docs/a/b/README.md', true],
  ['**/*.md', 'docs/README.txt', false],
  ['docs/**/*', 'docs/a', true],
  ['docs/**/*', 'docs/a/b', true],
  ['docs/**/*', 'doc/a', false],
  ['docs/**', 'docs/a', true],
  ['docs/**', 'docs/a/b', false],
  ['/README.md', 'README.md', false],
  ['/README.md', '/README.md', true],
  ['docs/**/b', 'docs/b', true],
  ['docs/**/b', 'docs/ab', false],
  ['docs/*', 'docs/a/b', false],
  ['**', 'a', true],
  ['**', 'a/b', false],
  ['**/docs/**', 'a/docs/b', true],
  ['a**b', 'axxb', true],
  ['a**b', 'ax/b', false],
  ['a**/b', 'ax/b', true],
  ['a**/b', 'ax/y/b', false],
  ['src/*.{ts,js}', 'src/a.ts', true],
  ['src/*.{ts,js}', 'src/a.py', false],
  ['{a,b{c,d}}/x', 'bd/x', true],
  ['{a,b{c,d}}/x', 'b/x', false],
  ['{a', '{a', true],
  ['file?', 'file1', true],
  ['file?', 'file/', false],
  ['[a-c].txt', 'b.txt', true],
  ['[a-c].txt', 'd.txt', false],
  ['[!a-c].txt', 'd.txt', true],
  ['[a', '[a', true],
  ['\\*.md', '*.md', true],
  ['\\*.md', 'a.md', false],
  ['.*', '.env', true],
  ['*', '.env', true],
  ['', '', true],
  ['{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}', 'aaaaaaa', false],
] as const) {
  test(`${glob} ${matches ? 'matches' : 'does not match'} ${path}`, () => {
    assert.equal(compileGlob(glob).matches(path), matches);
  });
}

test('matches a glob with many stars in bounded time', () => {
  assert.equal(compileGlob(`${'*a'.repeat(200)}b`).matches('a'.repeat(4000)), false);
  assert.equal(compileGlob(`${'**/a/'.repeat(100)}b`).matches('a/'.repeat(1000)), false);
});
