import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { wings as listed } from '../src/api/index.ts';
import { golden } from './golden.ts';

// What may import what (ARCHITECTURE.md). A room is a folder of src, a wing one of src/api, a family one of a wing.

const src = join(import.meta.dirname, '../src');

/** A room imports only what stands above it here, and itself. server.ts, main.ts and other files not named import everything. */
const order = [
  'clock.ts',
  'ends.ts',
  'quoted-list.ts',
  'expressions.ts',
  'gate.ts',
  'asked-before.ts',
  'kept.ts',
  'memory-size.ts',
  'refused.ts',
  'json-object.ts',
  'hold.ts',
  'config.ts',
  'database',
  'secrets',
  'log.ts',
  'metrics.ts',
  'settings',
  'background',
  'blobs',
  'outbound',
  'mail',
  'markdown',
  'git',
  'identity',
  'history',
  'facts',
  'access',
  'repositories',
  'limits',
  'backup',
  'http',
  'api',
  'secondary',
];

/** The rooms of src/http: likewise. */
const httpRooms = [
  'api-document.ts',
  'parameters',
  'refusals',
  'request',
  'lists',
  'rooms.ts',
  'access',
  'endpoint',
  'callers',
  'pages',
  'serving',
  'documents',
];

/** The wings of src/api, as its index lists them: one imports only wings before it, and itself. */
const wings = Object.keys(listed);

/** Rooms that are content with less. */
const only: Record<string, readonly string[]> = {
  facts: ['clock.ts', 'gate.ts', 'refused.ts', 'config.ts', 'database', 'background', 'git', 'identity', 'history'],
};

interface Import {
  /** Relative to src, `database/page.ts`. */
  readonly from: string;
  /** Relative to src, or the name of a package. */
  readonly to: string;
}

const files = globSync('**/*.ts', { cwd: src }).sort();
const production = files.filter((file) => !isForTests(file));
const imports = production.flatMap((file) => importsOf(file, readFileSync(join(src, file), 'utf8')));

function isForTests(file: string): boolean {
  return file.endsWith('.test.ts') || file.endsWith('.testing.ts') || file.endsWith('examples.ts');
}

function importsOf(file: string, text: string): Import[] {
  const statements =
    /^\s*(?:import|export)\b[^'";]*?\bfrom\s*'([^']+)'|^\s*import\s*'([^']+)'|\bimport\(\s*'([^']+)'/gm;
  return [...text.matchAll(statements)].map(([, from, bare, dynamic]) => {
    const target = (from ?? bare ?? dynamic)!;
    return { from: file, to: target.startsWith('.') ? relative(src, join(src, dirname(file), target)) : target };
  });
}

/** The first folder, or the file itself when it stands in src directly. */
function roomOf(path: string): string {
  return path.split('/')[0]!;
}

/** The folder of src/api that a path lies in; files directly in src/api belong to none. */
function wingOf(path: string): string | undefined {
  const [room, wing, ...rest] = path.split('/');
  return room === 'api' && rest.length > 0 ? wing : undefined;
}

/** `places/members`; files directly in a wing belong to none. */
function familyOf(path: string): string | undefined {
  const [room, wing, family, ...rest] = path.split('/');
  return room === 'api' && rest.length > 0 ? `${wing}/${family}` : undefined;
}

function say({ from, to }: Import): string {
  return `src/${from} imports ${to}`;
}

test('a room imports only rooms above it', () => {
  const wrong = imports.filter(({ from, to }) => {
    const [importer, imported] = [order.indexOf(roomOf(from)), order.indexOf(roomOf(to))];
    if (importer === -1) return false;
    const insideSrc = files.includes(to);
    return insideSrc && (imported === -1 || imported > importer);
  });
  assert.deepEqual(wrong.map(say), []);
});

test('rooms that are content with less stay so', () => {
  const wrong = imports.filter(({ from, to }) => {
    const allowed = only[roomOf(from)];
    return allowed && files.includes(to) && roomOf(to) !== roomOf(from) && !allowed.includes(roomOf(to));
  });
  assert.deepEqual(wrong.map(say), []);
});

test('every folder of src is a room of the list', () => {
  const folders = new Set(files.filter((file) => file.includes('/')).map(roomOf));
  assert.deepEqual(
    [...folders].filter((folder) => !order.includes(folder)),
    [],
  );
});

test('a room of http/ imports only rooms of it above', () => {
  const roomIn = (path: string) => (path.startsWith('http/') ? httpRooms.indexOf(path.split('/')[1]!) : undefined);
  const wrong = imports.filter(({ from, to }) => {
    const [importer, imported] = [roomIn(from), roomIn(to)];
    return importer === -1 || (importer !== undefined && imported !== undefined && imported > importer);
  });
  assert.deepEqual(wrong.map(say), []);
});

test('files do not import each other in a circle, be it for types alone', () => {
  const targets = Map.groupBy(imports, ({ from }) => from);
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    assert.ok(!path.includes(file), `a circle: ${[...path.slice(path.indexOf(file)), file].join(' -> ')}`);
    if (done.has(file)) return;
    for (const { to } of targets.get(file) ?? []) visit(to, [...path, file]);
    done.add(file);
  };
  for (const file of production) visit(file, []);
});

test('a wing imports only wings above it', () => {
  const wrong = imports.filter(({ from, to }) => {
    const [importer, imported] = [wingOf(from), wingOf(to)];
    return importer && imported && wings.indexOf(imported) > wings.indexOf(importer);
  });
  assert.deepEqual(wrong.map(say), []);
});

test('every folder of src/api is a wing of the list', () => {
  const folders = new Set(files.map(wingOf).filter((wing) => wing !== undefined));
  assert.deepEqual([...folders].toSorted(), wings.toSorted());
});

test('every import leads to a file', () => {
  const wrong = imports.filter(({ to }) => to.endsWith('.ts') && !to.startsWith('..') && !files.includes(to));
  assert.deepEqual(wrong.map(say), []);
});

test('production imports neither tests nor examples nor anything outside of src', () => {
  const wrong = imports.filter(({ to }) => isForTests(to) || (to.startsWith('..') && to !== '../package.json'));
  assert.deepEqual(wrong.map(say), []);
});

test('only what git/spawn.ts asks starts processes', () => {
  const starts = ['git/start.ts', 'git/starter.ts', 'git/starter-program.ts'];
  const wrong = imports.filter(({ from, to }) => /^(node:)?child_process$/.test(to) && !starts.includes(from));
  assert.deepEqual(wrong.map(say), []);
});

test('only clock.ts asks the machine for the time', () => {
  const wrong = production.filter((file) => {
    const code = readFileSync(join(src, file), 'utf8').replace(/^\s*(\*|\/\/|\/\*).*$/gm, '');
    return file !== 'clock.ts' && /\bDate\.now\b|\bnew Date\(\s*\)|\bnew Date\b(?!\()/.test(code);
  });
  assert.deepEqual(wrong, []);
});

const familyImports = imports.filter(({ from, to }) => {
  const [importer, imported] = [familyOf(from), familyOf(to)];
  return importer !== undefined && imported !== undefined && importer !== imported;
});

const HEADING =
  '# Which families (folders of a wing of src/api) import which: `from -> to`, through the index.ts of the latter, without cycles.';
const pairs = [...new Set(familyImports.map(({ from, to }) => `${familyOf(from)} -> ${familyOf(to)}`))].sort();

test('families import each other only as family-imports.txt says, and it says no more', () => {
  golden(join(import.meta.dirname, 'family-imports.txt'), `${[HEADING, ...pairs].join('\n')}\n`);
});

test('a family is imported through its index.ts', () => {
  const wrong = familyImports.filter(({ to }) => to !== `api/${familyOf(to)}/index.ts`);
  assert.deepEqual(wrong.map(say), []);
});

test('families do not import each other in a circle', () => {
  const targets = new Map<string, string[]>();
  for (const line of pairs) {
    const [from, to] = line.split(' -> ') as [string, string];
    targets.set(from, [...(targets.get(from) ?? []), to]);
  }
  const visit = (family: string, path: readonly string[]): void => {
    assert.ok(!path.includes(family), `a circle: ${[...path, family].join(' -> ')}`);
    for (const next of targets.get(family) ?? []) visit(next, [...path, family]);
  };
  for (const family of targets.keys()) visit(family, []);
});

test('imports of every form are seen', () => {
  const text = [
    "import type { A } from './a.ts';",
    "import {\n  B,\n} from '../secrets/b.ts';",
    "export * from './c.ts';",
    "import './d.ts';",
    "const e = await import('./e.ts');",
    "import { spawn } from 'node:child_process';",
  ].join('\n');
  const seen = importsOf('database/x.ts', text).map(({ to }) => to);
  assert.deepEqual(seen, [
    'database/a.ts',
    'secrets/b.ts',
    'database/c.ts',
    'database/d.ts',
    'database/e.ts',
    'node:child_process',
  ]);
});
