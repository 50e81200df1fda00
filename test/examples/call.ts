import assert from 'node:assert/strict';
import type { Endpoint } from '#http/endpoint/endpoint.ts';
import { getFullPath, replaceParameters } from '#http/server/routing/paths.ts';
import type { Caller, TestResponse } from '../support/caller.ts';
import type { World } from '../support/world.ts';
import type { Example } from './example.ts';
import { basic } from './scene.ts';

/** Makes the call of an example as this caller. */
export async function ask(world: World, endpoint: Endpoint, example: Example, caller: Caller): Promise<TestResponse> {
  const { params, raw, proof } = example;
  const headers = { ...(proof === 'basic' ? basic(caller) : {}), ...example.headers };
  return (await speaker(world, example, caller)).send(endpoint.method, pathOf(endpoint, example), {
    params,
    raw,
    headers,
  });
}

/**
 * Has a call that was accepted left what the example was made for? After an update mostly so, which the plain call tells for
 * less than a new project with its repository costs.
 */
export async function isStillThere(
  world: World,
  endpoint: Endpoint,
  example: Example,
  caller: Caller,
): Promise<boolean> {
  if (endpoint.method === 'GET') return true;
  if (endpoint.method !== 'PUT' && endpoint.method !== 'PATCH') return false;
  return (await ask(world, endpoint, example, caller)).status < 400;
}

async function speaker(world: World, { proof }: Example, caller: Caller): Promise<Caller> {
  if (proof === undefined || caller.token === null) return caller;
  if (typeof proof === 'object') return world.withToken(caller, proof.token);
  return proof === 'basic' ? world.withToken(caller, null) : world.tokenOf(caller, ['api']);
}

function pathOf(endpoint: Endpoint, { path = {} }: Example): string {
  const left = new Set(Object.keys(path));
  const filled = replaceParameters(getFullPath(endpoint), ({ name, matchesRest: rest }) => {
    assert.ok(left.delete(name), `the example of ${endpoint.name} has no value for :${name}`);
    const text = String(path[name]);
    return rest ? text.split('/').map(encodeURIComponent).join('/') : encodeURIComponent(text);
  });
  assert.deepEqual([...left], [], `the example of ${endpoint.name} has values for what its path does not name`);
  return `/${filled}`;
}
