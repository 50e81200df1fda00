import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { START_UP_SETTINGS } from '#config.ts';

const root = join(import.meta.dirname, '../..');
const HEADING = '| Variable | Default | Meaning |\n|---|---|---|\n';

test('the documentation has the table of all start-up settings', () => {
  const files = ['README.md', ...globSync('docs/**/*.md', { cwd: root })];
  const texts = files.map((file) => readFileSync(join(root, file), 'utf8'));
  const tables = texts.flatMap((text) =>
    text
      .split(HEADING)
      .slice(1)
      .map((rest) => rest.split('\n\n')[0]!.trim()),
  );
  const rows = Object.entries(START_UP_SETTINGS).map(([name, setting]) => {
    const unset = 'default' in setting ? setting.default : setting.whenUnset;
    return `| \`${name}\` | ${unset} | ${setting.description} |`;
  });
  assert.ok(tables.length > 0, 'No table of settings was found');
  for (const table of tables) assert.equal(table, rows.join('\n'));
});

test('the README never runs the package of another owner', () => {
  for (const file of ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...globSync('docs/**/*.md', { cwd: root })])
    assert.doesNotMatch(
      readFileSync(join(root, file), 'utf8'),
      /\bnpx (-\S+ )*hearth\b|npm (i|install) (-\S+ )*hearth\b/,
      file,
    );
});
