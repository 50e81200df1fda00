import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Endpoint } from '#http/endpoint/endpoint.ts';
import { declaredParameters } from '#http/server/pipeline/handle.ts';
import { pathParameters } from '#http/server/routing/paths.ts';
import { fullPath } from '#http/server/routing/registry.ts';
import { allExamples, ourShare } from './examples/all.ts';
import { ask } from './examples/call.ts';
import type { Example } from './examples/example.ts';
import { createCallers, createScene } from './examples/scene.ts';
import type { Answer } from './support/caller.ts';
import { world } from './support/world.ts';

// Ids in paths that name nothing (contract/conventions.md §2), in every place of every endpoint that takes an id.

const here = await world();
const scene = await createScene(here, await createCallers(here), 'private');

const NOTHING = ['0', '-1', '9007199254740993', '99999999999999999999', '-99999999999999999999'];
const WORDS = ['abc', '1.5', '1x', '0x1', '1.json'];

/** Tokens by whose number nobody learns whether they are there: 401 in place of 404 (contract/conventions.md §10). */
const SECRETIVE = new Set([
  'readPersonalAccessToken',
  'rotatePersonalAccessToken',
  'rotateProjectAccessToken',
  'rotateGroupAccessToken',
]);

/** Jobs as their runners speak of them: who has no job's token learns of none (contract/runners.md §3.5). */
const OF_RUNNERS = new Set(['updateJob', 'appendTrace', 'uploadArtifacts', 'downloadDependency']);

/** Who asks has signed which id he wants, and has not signed this one (contract/operations.md §3.3). */
const SIGNED = new Set(['retrieveReplicable']);

function takesId(endpoint: Endpoint, { path = {} }: Example, name: string): boolean {
  if (endpoint.root) return false;
  return typeof path[name] === 'number' || (name === 'id' && /^\/(projects|groups)\//.test(endpoint.path));
}

function call(endpoint: Endpoint, example: Example, name: string, value: string): Promise<Answer> {
  return ask(here, endpoint, { ...example, path: { ...example.path, [name]: value } }, scene.callers[example.by]);
}

const noRoute = { error: '404 Not Found' };
/** That of certificates has words of its own (contract/operations.md §4). */
const NOT_FOUND = /^(404 (\w+ )*Not [Ff]ound|SSH Certificate not found)$/;

// All are made before the first test is declared: tests begin to run as soon as something is awaited.
const calls: (readonly [Endpoint, Example])[] = [];
for (const { endpoint, builds } of ourShare(await allExamples(here.server.registry))) {
  calls.push([endpoint, await builds[0](scene)]);
}

for (const [endpoint, example] of calls) {
  for (const { name, pattern } of pathParameters(fullPath(endpoint))) {
    if (!takesId(endpoint, example, name)) continue;
    const isSecret = SECRETIVE.has(endpoint.name) && name === pathParameters(endpoint.path).at(-1)?.name;
    const isInteger = name in declaredParameters(endpoint);

    test(`${endpoint.name}: a number as :${name} that nothing has`, async () => {
      for (const value of NOTHING) {
        const { status, body, text } = await call(endpoint, example, name, value);
        const told = `${value}: ${text}`;
        if (SIGNED.has(endpoint.name)) {
          assert.deepEqual([status, body], [401, { message: '401 Unauthorized' }], told);
          continue;
        }
        if (OF_RUNNERS.has(endpoint.name)) {
          assert.deepEqual([status, body], [403, { message: '403 Forbidden' }], told);
          continue;
        }
        assert.equal(status, isSecret ? 401 : 404, told);
        if (pattern !== undefined && value.startsWith('-')) assert.deepEqual(body, noRoute, told);
        else if (endpoint.method !== 'HEAD' && !isSecret) assert.match(body.message, NOT_FOUND, told);
      }
    });

    test(`${endpoint.name}: a :${name} that is no number`, async () => {
      for (const value of WORDS) {
        const { status, body, text } = await call(endpoint, example, name, value);
        const told = `${value}: ${text}`;
        if (SIGNED.has(endpoint.name)) assert.equal(status, 401, told);
        else if (pattern !== undefined) assert.deepEqual([status, body], [404, noRoute], told);
        else if (isInteger) assert.deepEqual([status, body], [400, { error: `${name} is invalid` }], told);
        else if (endpoint.method === 'HEAD') assert.equal(status, 404);
        else assert.match(body.message, NOT_FOUND, told);
      }
    });
  }
}
