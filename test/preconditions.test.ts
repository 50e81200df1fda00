import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Endpoint } from '#http/endpoint/endpoint.ts';
import { getFullPath, replaceParameters } from '#http/server/routing/paths.ts';
import { allExamples, ourShare } from './examples/all.ts';
import { ask } from './examples/call.ts';
import type { CallerName, Example } from './examples/example.ts';
import { createCallers, createScene } from './examples/scene.ts';
import type { TestResponse } from './support/caller.ts';
import { world } from './support/world.ts';

// If-Unmodified-Since on every DELETE that the contract names (contract/conventions.md §5, 412). All formats of its date:
// src/http/server/pipeline/precondition.unit.test.ts.

const here = await world();
const scene = await createScene(here, await createCallers(here), 'private');
const all = await allExamples(here.server.registry);
const conditional = all.filter(({ endpoint }) => endpoint.lastModified !== undefined);

const shapeOf = (path: string) => replaceParameters(path, () => ':');

/** The routes that the route tables mark as "conditional". */
const namedByContract = new Set(
  ['endpoints.tsv', 'endpoints-everyday-more.tsv']
    .flatMap((name) => readFileSync(join(import.meta.dirname, '../contract', name), 'utf8').split('\n'))
    .map((line) => line.split('\t'))
    .filter(([, , method, , , note]) => method === 'DELETE' && /\bconditional\b/.test(note ?? ''))
    .map(([, , , path = '']) => shapeOf(path)),
);

const describeRoute = ({ method, path }: Endpoint) => `${method} ${path}`;

test('the endpoints with a precondition are those that the route table marks as conditional', () => {
  const named = all.filter(
    ({ endpoint }) => endpoint.method === 'DELETE' && namedByContract.has(shapeOf(getFullPath(endpoint))),
  );
  assert.deepEqual(
    conditional.map(({ endpoint }) => describeRoute(endpoint)),
    named.map(({ endpoint }) => describeRoute(endpoint)),
  );
});

const EARLIER = 'Mon, 01 Jan 2001 00:00:00 GMT';
const LATER = 'Fri, 01 Jan 2100 00:00:00 GMT';

function since(
  endpoint: Endpoint,
  example: Example,
  value: string,
  by: CallerName = example.by,
): Promise<TestResponse> {
  const headers = { ...example.headers, 'If-Unmodified-Since': value };
  return ask(here, endpoint, { ...example, headers }, scene.callers[by]);
}

for (const { endpoint, builds } of ourShare(conditional)) {
  const [build] = builds;
  const done = endpoint.response.status;

  test(`${endpoint.name}: returns 412 for an earlier time to callers who may delete, and deletes for a later time`, async () => {
    const example = await build(scene);
    // Endpoints that authenticate by credentials in the request have no caller.
    const strangers = endpoint.access.audience === 'tokenHolder' ? [] : (['anonymous', 'stranger'] as const);
    for (const by of strangers) {
      const { status, text } = await since(endpoint, example, EARLIER, by);
      assert.ok([401, 403, 404].includes(status), text);
    }
    const { status, body } = await since(endpoint, example, EARLIER);
    assert.deepEqual([status, body], [412, { message: '412 Precondition Failed' }]);
    const later = await since(endpoint, example, LATER);
    assert.equal(later.status, done, later.text);
  });
}
