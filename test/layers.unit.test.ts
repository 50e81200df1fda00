import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { areas } from '#api/index.ts';
import { golden } from './support/golden.ts';

// Checks the import direction of ARCHITECTURE.md. A layer is a folder of src, an area a folder of src/api, a resource a folder
// of an area.

const src = join(import.meta.dirname, '../src');

/**
 * A layer imports only itself and layers above it here. A path belongs to the longest entry that it starts with. main.ts is in no
 * layer and imports the command line.
 */
const LAYERS = [
  // The addresses of the pages, the only module that the server shares with the web application.
  '../web/addresses.ts',
  'text',
  'config.ts',
  'runtime',
  'database',
  'security',
  // Needs the redaction of security/, which needs the concurrency limiter of runtime/.
  'runtime/log.ts',
  'settings',
  'jobs',
  'blobs',
  'outbound-http',
  'mail',
  'markdown',
  'git',
  'authentication',
  'activity',
  'events',
  'domain',
  'authorization',
  'repositories',
  'rate-limits',
  'backup',
  'http',
  'api',
  'server.ts',
  'replication',
  'cli',
];

/** The layers of src/http. */
const HTTP_LAYERS = [
  'parameters',
  'errors',
  'request',
  'lists',
  'services.ts',
  'access',
  'endpoint',
  'callers',
  'pages',
  'server',
  'documents',
];

/** The areas of src/api, in the order of its index: an area imports only itself and areas before it. */
const AREAS = Object.keys(areas);

/** Layers that may import only some of the layers above them. */
const LIMITED: Record<string, readonly string[]> = {
  events: ['text', 'runtime', 'config.ts', 'database', 'jobs', 'git', 'authentication', 'activity'],
};

interface Import {
  /** Relative to src, `database/page.ts`. */
  readonly from: string;
  /** Relative to src, or the name of a package. */
  readonly to: string;
}

const files = globSync('**/*.ts', { cwd: src }).sort();
const production = files.filter((file) => !isForTests(file));
const imports = production.flatMap((file) => importsOf(file, read(file)));

function read(file: string): string {
  return readFileSync(join(src, file), 'utf8');
}

function isForTests(file: string): boolean {
  return file.endsWith('.test.ts') || file.endsWith('.testing.ts') || file.endsWith('examples.ts');
}

function importsOf(file: string, text: string): Import[] {
  const statements =
    /^\s*(?:import|export)\b[^'";]*?\bfrom\s*'([^']+)'|^\s*import\s*'([^']+)'|\bimport\(\s*'([^']+)'/gm;
  return [...text.matchAll(statements)].map(([, from, bare, dynamic]) => {
    const target = (from ?? bare ?? dynamic)!;
    return { from: file, to: resolveSpecifier(file, target) };
  });
}

/** Returns the path relative to src, or the name of a package. */
function resolveSpecifier(file: string, target: string): string {
  if (/^#(?:test|web)\//.test(target)) return `../${target.slice(1)}`;
  if (target.startsWith('#')) return target.slice(1);
  return target.startsWith('.') ? relative(src, join(src, dirname(file), target)) : target;
}

/** Returns the longest entry of LAYERS that the path starts with, else its first segment. */
function layerOf(path: string): string {
  const matching = LAYERS.filter((layer) => path === layer || path.startsWith(`${layer}/`));
  return matching.sort((one, other) => other.length - one.length)[0] ?? path.split('/')[0]!;
}

/** Returns the folder of src/api that contains the path; files directly in src/api have none. */
function areaOf(path: string): string | undefined {
  const [layer, area, ...rest] = path.split('/');
  return layer === 'api' && rest.length > 0 ? area : undefined;
}

/** Returns for example `namespaces/members`; files directly in an area have none. */
function resourceOf(path: string): string | undefined {
  const [layer, area, resource, ...rest] = path.split('/');
  return layer === 'api' && rest.length > 0 ? `${area}/${resource}` : undefined;
}

function describeImport({ from, to }: Import): string {
  return `src/${from} imports ${to}`;
}

test('a layer imports only layers above it', () => {
  const wrong = imports.filter(({ from, to }) => {
    const [importer, imported] = [LAYERS.indexOf(layerOf(from)), LAYERS.indexOf(layerOf(to))];
    if (importer === -1) return false;
    const insideSrc = files.includes(to);
    return insideSrc && (imported === -1 || imported > importer);
  });
  assert.deepEqual(wrong.map(describeImport), []);
});

test('a restricted layer imports only its allowed layers', () => {
  const wrong = imports.filter(({ from, to }) => {
    const allowed = LIMITED[layerOf(from)];
    return allowed && files.includes(to) && layerOf(to) !== layerOf(from) && !allowed.includes(layerOf(to));
  });
  assert.deepEqual(wrong.map(describeImport), []);
});

test('every folder of src is a layer', () => {
  const folders = new Set(files.filter((file) => file.includes('/')).map(layerOf));
  assert.deepEqual(
    [...folders].filter((folder) => !LAYERS.includes(folder)),
    [],
  );
});

test('a layer of http/ imports only layers of it above', () => {
  const httpLayerOf = (path: string) =>
    path.startsWith('http/') ? HTTP_LAYERS.indexOf(path.split('/')[1]!) : undefined;
  const wrong = imports.filter(({ from, to }) => {
    const [importer, imported] = [httpLayerOf(from), httpLayerOf(to)];
    return importer === -1 || (importer !== undefined && imported !== undefined && imported > importer);
  });
  assert.deepEqual(wrong.map(describeImport), []);
});

test('the values of node:http come from runtime/node-http.ts', () => {
  const importers = production.filter((file) => /^import (?!type )[^;]* from 'node:http';/m.test(read(file)));
  assert.deepEqual(importers, []);
});

test('files do not import each other in a cycle, not even for types', () => {
  const targets = Map.groupBy(imports, ({ from }) => from);
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    assert.ok(!path.includes(file), `a cycle: ${[...path.slice(path.indexOf(file)), file].join(' -> ')}`);
    if (done.has(file)) return;
    for (const { to } of targets.get(file) ?? []) visit(to, [...path, file]);
    done.add(file);
  };
  for (const file of production) visit(file, []);
});

test('an area imports only areas above it', () => {
  const wrong = imports.filter(({ from, to }) => {
    const [importer, imported] = [areaOf(from), areaOf(to)];
    return importer && imported && AREAS.indexOf(imported) > AREAS.indexOf(importer);
  });
  assert.deepEqual(wrong.map(describeImport), []);
});

test('every folder of src/api is an area of its index', () => {
  const folders = new Set(files.map(areaOf).filter((area) => area !== undefined));
  assert.deepEqual([...folders].toSorted(), AREAS.toSorted());
});

test('every import leads to a file', () => {
  const wrong = imports.filter(({ to }) => to.endsWith('.ts') && !to.startsWith('..') && !files.includes(to));
  assert.deepEqual(wrong.map(describeImport), []);
});

test('imports that go up two folders are written from the root', () => {
  const tests = ['test', 'bench', 'scripts'].flatMap((folder) => globSync(`../${folder}/**/*.ts`, { cwd: src }));
  const upTwo = /from '(\.\.\/\.\.\/(?!scripts\/)|\.\.\/src\/)[^']*\.ts'/;
  assert.deepEqual(
    [...files, ...tests].filter((file) => upTwo.test(read(file))),
    [],
  );
});

test('production imports neither tests nor examples, and outside of src only the version and what it shares with the web application', () => {
  const outside = ['../package.json', '../web/addresses.ts', '../web/text/dialect.ts'];
  const wrong = imports.filter(({ to }) => isForTests(to) || (to.startsWith('..') && !outside.includes(to)));
  assert.deepEqual(wrong.map(describeImport), []);
});

test('only the process spawner starts processes', () => {
  const starts = ['git/process/process-spawner.ts', 'git/process/process-spawner-program.ts'];
  const wrong = imports.filter(({ from, to }) => /^(node:)?child_process$/.test(to) && !starts.includes(from));
  assert.deepEqual(wrong.map(describeImport), []);
});

test('only runtime/clock.ts reads the system clock', () => {
  const wrong = production.filter((file) => {
    const code = read(file).replace(/^\s*(\*|\/\/|\/\*).*$/gm, '');
    return file !== 'runtime/clock.ts' && /\bDate\.now\b|\bnew Date\(\s*\)|\bnew Date\b(?!\()/.test(code);
  });
  assert.deepEqual(wrong, []);
});

const resourceImports = imports.filter(({ from, to }) => {
  const [importer, imported] = [resourceOf(from), resourceOf(to)];
  return importer !== undefined && imported !== undefined && importer !== imported;
});

const HEADING =
  '# Which resources (folders of an area of src/api) import which: `from -> to`, through the index.ts of the latter, without cycles.';
const pairs = [...new Set(resourceImports.map(({ from, to }) => `${resourceOf(from)} -> ${resourceOf(to)}`))].sort();

test('resources import each other exactly as resource-imports.txt lists', () => {
  golden(join(import.meta.dirname, 'resource-imports.txt'), `${[HEADING, ...pairs].join('\n')}\n`);
});

test('a resource is imported through its index.ts', () => {
  const wrong = resourceImports.filter(({ to }) => to !== `api/${resourceOf(to)}/index.ts`);
  assert.deepEqual(wrong.map(describeImport), []);
});

test('resources do not import each other in a cycle', () => {
  const targets = new Map<string, string[]>();
  for (const line of pairs) {
    const [from, to] = line.split(' -> ') as [string, string];
    targets.set(from, [...(targets.get(from) ?? []), to]);
  }
  const visit = (resource: string, path: readonly string[]): void => {
    assert.ok(!path.includes(resource), `a cycle: ${[...path, resource].join(' -> ')}`);
    for (const next of targets.get(resource) ?? []) visit(next, [...path, resource]);
  };
  for (const resource of targets.keys()) visit(resource, []);
});

test('detects imports of every form', () => {
  const text = [
    "import type { A } from './a.ts';",
    "import {\n  B,\n} from '../security/b.ts';",
    "export * from './c.ts';",
    "import './d.ts';",
    "import { G } from '#jobs/g.ts';",
    "const e = await import('./e.ts');",
    "import { spawn } from 'node:child_process';",
  ].join('\n');
  const seen = importsOf('database/x.ts', text).map(({ to }) => to);
  assert.deepEqual(seen, [
    'database/a.ts',
    'security/b.ts',
    'database/c.ts',
    'database/d.ts',
    'jobs/g.ts',
    'database/e.ts',
    'node:child_process',
  ]);
});
