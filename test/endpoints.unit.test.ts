import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { resourceModules } from '#api/index.ts';
import type { Endpoint } from '#http/endpoint/endpoint.ts';
import { getFullPath, replaceParameters } from '#http/server/routing/paths.ts';
import { createRegistry } from '#http/server/routing/registry.ts';

// The route tables in contract/ list every route that Hearth is to serve; nothing else is served. Rows of families that
// test/finished-families does not name may be missing: these families are not implemented completely. The pages of the web
// application are listed in web/addresses.ts.

interface Row {
  readonly family: string;
  readonly method: string;
  readonly path: string;
  readonly auth: string;
}

const lines = (file: string) => readFileSync(join(import.meta.dirname, file), 'utf8').split('\n');

const rows: Row[] = ['../contract/endpoints.tsv', '../contract/endpoints-everyday-more.tsv']
  .flatMap((file) => lines(file).slice(1))
  .filter((line) => line !== '')
  .map((line) => line.split('\t'))
  .map(([family = '', _kind, method = '', path = '', auth = '']) => ({ family, method, path, auth }));

const finished = lines('finished-families').filter((line) => line !== '' && !line.startsWith('#'));
const endpoints = createRegistry(resourceModules).endpoints.filter(({ htmlOnly }) => !htmlOnly);

/**
 * Names of parameters carry no meaning. Some rows stand for several routes: the archive and its suffixes, with and
 * without `.json`, `.git`, `.wiki` or the last slash. A namespace and project at the root are any number of segments.
 */
function shapeOf(method: string, path: string): string {
  const rooted = path
    .replace(/^\/:namespace\/:project(?=[/.])/, '/*project')
    .replace(/^(\/\*\w+?)(\.wiki)?(\.git)?\//, '$1/');
  const shape = replaceParameters(rooted, ({ matchesRest: rest }) => (rest ? '*' : ':'));
  return `${method} ${shape.replace(/archive:$/, 'archive').replace(/(\.json|\.wiki\.git|\/)$/, '')}`;
}

const shapeOfEndpoint = (endpoint: Endpoint) => shapeOf(endpoint.method, getFullPath(endpoint));
const listed = new Map(rows.map((row) => [shapeOf(row.method, row.path), row]));
/** HEAD works on every GET, and has a row of its own only where the specification names it. */
const rowOf = (endpoint: Endpoint) =>
  listed.get(shapeOfEndpoint(endpoint)) ?? listed.get(shapeOfEndpoint(endpoint).replace(/^HEAD /, 'GET '));
const describeEndpoint = (endpoint: Endpoint) =>
  `${endpoint.source} ${endpoint.name}: ${endpoint.method} ${getFullPath(endpoint)}`;

test('every served route is a row', () => {
  const unlisted = endpoints.filter((endpoint) => rowOf(endpoint) === undefined);
  assert.deepEqual(unlisted.map(describeEndpoint), []);
});

test('every row of a finished family is served', () => {
  const served = new Set(endpoints.map(shapeOfEndpoint));
  const isServed = ({ method, path }: Row) => served.has(shapeOf(method === 'HEAD' ? 'GET' : method, path));
  const missing = rows.filter((row) => finished.includes(row.family) && !isServed(row));
  assert.deepEqual(
    missing.map(({ family, method, path }) => `${family}: ${method} ${path}`),
    [],
  );
});

test('every finished family exists', () => {
  const known = new Set(rows.map(({ family }) => family));
  assert.deepEqual(
    finished.filter((family) => !known.has(family)),
    [],
  );
});

const AUTH: Readonly<Record<string, Endpoint['access']['audience']>> = {
  'anonymous-ok': 'open',
  user: 'user',
  admin: 'admin',
  key: 'tokenHolder',
  'token-in-body': 'tokenHolder',
};

test('allows the callers that the row of each endpoint names', () => {
  const wrong = endpoints.filter((endpoint) => {
    const row = rowOf(endpoint);
    if (row === undefined) return false;
    return AUTH[row.auth] !== endpoint.access.audience;
  });
  const say = (endpoint: Endpoint) =>
    `${describeEndpoint(endpoint)} is ${endpoint.access.audience}, its row says ${rowOf(endpoint)?.auth}`;
  assert.deepEqual(wrong.map(say), []);
});

test('no two rows have the same method and path shape', () => {
  assert.equal(listed.size, rows.length);
});
