import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { addServerMetrics } from '#api/instance/health/index.ts';
import { CHECK_NAMES } from '#backup/doctor.ts';
import { ENV_VARIABLE_NAMES } from '#config.ts';
import { createMetrics, type Metrics } from '#runtime/metrics.ts';
import { SETTING_DEFINITIONS } from '#settings/definitions.ts';

// What README and docs/ name must exist, and what exists must be documented.

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const chapters = globSync('docs/*.md', { cwd: root }).sort();
const documents = ['README.md', 'SECURITY.md', ...chapters];

/** Returns the names in backticks in the first column of all tables. */
function listFirstColumn(text: string): string[] {
  const cells = text.split('\n').map((line) => /^\| (.*?) \|/.exec(line)?.[1] ?? '');
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
}

test('docs/settings.md describes every setting once, and no other', () => {
  const names = listFirstColumn(read('docs/settings.md')).filter((name) => name.startsWith('HEARTH_'));
  assert.deepEqual(names.sort(), [...ENV_VARIABLE_NAMES].sort());
});

test('every environment variable that a document names is a setting', () => {
  for (const file of documents) {
    const names = read(file).match(/\bHEARTH_[A-Z_]+[A-Z]\b(?!_)/g) ?? [];
    const unknown = names.filter((name) => !(ENV_VARIABLE_NAMES as readonly string[]).includes(name));
    // The example of a misspelled name.
    assert.deepEqual(
      unknown.filter((name) => name !== 'HEARTH_DATADIR'),
      [],
      file,
    );
  }
});

/** Returns the anchors of a document's headings. */
function listAnchors(text: string): Set<string> {
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replace(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    ),
  );
}

test('every link leads to a file and heading that exist', () => {
  for (const file of documents) {
    for (const [, target = ''] of read(file).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [path = '', anchor] = target.split('#');
      const linked = path === '' ? file : join(dirname(file), path);
      assert.ok(existsSync(join(root, linked)), `${file}: ${target}`);
      if (anchor !== undefined) assert.ok(listAnchors(read(linked)).has(anchor), `${file}: ${target}`);
    }
  }
});

test('the README links to every chapter and has at most 200 lines', () => {
  const readme = read('README.md');
  for (const chapter of chapters) assert.ok(readme.includes(`](${chapter})`), chapter);
  assert.ok(readme.trimEnd().split('\n').length <= 200);
});

test('the documents state the same memory of an idle server, below 120 MB', () => {
  const figures = ['README.md', 'docs/installing.md', 'docs/limits.md'].map((file) => {
    const [, figure] = /(\d+) MB when (?:it is |the server is )?idle after use/.exec(read(file)) ?? [];
    return Number(figure);
  });
  assert.deepEqual(figures, [115, 115, 115]);
});

test('each row of what happens in a failure names an existing test', () => {
  const [, section = ''] = /^## What happens if \.\.\.$([\s\S]*?)^## /m.exec(read('docs/troubleshooting.md'))!;
  const rows = section.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Event |'));
  assert.ok(rows.length >= 15);
  for (const row of rows) {
    const tests = [
      ...row
        .split(' | ')
        .at(-1)!
        .matchAll(/\]\(\.\.\/([^)]+\.test\.ts)\)/g),
    ].map(([, path = '']) => path);
    assert.ok(tests.length > 0, row);
    for (const path of tests) assert.match(read(path), /\b(?:test|attack)\(/, row);
  }
  for (const event of [
    'killed',
    'SIGTERM',
    'disk is full',
    'secret key is lost',
    'PostgreSQL is lost',
    'reads or sends nothing',
  ])
    assert.ok(section.includes(event), event);
});

/** Names of all metrics; none of them is read. */
async function listMetricNames(): Promise<string[]> {
  const added: string[] = [];
  const addName = (name: string) => void added.push(name);
  const services = { config: { storages: {} }, database: {}, git: {} };
  const recorder = { addGauge: addName, addCounter: addName } as unknown as Metrics;
  addServerMetrics(recorder, services as unknown as Parameters<typeof addServerMetrics>[1]);
  const own = [...(await createMetrics().text()).matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name);
  return [...added, ...own];
}

test('docs/monitoring.md describes every metric, and no other', async () => {
  const names = listFirstColumn(read('docs/monitoring.md')).filter((name) =>
    /^(hearth|nodejs|process)_\w+$/.test(name),
  );
  assert.deepEqual(names.sort(), (await listMetricNames()).sort());
});

test('docs/backups.md describes every check of hearth doctor', () => {
  const [, table = ''] = read('docs/backups.md').split('| Check | ');
  assert.deepEqual(listFirstColumn(table.split('\n\n')[0]!), CHECK_NAMES);
});

test('each effect in docs/troubleshooting.md names tests that exist', () => {
  const section = read('docs/troubleshooting.md').split('## What happens if ...')[1]!.split('\n## ')[0]!;
  const rows = section
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1);
  assert.ok(rows.length >= 15);
  for (const row of rows) {
    const paths = [
      ...row
        .split(' | ')
        .at(-1)!
        .matchAll(/\]\(\.\.\/([^)]+\.test\.ts)\)/g),
    ].map(([, path = '']) => path);
    assert.ok(paths.length > 0, row);
    for (const path of paths) assert.ok(existsSync(join(root, path)), path);
  }
});

test('every application setting in the tables of limits exists', () => {
  const limits = read('docs/limits.md').split('## Rate limits')[1]!.split('## Planning')[0]!;
  const names = limits.match(/`[a-z]+_[a-z_]+`/g)!.map((name) => name.slice(1, -1));
  assert.ok(names.length > 10);
  const known = Object.keys(SETTING_DEFINITIONS);
  assert.deepEqual(
    names.filter((name) => !known.includes(name)),
    [],
  );
});

test('the messages of docs/troubleshooting.md occur in the source', () => {
  const files = [...globSync('src/**/*.ts', { cwd: root }).filter((file) => !/test/.test(file)), 'bin/launcher.js'];
  // Values in messages count as `...`.
  const source = files.map((file) => read(file).replace(/\$\{[^}]*\}/g, '...')).join('\n');
  const table = read('docs/troubleshooting.md').split('## Nobody can sign in')[0]!;
  const messages = listFirstColumn(table).filter((message) => message.includes(' '));
  assert.ok(messages.length >= 10);
  // A sentence that begins with a name, or has a version inside, is written in parts.
  const parts = messages.flatMap((message) => message.split(/\.\.\.|\d+(?:\.\d+)?/)).map((part) => part.trim());
  assert.deepEqual(
    parts.filter((part) => part.length > 7 && !source.includes(part)),
    [],
  );
});

test('no document runs the package of another owner', () => {
  for (const file of ['CONTRIBUTING.md', ...documents])
    assert.doesNotMatch(read(file), /\bnpx (-\S+ )*hearth\b|npm (i|install) (-\S+ )*hearth\b/, file);
});
