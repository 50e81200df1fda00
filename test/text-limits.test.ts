import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Endpoint } from '#http/endpoint/endpoint.ts';
import { getDeclaredParameters } from '#http/server/pipeline/handle.ts';
import { listPathParameterNames } from '#http/server/routing/paths.ts';
import { allExamples, ourShare } from './examples/all.ts';
import { ask } from './examples/call.ts';
import { createCallers, createScene } from './examples/scene.ts';
import { world } from './support/world.ts';

// Every text parameter has a length limit (contract/conventions.md §3 "Limits of texts"), which OpenAPI documents.
// A text one character over the limit is rejected and changes nothing.

const here = await world();
const scene = await createScene(here, await createCallers(here), 'private');

/** Parameters that another parameter requires or excludes. */
const BESIDES: Readonly<Record<string, object>> = {
  content: { file_name: 'a', files: undefined },
  password: { force_random_password: false },
  extern_uid: { provider: 'x' },
  provider: { extern_uid: 'x' },
};

/** The maximum length of a text in a URL. */
const LONGEST_IN_QUERY = 10_000;

interface Schema {
  readonly type?: string;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly enum?: unknown;
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

test('the OpenAPI document declares a limit for every text and list of a request', async () => {
  const { body: document } = await here.anonymous.get('/openapi.json');
  const operations = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ place: `${method} ${path}`, operation })),
  );
  assert.ok(operations.length > 100);
  const unlimited = operations.flatMap(({ place, operation: { parameters = [], requestBody } }) => [
    ...parameters.flatMap(({ name, schema }) => unlimitedIn(schema, `${place} ${name}`)),
    ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => unlimitedIn(schema, place)),
  ]);
  assert.deepEqual(unlimited, []);
});

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

/** Returns the locations of texts and lists without a limit. An empty schema describes a value that the server ignores. */
function unlimitedIn({ type, anyOf, items, properties, ...schema }: Schema, place: string): string[] {
  if (schema.enum !== undefined) return [];
  if (anyOf !== undefined) return anyOf.flatMap((part) => unlimitedIn(part, place));
  if (type === 'string') return schema.maxLength === undefined ? [place] : [];
  if (type === 'array') return schema.maxItems === undefined ? [place] : unlimitedIn(items ?? {}, place);
  return Object.entries(properties ?? {}).flatMap(([name, part]) => unlimitedIn(part, `${place} ${name}`));
}

for (const { endpoint, builds } of ourShare(await allExamples(here.server.registry))) {
  const names = textsOf(endpoint);
  if (names.length === 0 || endpoint.body === 'deferred' || endpoint.body === 'raw') continue;
  test(`${endpoint.name} rejects a text over its maximum length`, async () => {
    const example = await builds[0](scene);
    if (example.raw !== undefined) return;
    for (const [name, longest] of names) {
      const params = { ...example.params, ...BESIDES[name], [name]: 'x'.repeat(longest + 1) };
      const { status, text } = await ask(here, endpoint, { ...example, params }, scene.callers[example.by]);
      assert.ok(status >= 400 && status < 500, `${name}: ${status}`);
      if (endpoint.method !== 'HEAD') assert.match(text, /too long|invalid|exceeds the|too large/i, name);
    }
  });
}

/** Returns the text parameters of an endpoint for which a request can exceed the maximum length. */
function textsOf(endpoint: Endpoint): [string, number][] {
  const inPath = listPathParameterNames(endpoint.path);
  const inBody = ['POST', 'PUT', 'PATCH'].includes(endpoint.method);
  return Object.entries(getDeclaredParameters(endpoint)).flatMap(([name, { type }]): [string, number][] => {
    const { maxLength, format } = type.schema as { maxLength?: number; format?: string };
    if (maxLength === undefined || format !== undefined || inPath.includes(name)) return [];
    return inBody || maxLength < LONGEST_IN_QUERY ? [[name, maxLength]] : [];
  });
}
