import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { bundleProgram, bundleWeb } from '../scripts/bundler.ts';

const root = join(import.meta.dirname, '..');

function readManifest() {
  const text = readFileSync(join(root, 'package.json'), 'utf8');
  return JSON.parse(text) as { readonly dependencies: object; readonly files: readonly string[] };
}

test('the package installs only the libraries that its bundle does not contain', () => {
  const { dependencies } = readManifest();
  const [, list = ''] = /^export const SEPARATE_LIBRARIES = (\[.*\]);$/m.exec(
    readFileSync(join(root, 'scripts/bundler.ts'), 'utf8'),
  )!;
  assert.deepEqual(Object.keys(dependencies), JSON.parse(list.replaceAll("'", '"')));
});

test('the package downloads in at most 1.7 MB, without source maps', async () => {
  assert.ok(readManifest().files.includes('!dist/*.map'));
  const programs = await bundleProgram({ in: join(root, 'src/main.ts'), out: 'hearth' }, join(root, 'dist'));
  const sizes = [
    ...programs.map(({ path, contents }) => (path.endsWith('.map') ? 0 : gzipSync(contents).byteLength)),
    ...[...(await bundleWeb()).values()].map((content) => brotliCompressSync(content).byteLength),
    ...['README.md', 'CHANGELOG.md', 'SECURITY.md'].map((name) => gzipSync(readFileSync(join(root, name))).byteLength),
  ];
  const total = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(total <= 1_700_000, `${total} bytes`);
});
