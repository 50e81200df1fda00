import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Endpoint } from '#http/endpoint/endpoint.ts';
import { replaceParameters } from '#http/server/routing/paths.ts';
import { getFullPath } from '#http/server/routing/registry.ts';
import { allExamples, ourShare } from './examples/all.ts';
import { ask } from './examples/call.ts';
import type { CallerName, Example } from './examples/example.ts';
import { createCallers, createScene } from './examples/scene.ts';
import type { TestResponse } from './support/caller.ts';
import { world } from './support/world.ts';

// If-Unmodified-Since on every DELETE that the contract names (contract/conventions.md §5, 412).

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

const EARLIER = ['Mon, 01 Jan 2001 00:00:00 GMT', '2001-01-01', '2001-01-01T00:00:00Z', '2001-01-01T00:00:00.5+02:00'];
const NO_DATES = ['', 'garbage', '2001-13-45', '0', 'Mon, 99 Foo 2001 00:00:00 GMT'];
const LATER = ['Fri, 01 Jan 2100 00:00:00 GMT', '2100-01-01', '2100-01-01T00:00:00Z'];

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

  test(`${endpoint.name}: returns 412 and deletes nothing for an earlier time`, async () => {
    const example = await build(scene);
    for (const value of EARLIER) {
      const { status, body } = await since(endpoint, example, value);
      assert.deepEqual([status, body], [412, { message: '412 Precondition Failed' }], value);
    }
    assert.equal((await ask(here, endpoint, example, scene.callers[example.by])).status, done);
  });

  test(`${endpoint.name}: deletes for a later time, and ignores an invalid date`, async () => {
    for (const value of [...LATER, ...NO_DATES]) {
      const { status, text } = await since(endpoint, await build(scene), value);
      assert.equal(status, done, `${value}: ${text}`);
    }
  });

  // Endpoints that authenticate by credentials in the request have no caller.
  if (endpoint.access.audience === 'tokenHolder') continue;
  test(`${endpoint.name}: does not reveal the precondition to callers without permission`, async () => {
    const example = await build(scene);
    const [stale = ''] = EARLIER;
    for (const by of ['anonymous', 'stranger'] as const) {
      const { status, text } = await since(endpoint, example, stale, by);
      assert.ok([401, 403, 404].includes(status), text);
    }
    assert.equal((await ask(here, endpoint, example, scene.callers[example.by])).status, done);
  });
}
