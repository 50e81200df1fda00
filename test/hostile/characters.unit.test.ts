import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Endpoint } from '#http/endpoint/endpoint.ts';
import { type ParameterType, Problems } from '#http/parameters/parameter-type.ts';
import { getDeclaredParameters } from '#http/server/pipeline/handle.ts';
import { allExamples, type Exemplified } from '../examples/all.ts';
import { ask, isStillThere } from '../examples/call.ts';
import type { Build, Example } from '../examples/example.ts';
import { createCallers, createScene } from '../examples/scene.ts';
import { world } from '../support/world.ts';
import { cpuMilliseconds, slownessNow, watchTurns } from './event-loop.ts';

// Texts that repeat one character reveal superlinear costs and ambiguous regular expressions. Every parameter of every
// endpoint parses 1 MB of each character, and handles as much as its limit allows.

const here = await world();
const scene = await createScene(here, await createCallers(here), 'private');
const examples = await allExamples(here.server.registry);

const LETTERS = [
  'x',
  '1',
  ' ',
  '/',
  '.',
  '-',
  '_',
  '^',
  '~',
  '*',
  '[',
  '(',
  '{',
  '<',
  ',',
  '\n',
  '\t',
  '\0',
  'é',
  '👍',
];
const MEBIBYTE = 2 ** 20;
const long = LETTERS.map((letter) => letter.repeat(MEBIBYTE / Buffer.byteLength(letter)));

/** The event loop delay in milliseconds. */
const LONGEST_TURN = 50;
/** Length of a text that makes a large response: the client runs in this process too, and parses and checks it. */
const LONGEST_OF_LARGE = 150;

test('every parameter parses 1 MB of any character quickly', () => {
  for (const [type, where] of typesOf(examples)) {
    for (const letters of long) {
      for (const sent of [letters, [letters, letters], { [letters]: letters }, { 0: letters }]) {
        const cost = leastOf(3, () => type.read(sent, 'name', new Problems()));
        assert.ok(cost < LONGEST_TURN, `${where} is read for ${Math.round(cost)} ms`);
      }
    }
  }
});

/** The type of every parameter, with one endpoint that declares it: a shared type is parsed the same everywhere. */
function typesOf(all: readonly Exemplified[]): Map<ParameterType<unknown>, string> {
  const declared = all.map(({ endpoint }) => ({
    endpoint,
    of: { ...getDeclaredParameters(endpoint), ...endpoint.fields },
  }));
  return new Map(
    declared.flatMap(({ endpoint, of }) =>
      Object.entries(of).map(([name, { type }]) => [type, `${name} of ${endpoint.name}`] as const),
    ),
  );
}

/** Returns the cost of the cheapest of several runs, and stops at the first cheap one: the machine may be busy. */
function leastOf(times: number, run: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let time = 0; time < times && least > LONGEST_TURN / 2; time++) {
    const before = cpuMilliseconds();
    run();
    least = Math.min(least, cpuMilliseconds() - before);
  }
  return least < LONGEST_TURN ? least : least / slownessNow();
}

/** Each parameter is tested with some of the characters, and its neighbours with others. */
const EACH = 2;
let turn = 0;

for (const { endpoint, builds } of examples) {
  const texts = textsOf(endpoint);
  if (texts.length === 0) continue;
  test(`${endpoint.name} handles texts of the maximum length`, async () => {
    const call = caller(endpoint, builds[0]);
    for (const [name, longest] of texts) {
      const most = longest > 4096 ? LONGEST_OF_LARGE : LONGEST_TURN;
      for (const letter of Array.from({ length: EACH }, () => LETTERS[turn++ % LETTERS.length]!)) {
        const text = letter.repeat(Math.min(longest, MEBIBYTE) / Buffer.byteLength(letter));
        const held = await longestTurnOf(3, most, () => call(name, text));
        assert.ok(held < most, `${name} of ${JSON.stringify(letter)}: ${Math.round(held)} ms`);
      }
    }
  });
}

/** Text parameters, with the characters that each may contain. */
function textsOf(endpoint: Endpoint): [string, number][] {
  if (endpoint.body === 'raw') return [];
  const inQuery = !['POST', 'PUT', 'PATCH'].includes(endpoint.method);
  return Object.entries({ ...getDeclaredParameters(endpoint), ...endpoint.fields }).flatMap(
    ([name, { type }]): [string, number][] => {
      const { maxLength } = type.schema as { maxLength?: number };
      // A URL is shorter than a body, and each character takes three bytes in it.
      if (maxLength === undefined) return [];
      return inQuery ? [[name, Math.min(maxLength, 2048)]] : [[name, maxLength]];
    },
  );
}

/** Returns a valid call of the endpoint with one given text. An accepted call may consume the data of the example. */
function caller(endpoint: Endpoint, build: Build): (name: string, text: string) => Promise<void> {
  let example: Example | null = null;
  return async (name, text) => {
    example ??= await build(scene);
    if (example.raw !== undefined || name in (example.path ?? {})) return;
    const params = { ...example.params, [name]: text };
    const by = scene.callers[example.by];
    const { status } = await ask(here, endpoint, { ...example, params }, by);
    if (status < 400 && !(await isStillThere(here, endpoint, example, by))) example = null;
  };
}

/** Returns the longest event loop turn during the best of several runs: the machine may be busy. */
async function longestTurnOf(times: number, most: number, run: () => Promise<void>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let time = 0; time < times && best > most; time++) {
    const watch = watchTurns();
    await run();
    const { longestTurn, slowness } = await watch.end();
    best = Math.min(best, longestTurn / slowness);
  }
  return best;
}
