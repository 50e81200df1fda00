import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resourceModules } from '#api/index.ts';
import { hasShape } from '#test/support/response-shapes.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { getDeclaredParameters } from '../server/pipeline/handle.ts';
import { createRegistry } from '../server/routing/registry.ts';
import { getEntityName, readExamples } from './example-reader.ts';

// examples.jsonl is written by `npm run examples`, which calls a server; these tests compare it with the endpoints.

const registry = createRegistry(resourceModules);
const { byOperation, byEntity } = await readExamples(registry);
const endpoints = registry.endpoints.filter(({ outsideApi, method }) => !outsideApi && method !== 'HEAD');
const HINT = 'run `npm run examples`';

test('there is an example of each operation', () => {
  assert.deepEqual([...byOperation.keys()].toSorted(), endpoints.map(({ name }) => name).toSorted(), HINT);
});

test('examples have only parameters that are declared', () => {
  const undeclared = endpoints.flatMap((endpoint) => {
    const names = new Set(Object.keys({ ...getDeclaredParameters(endpoint), ...endpoint.fields }));
    const { params = {} } = byOperation.get(endpoint.name) ?? {};
    return Object.keys(params)
      .filter((name) => !names.has(name.replace(/\[.*$/, '')) && !reads(endpoint))
      .map((name) => `${endpoint.name} ${name}`);
  });
  assert.deepEqual(undeclared, [], HINT);
});

/** Handlers of raw bodies read their fields themselves. */
const reads = ({ body }: Endpoint) => body === 'raw';

test('responses have the shape of their entities', () => {
  const wrong = endpoints.filter((endpoint) => {
    const response = byOperation.get(endpoint.name)?.response;
    return response !== undefined && !hasShape(endpoint.response.schema!, response);
  });
  assert.deepEqual(
    wrong.map(({ name }) => name),
    [],
    HINT,
  );
});

/** Their responses are too long to be shown. */
const WITHOUT_RESPONSE = [
  'getGeoNodeStatus',
  'getGeoSiteStatus',
  'getOpenApiDocument',
  'listGeoNodeStatuses',
  'listGeoSiteStatuses',
  'reportGeoStatus',
];

test('operations with a JSON response have an example of it', () => {
  const withJson = endpoints.filter(({ response }) => response.schema !== null && response.status !== 204);
  const without = withJson.filter((endpoint) => {
    const entity = getEntityName(endpoint);
    return byOperation.get(endpoint.name)?.response === undefined && (entity === undefined || !byEntity.has(entity));
  });
  assert.deepEqual(without.map(({ name }) => name).sort(), WITHOUT_RESPONSE, HINT);
});

test('contain no secrets and no address of the machine that made them', () => {
  const text = JSON.stringify([...byOperation.values()]);
  assert.doesNotMatch(text, /\bgl[a-z]{2,5}-\w|GR1348941|127\.0\.0\.1|localhost/);
});
