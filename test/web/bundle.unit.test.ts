import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { resourceModules } from '#api/index.ts';
import { createRegistry } from '#http/server/routing/registry.ts';
import { bundleWeb } from '../../scripts/bundler.ts';
import { formatClientTypes } from '../../scripts/client-types.ts';
import { formatPageIndex, formatPages } from '../../scripts/pages.ts';

// The sources of the web application as a whole: its size, what imports what, and its generated files.

const web = join(import.meta.dirname, '../../web');

test('the script and the style sheet stay small', async () => {
  const sizes = [...(await bundleWeb())].map(([name, content]) => [name, content.byteLength] as const);
  const sizeOf = (ending: string) => sizes.find(([name]) => name.endsWith(ending))![1];
  assert.ok(sizeOf('.js.gz') <= 70_000, `${sizeOf('.js.gz')} bytes of script`);
  assert.ok(sizeOf('.css.gz') <= 10_000, `${sizeOf('.css.gz')} bytes of style`);
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

const layerOf = (file: string): number => LAYERS.findIndex((layer) => file === layer || file.startsWith(`${layer}/`));

test('modules of the application import upwards only, and pages do not import each other', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: web }).filter((file) => !/\.test\.ts$|\.d\.ts$/.test(file));
  for (const file of files) {
    assert.notEqual(layerOf(file), -1, `${file} is in no layer`);
    const text = readFileSync(join(web, file), 'utf8');
    for (const [, target = ''] of text.matchAll(/^\s*(?:import|export)\b[^'";]*?\bfrom\s*'([^']+)'/gm)) {
      if (!target.startsWith('.')) {
        assert.match(target, /^preact/, `${file} imports ${target}`);
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
  };
  for (const [file, text] of Object.entries(generated)) assert.equal(readFileSync(join(web, file), 'utf8'), text, file);
});

test('no module writes HTML', () => {
  const writers = globSync('**/*.{ts,tsx}', { cwd: web }).filter((file) =>
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write/.test(readFileSync(join(web, file), 'utf8')),
  );
  assert.deepEqual(writers, []);
});
