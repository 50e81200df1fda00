import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Endpoint } from '#http/endpoint/endpoint.ts';
import { STAGE_ORDERS } from '#http/endpoint/stages.ts';
import { getDeclaredParameters } from '#http/server/pipeline/handle.ts';
import { getFullPath, parsePathParameters } from '#http/server/routing/paths.ts';
import { allExamples, ourShare } from './examples/all.ts';
import { ask } from './examples/call.ts';
import type { Example } from './examples/example.ts';
import { createCallers, createScene } from './examples/scene.ts';
import type { TestResponse } from './support/caller.ts';
import { world } from './support/world.ts';

// Unknown ids (contract/conventions.md §2) in every path parameter of every endpoint. Each gets one value of each list in turn,
// because the parameter types, not the endpoints, read the values.

const here = await world();
const scene = await createScene(here, await createCallers(here), 'private');

const NOTHING = ['0', '-1', '9007199254740993', '99999999999999999999', '-99999999999999999999'];
const WORDS = ['abc', '1.5', '1x', '0x1', '1.json'];

let turn = 0;
/** Returns the next value of a list. */
const inTurn = (values: readonly string[]) => values[turn % values.length]!;

function takesId(endpoint: Endpoint, { path = {} }: Example, name: string): boolean {
  if (endpoint.outsideApi) return false;
  return typeof path[name] === 'number' || (name === 'id' && /^\/(projects|groups)\//.test(endpoint.path));
}

/** Returns whether the parameter is the last one of the path, which names what the endpoint is about. */
function isLast(endpoint: Endpoint, name: string): boolean {
  return parsePathParameters(endpoint.path).at(-1)?.name === name;
}

function call(endpoint: Endpoint, example: Example, name: string, value: string): Promise<TestResponse> {
  return ask(here, endpoint, { ...example, path: { ...example.path, [name]: value } }, scene.callers[example.by]);
}

const HIDING = { 401: { message: '401 Unauthorized' }, 403: { message: '403 Forbidden' } } as const;
const noRoute = { error: '404 Not Found' };
/** That of certificates has words of its own (contract/operations.md §4). */
const NOT_FOUND = /^(404 (\w+ )*Not [Ff]ound|SSH Certificate not found)$/;

// All are made before the first test is declared: tests begin to run as soon as something is awaited.
const calls: (readonly [Endpoint, Example])[] = [];
for (const { endpoint, builds } of ourShare(await allExamples(here.server.registry))) {
  calls.push([endpoint, await builds[0](scene)]);
}

for (const [endpoint, example] of calls) {
  for (const { name, pattern } of parsePathParameters(getFullPath(endpoint))) {
    if (!takesId(endpoint, example, name)) continue;
    const hiddenAs = isLast(endpoint, name) ? endpoint.unknownIdStatus : 404;
    const isInteger = name in getDeclaredParameters(endpoint);
    const stages: readonly string[] = STAGE_ORDERS[endpoint.stageOrder];
    // The token of a site is signed for one path, so another id fails authentication.
    const isHiddenFirst =
      hiddenAs !== 404 && (endpoint.allowSiteToken || stages.indexOf('load') < stages.indexOf('parameters'));

    turn++;
    const [number, word] = [inTurn(NOTHING), inTurn(WORDS)];

    test(`${endpoint.name}: rejects the unknown number ${number} as :${name}`, async () => {
      const { status, body, text } = await call(endpoint, example, name, number);
      assert.equal(status, hiddenAs, text);
      if (hiddenAs !== 404) assert.deepEqual(body, HIDING[hiddenAs]);
      else if (pattern !== undefined && number.startsWith('-')) assert.deepEqual(body, noRoute);
      else if (endpoint.method !== 'HEAD') assert.match(body.message, NOT_FOUND);
    });

    test(`${endpoint.name}: rejects ${word} as :${name}`, async () => {
      const { status, body, text } = await call(endpoint, example, name, word);
      if (isHiddenFirst) assert.equal(status, hiddenAs, text);
      else if (pattern !== undefined) assert.deepEqual([status, body], [404, noRoute]);
      else if (isInteger) assert.deepEqual([status, body], [400, { error: `${name} is invalid` }]);
      else if (endpoint.method === 'HEAD') assert.equal(status, 404);
      else assert.match(body.message, NOT_FOUND);
    });
  }
}
