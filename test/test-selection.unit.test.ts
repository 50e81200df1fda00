import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { findReachedTests, listChangedFiles } from '../scripts/changed-tests.ts';
import { getPostgresReason, isOnlyInFullRun, type PostgresReason } from '../scripts/test-selection.ts';
import { scratchDirectory } from './engines/scratch.ts';

const root = await scratchDirectory('hearth-selection-');
after(() => rm(root, { recursive: true, force: true }));

const FILES: Readonly<Record<string, string>> = {
  'src/server.ts': "import './api/index.ts';",
  'src/api/index.ts': "import { planning } from './planning/index.ts';",
  'src/api/planning/index.ts': "import './labels/index.ts';\nimport './notes/index.ts';",
  'src/api/planning/labels/index.ts':
    "import * as endpoints from './endpoints.ts';\nexport { name } from './store.ts';",
  'src/api/planning/labels/endpoints.ts': "import { update } from './update.ts';",
  'src/api/planning/labels/update.ts': '',
  'src/api/planning/labels/store.ts':
    "import {\n  fold,\n} from '#text/fold.ts';\nimport type { Row } from '#text/types.ts';",
  'src/api/planning/labels/update.test.ts': "import { world } from '#test/support/world.ts';",
  'src/api/planning/notes/index.ts': "import { name } from '../labels/index.ts';",
  'src/api/planning/notes/list.test.ts': "import { world } from '#test/support/world.ts';",
  'src/text/fold.ts': '',
  'src/text/types.ts': '',
  'src/text/fold.unit.test.ts': "import { fold } from './fold.ts';",
  'test/support/world.ts': "import { startServer } from '#server.ts';",
  'test/scopes.test.ts': "import { world } from './support/world.ts';\nreadFileSync('../contract/scopes.tsv');",
  'test/layers.unit.test.ts': '',
  'contract/scopes.tsv': '',
};

await Promise.all(
  Object.entries(FILES).map(async ([file, text]) => {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), text);
  }),
);

const LABELS = 'src/api/planning/labels/update.test.ts';
const NOTES = 'src/api/planning/notes/list.test.ts';
const FOLD = 'src/text/fold.unit.test.ts';
const LAYERS = 'test/layers.unit.test.ts';
const SCOPES = 'test/scopes.test.ts';

test('a change reaches the tests that import it, those of its folder, and those of all endpoints', () => {
  const cases: Readonly<Record<string, readonly string[]>> = {
    'src/api/planning/labels/update.ts': [LABELS, LAYERS, SCOPES],
    'src/api/planning/labels/store.ts': [LABELS, NOTES, LAYERS, SCOPES],
    'src/text/fold.ts': [LABELS, NOTES, FOLD, LAYERS, SCOPES],
    'src/text/types.ts': [LAYERS],
    'src/server.ts': [LABELS, NOTES, LAYERS, SCOPES],
    'test/support/world.ts': [LABELS, NOTES, LAYERS, SCOPES],
    'contract/scopes.tsv': [LAYERS, SCOPES],
    [NOTES]: [NOTES, LAYERS],
    'README.md': [LAYERS],
  };
  for (const [file, tests] of Object.entries(cases)) assert.deepEqual(findReachedTests(root, [file]), tests, file);
  assert.deepEqual(findReachedTests(root, []), []);
});

test('files count as changed until the upstream branch has their commits', () => {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], { cwd: root });
  git('init', '--quiet', '--initial-branch=main');
  git('add', 'src', 'test');
  git('commit', '--quiet', '--message=first');
  assert.deepEqual(listChangedFiles(root), ['contract/scopes.tsv']);
  git('branch', 'upstream');
  git('checkout', '--quiet', '-b', 'work', '--track', 'upstream');
  git('rm', '--quiet', FOLD);
  git('commit', '--quiet', '--message=second');
  assert.deepEqual(listChangedFiles(root), [FOLD, 'contract/scopes.tsv']);
  git('branch', '--force', 'upstream', 'work');
  assert.deepEqual(listChangedFiles(root), ['contract/scopes.tsv']);
});

test('the quick run leaves out the long suites', () => {
  const hostile = 'src/api/code/archive/hostile-trees.test.ts';
  const archives = 'src/cli/demo-archives.test.ts';
  for (const file of [
    'test/hostile/bodies.unit.test.ts',
    'test/crash/import.test.ts',
    'test/fuzz.test.ts',
    hostile,
    archives,
  ])
    assert.equal(isOnlyInFullRun(file), true, file);
  for (const file of ['test/matrix.test.ts', 'src/api/code/tags/create.test.ts', 'test/language.unit.test.ts'])
    assert.equal(isOnlyInFullRun(file), false, file);
});

test('the quick run uses PostgreSQL for SQL layers, suites with SQL, query plans and tests of races', () => {
  const cases: readonly (readonly [string, string, PostgresReason])[] = [
    ['src/database/page.test.ts', '', 'sql'],
    ['src/repositories/ref-updates/recovery.test.ts', '', 'sql'],
    ['test/activity.test.ts', '', 'sql'],
    ['test/matrix.test.ts', '', 'nothing'],
    ['src/api/environments/environments/query-plans.test.ts', '', 'sql'],
    ['src/api/code/tags/create.test.ts', "test('creates one tag for concurrent requests', async () => {", 'races'],
    ['src/api/code/tags/create.test.ts', "test('creates a tag', async () => {\n  // concurrent\n", 'nothing'],
    ['src/markdown/render.test.ts', '', 'nothing'],
  ];
  for (const [file, text, expected] of cases) assert.equal(getPostgresReason(file, text), expected, `${file} ${text}`);
});
