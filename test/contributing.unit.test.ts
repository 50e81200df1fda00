import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

// The excerpts, paths and names in CONTRIBUTING.md must exist in the files that it names.

const root = join(import.meta.dirname, '..');
const guide = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');

const blocks = [...guide.matchAll(/^```ts\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)].map(([, file = '', code = '']) => ({
  file,
  pieces: code.split(/^\/\/ \.\.\.\n/m),
}));

test('every code sample of the guide occurs in the file that it names, in order', () => {
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

test('every name in the table of keys is exported by the file in its row', () => {
  const unknown: string[] = [];
  for (const [, row = ''] of guide.matchAll(/^\| `[^|]*\|(.*)\|$/gm)) {
    for (const [, before = '', file = ''] of row.matchAll(/(.*?)\(`((?:http|runtime)\/[\w./-]+\.ts)`\)/g)) {
      const text = readFileSync(join(root, 'src', file), 'utf8');
      const names = [...before.matchAll(/`([a-z][^`]*)`/gi)].flatMap(([, code = '']) => namesIn(code));
      unknown.push(...names.filter((name) => !new RegExp(`^export (?:const|function) ${name}\\b`, 'm').test(text)));
    }
  }
  assert.deepEqual(unknown, []);
});

/** Returns `oneOf`, `integer` for `oneOf(...) integer`; none for an object type or a key. */
function namesIn(code: string): string[] {
  if (/[:{]/.test(code.replace(/\(.*?\)/g, ''))) return [];
  return code
    .replace(/\(.*?\)/g, '')
    .split(' ')
    .filter((name) => /^[a-z]\w*$/i.test(name));
}

test('every path in the guide exists', () => {
  const named = [...guide.matchAll(/`((?:src|test|contract)\/[\w./-]+)`/g)].map(([, path = '']) => path);
  // `AREA` stands for the name of an area.
  assert.deepEqual(
    named.filter((path) => !path.includes('AREA') && !existsSync(join(root, path))),
    [],
  );
});
