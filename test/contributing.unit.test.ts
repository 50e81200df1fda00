import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

// CONTRIBUTING.md shows how to do it by pieces of real files: a piece that no longer stands there is found here.

const root = join(import.meta.dirname, '..');
const guide = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');

const blocks = [...guide.matchAll(/^```ts\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)].map(([, file = '', code = '']) => ({
  file,
  pieces: code.split(/^\/\/ \.\.\.\n/m),
}));

test('every piece of code in the guide stands in the file that it names, in its order', () => {
  assert.ok(blocks.length >= 10);
  for (const { file, pieces } of blocks) {
    const text = readFileSync(join(root, file), 'utf8');
    let from = 0;
    for (const piece of pieces) {
      const at = text.indexOf(piece, from);
      assert.notEqual(at, -1, `${file} does not hold (any more, or in this order)\n${piece}`);
      from = at + piece.length;
    }
  }
});

test('every path that the guide names is there', () => {
  const named = [...guide.matchAll(/`((?:src|test|contract)\/[\w./-]+)`/g)].map(([, path = '']) => path);
  assert.deepEqual(
    named.filter((path) => !existsSync(join(root, path))),
    [],
  );
});
