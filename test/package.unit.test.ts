import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');

test('the package installs only the libraries that its bundle does not contain', () => {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { dependencies: object };
  const [, list = ''] = /^export const SEPARATE_LIBRARIES = (\[.*\]);$/m.exec(
    readFileSync(join(root, 'scripts/bundler.ts'), 'utf8'),
  )!;
  assert.deepEqual(Object.keys(dependencies), JSON.parse(list.replaceAll("'", '"')));
});
