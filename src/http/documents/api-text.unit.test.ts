import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { resourceModules } from '#api/index.ts';
import { createRegistry, type Registry } from '../server/routing/registry.ts';
import { formatEndpoints, formatParameters } from './api-text.ts';

const files: readonly [name: string, format: (registry: Registry) => string][] = [
  ['api.txt', formatEndpoints],
  ['api-parameters.txt', formatParameters],
];

for (const [name, format] of files) {
  test(`${name} matches the endpoints`, () => {
    const written = readFileSync(join(import.meta.dirname, '../../..', name), 'utf8').split('\n');
    const expected = format(createRegistry(resourceModules)).split('\n');
    const known = [new Set(written), new Set(expected)] as const;
    const removed = written.filter((line) => !known[1].has(line)).map((line) => `- ${line}`);
    const added = expected.filter((line) => !known[0].has(line)).map((line) => `+ ${line}`);
    assert.deepEqual([...removed, ...added], [], 'run npm run api');
    assert.deepEqual(written, expected, 'run npm run api');
  });
}
