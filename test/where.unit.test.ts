import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { resourceModules } from '#api/index.ts';
import { createRegistry } from '#http/server/routing/registry.ts';
import { findDeclaration } from '../scripts/endpoint-declarations.ts';
import { formatEndpointSources } from '../scripts/endpoint-sources.ts';
import { locateEndpoint } from '../scripts/where.ts';

const root = join(import.meta.dirname, '..');
const registry = createRegistry(resourceModules);

test('finds the declaration by method and path, with or without /api/v4', () => {
  const requests = [
    ['GET', '/version'],
    ['get', '/api/v4/version?x=1'],
    ['HEAD', 'version'],
  ];
  for (const request of requests) {
    const { found, text } = locateEndpoint(request);
    assert.ok(found, text);
    const [, file = '', line = ''] = /^(\S+):(\d+) {2}getVersion$/.exec(text) ?? [];
    assert.match(
      readFileSync(join(root, file), 'utf8').split('\n')[Number(line) - 1] ?? '',
      /^export const getVersion /,
    );
  }
});

test('finds a line that declares the name, for every endpoint', () => {
  for (const endpoint of registry.endpoints) {
    const declaration = findDeclaration(endpoint);
    assert.ok(declaration, `${endpoint.folder}: ${endpoint.name} has no declaration`);
    const { source, line } = declaration;
    const lines = readFileSync(join(root, 'src/api', source), 'utf8').split('\n');
    const text = lines[line - 1] ?? '';
    assert.match(text, new RegExp(`\\b${endpoint.htmlOnly ? 'webPages' : endpoint.name}\\b`), `${source}:${line}`);
    assert.match(text, /^export const |^ {2}(\w+: )?\w+,$/, `${source}:${line}`);
    assert.equal(endpoint.source, source, `${endpoint.name}: run npm run api`);
  }
});

test('endpoint-sources.ts matches the declarations', () => {
  const written = readFileSync(join(root, 'src/api/endpoint-sources.ts'), 'utf8');
  assert.equal(written, formatEndpointSources(registry), 'run npm run api');
});

test('finds a path outside /api/v4 and prints it', () => {
  const script = join(root, 'scripts/where.ts');
  const output = execFileSync(process.execPath, [script, 'GET', '/-/liveness'], { cwd: root, encoding: 'utf8' });
  assert.match(output, /^src\/api\/instance\/health\/endpoints\.ts:\d+ {2}getLiveness\n$/);
});

test('explains what to do when no endpoint matches', () => {
  const rows: [request: string[], help: RegExp][] = [
    [['PATCH', '/version'], /Methods of this path: GET, HEAD/],
    [['GET', '/no/such/thing'], /No endpoint answers \/no\/such\/thing/],
    [['GET', '/projects/group/project/nothing'], /group%2Fproject/],
    [[], /Usage: npm run where/],
  ];
  for (const [request, help] of rows) {
    const { found, text } = locateEndpoint(request);
    assert.equal(found, false);
    assert.match(text, help);
  }
});
