import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { resourceModules } from '#api/index.ts';
import { createRegistry } from '#http/server/routing/registry.ts';
import { listLanguages } from '#web/text/languages.ts';
import { bundleWeb } from '../../scripts/bundler.ts';
import { formatClientTypes } from '../../scripts/client-types.ts';
import { formatLaterPages, formatPageIndex, formatPages } from '../../scripts/pages.ts';

// The sources of the web application as a whole: its size, what imports what, and its generated files.

const web = join(import.meta.dirname, '../../web');

test('scripts, style sheet, worker and each language stay small', async () => {
  const files = [...(await bundleWeb())];
  const limits: [file: RegExp, maxBytes: number, count: number][] = [
    [/^chunk-.+\.js$/, 70_000, 1],
    [/^later-.+\.js$/, 50_000, 1],
    [/^app-.+\.css$/, 10_000, 1],
    [/^markup-.+\.js$/, 60_000, 1],
    [/^language-.+\.js$/, 5_000, listLanguages().length],
  ];
  for (const [file, maxBytes, count] of limits) {
    const found = files.filter(([name]) => file.test(name));
    assert.equal(found.length, count, String(file));
    for (const [name, content] of found) {
      const { byteLength } = gzipSync(content, { level: 9 });
      assert.ok(byteLength <= maxBytes, `${name}: ${byteLength} bytes`);
    }
  }
});

/** A module imports only modules of its own line and of lines above it. */
const LAYERS = [
  'addresses.ts',
  'session.ts',
  'text',
  'api',
  'page.ts',
  'charts',
  'components',
  'layout',
  'pages',
  'main.tsx',
  'render.tsx',
];

/** Library -> the only file that imports it; all files may import the first one. */
const LIBRARIES: readonly (readonly [library: RegExp, file: RegExp])[] = [
  [/^preact/, /./],
  [/^markdown-it$/, /^text\/(?:dialect|markup-worker)\.ts$/],
  [/^highlight\.js\//, /^text\/markup-worker\.ts$/],
  [/^dompurify$/, /^components\/markdown\.tsx$/],
];

const isAllowedLibrary = (target: string, file: string): boolean =>
  LIBRARIES.some(([library, importing]) => library.test(target) && importing.test(file));

const layerOf = (file: string): number => LAYERS.findIndex((layer) => file === layer || file.startsWith(`${layer}/`));

test('modules of the application import upwards only, and pages do not import each other', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: web }).filter((file) => !/\.test\.ts$|\.d\.ts$/.test(file));
  for (const file of files) {
    assert.notEqual(layerOf(file), -1, `${file} is in no layer`);
    const text = readFileSync(join(web, file), 'utf8');
    for (const [, target = ''] of text.matchAll(/^\s*(?:import|export)\b[^'";]*?\bfrom\s*'([^']+)'/gm)) {
      if (!target.startsWith('.')) {
        assert.ok(isAllowedLibrary(target, file), `${file} imports ${target}`);
        continue;
      }
      const imported = relative(web, join(web, dirname(file), target));
      assert.ok(!imported.startsWith('..'), `${file} imports ${imported}`);
      assert.ok(layerOf(imported) <= layerOf(file), `${file} imports ${imported}`);
      const isPage = (path: string) => /^pages\/.+\//.test(path);
      assert.ok(!isPage(file) || !isPage(imported), `the page ${file} imports ${imported}`);
    }
  }
});

test('the generated files are current: npm run api', async () => {
  const generated = {
    'api/operations.ts': await formatClientTypes(createRegistry(resourceModules)),
    'pages.txt': formatPages(),
    'pages/index.ts': formatPageIndex(),
    'pages/later.ts': formatLaterPages(),
  };
  for (const [file, text] of Object.entries(generated)) assert.equal(readFileSync(join(web, file), 'utf8'), text, file);
});

test('only two modules write HTML', () => {
  const writers = globSync('**/*.{ts,tsx}', { cwd: web }).filter((file) =>
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|setHTML|srcdoc|dompurify'/i.test(
      readFileSync(join(web, file), 'utf8'),
    ),
  );
  assert.deepEqual(writers.sort(), ['components/code.tsx', 'components/markdown.tsx']);
});

test('only known modules create policies of Trusted Types', () => {
  const creators = globSync('**/*.{ts,tsx}', { cwd: web }).filter((file) =>
    /createTrustedTypesPolicy\('|createPolicy\(/.test(readFileSync(join(web, file), 'utf8')),
  );
  assert.deepEqual(creators.sort(), ['components/code.tsx', 'components/markup.ts', 'components/trusted-types.ts']);
});
