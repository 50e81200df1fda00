import { test } from 'node:test';
import type { Endpoint } from '#http/endpoint/endpoint.ts';
import { getDeclaredParameters } from '#http/server/pipeline/handle.ts';
import { engine } from './engines/engine.ts';
import { allExamples } from './examples/all.ts';
import { ask, isStillThere } from './examples/call.ts';
import type { Build, Example } from './examples/example.ts';
import { createCallers, createScene } from './examples/scene.ts';
import { world } from './support/world.ts';

// Valid calls with one corrupted parameter: they reach the domain and the database with unexpected values.
// The caller of the tests fails by itself on a 5xx and on a body of another form than the API's two.

const here = await world();
const scene = await createScene(here, await createCallers(here), 'private');

const ODD: readonly unknown[] = [
  null,
  '',
  ' ',
  'a\u0000b',
  '\ud800',
  '👍'.repeat(300),
  'x'.repeat(5_000),
  Number.MAX_SAFE_INTEGER,
  Number.MIN_SAFE_INTEGER,
  2 ** 31,
  1e300,
  -1,
  0,
  1.5,
  true,
  [],
  [[]],
  [null, 'a\u0000'],
  {},
  { 0: 'a', __proto__: 'b' },
  '9999-12-31',
  '0000-00-00T00:00:00Z',
  '+275760-09-13',
  "'; drop table users; --",
  '%00',
  '../..',
  '--upload-pack=touch /tmp/x',
];

/** Every parameter meets these many of them on each engine, other ones than its neighbours and on the other engine. */
const EACH = 3;
const FIRST = engine === 'sqlite' ? 0 : EACH;

const { administrator } = scene.callers;
const settings = (await administrator.get('/application/settings')).body;

for (const { endpoint, builds } of await allExamples(here.server.registry)) {
  const [build] = builds;
  test(`${endpoint.name} does not return 500 for a corrupted parameter`, async () => {
    for (const spoilt of spoiltCalls(endpoint, build)) await spoilt();
    // Restore the settings of the server after corrupted calls.
    if (endpoint.name === 'updateApplicationSettings') await administrator.put('/application/settings', settings);
  });
}

function spoiltCalls(endpoint: Endpoint, build: Build): (() => Promise<void>)[] {
  const names = Object.keys(getDeclaredParameters(endpoint));
  const calls = names.flatMap((name, place) => oddsAt(place).map((odd) => ({ name, odd })));
  let example: Example | null = null;
  return calls.map(({ name, odd }) => async () => {
    example ??= await build(scene);
    if (example.raw !== undefined || name in (example.path ?? {})) return;
    const params = { ...example.params, [name]: inRequest(endpoint, odd) };
    const answer = await ask(here, endpoint, { ...example, params }, scene.callers[example.by]);
    if (answer.status < 400 && !(await isStillThere(here, endpoint, example, scene.callers[example.by])))
      example = null;
  });
}

/** A query cannot contain a lone surrogate. */
function inRequest({ method }: Endpoint, odd: unknown): unknown {
  const query = method === 'GET' || method === 'HEAD' || method === 'DELETE';
  return query && typeof odd === 'string' ? odd.toWellFormed() : odd;
}

function oddsAt(place: number): unknown[] {
  return Array.from({ length: EACH }, (_, step) => ODD[(place * 2 * EACH + (FIRST + step) * 5) % ODD.length]);
}
