import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Endpoint } from '#http/endpoint/endpoint.ts';
import type { Registry } from '#http/server/routing/registry.ts';
import type { Build, Builds } from './example.ts';

export interface Exemplified {
  readonly endpoint: Endpoint;
  readonly builds: readonly [Build, ...Build[]];
}

/** Which half of the examples is this run's, where another run on the other engine has the other: `0`, `1`, or unset: both. */
const half = process.env.HEARTH_TEST_HALF;

const api = join(import.meta.dirname, '../../src/api');

/**
 * The examples of all endpoints that are served, in the registry's order. The pages of the web application have none: each sends
 * the same to everybody (test/web/shell.test.ts).
 */
export async function allExamples(registry: Registry): Promise<Exemplified[]> {
  const endpoints = registry.endpoints.filter(({ htmlOnly }) => !htmlOnly);
  const folders = [...new Set(endpoints.map(({ folder }) => folder))];
  const modules = await Promise.all(folders.map((folder) => import(join(api, folder, 'examples.ts'))));
  const byFolder = new Map(folders.map((folder, index) => [folder, modules[index].examples as Record<string, Builds>]));
  return endpoints.map((endpoint) => {
    const builds = byFolder.get(endpoint.folder)?.[endpoint.name];
    assert.ok(builds, `${endpoint.folder}/examples.ts has no example of ${endpoint.name}`);
    return { endpoint, builds: typeof builds === 'function' ? [builds] : (builds as [Build, ...Build[]]) };
  });
}

/**
 * Those that this run tries: each on one of the two engines that `npm test` goes through, in turn, and all where there is one.
 * For what the machinery does with every endpoint alike, whatever the engine; a family's own tests call it on both.
 */
export function ourShare<T>(all: readonly T[]): T[] {
  return all.filter((_, index) => half === undefined || index % 2 === Number(half));
}
