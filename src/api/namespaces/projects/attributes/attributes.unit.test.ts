import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { projectAttributeNames } from './attributes.ts';

const contract = readFileSync(join(import.meta.dirname, '../../../../../contract/planning.md'), 'utf8');
const section = contract.slice(contract.indexOf('**Project attributes**'), contract.indexOf('Only shown, never set'));

/** Of a later module. */
const NOT_YET = ['avatar'];

/** `forking_, snippets_, wiki_access_level` stands for three names with the same suffix. */
function attributeNamesIn(cell: string): string[] {
  const names = cell.match(/\b[a-z]\w*_?/g) ?? [];
  const ending = names.at(-1)?.replace(/^[a-z]+_/, '') ?? '';
  return names.map((name) => (name.endsWith('_') ? name + ending : name));
}

test('has the attributes of the contract in its order', () => {
  const rows = section.split('\n').filter((line) => /^\| [a-z]/.test(line));
  const cells = rows.map((row) =>
    (row.split('|')[1] ?? '')
      .replace(/`extension`|\(M[^)]*\)|\(old [a-z ]+ /g, ' ')
      .replace(/, its old form.*$/, '')
      .replace(')', ' '),
  );
  const unset = [...section.slice(section.lastIndexOf('| avatar')).matchAll(/`([a-z_]+)`/g)].map(([, name]) => name);
  const named = [...cells.flatMap(attributeNamesIn), ...unset].filter((name) => !NOT_YET.includes(name as string));
  assert.deepEqual([...projectAttributeNames, 'import_url'], [...new Set(named)]);
});
