import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Endpoint } from '#http/endpoint/endpoint.ts';
import { getDeclaredParameters } from '#http/server/pipeline/handle.ts';
import { getFullPath, replaceParameters } from '#http/server/routing/paths.ts';
import type { Caller, SendOptions, TestResponse } from './support/caller.ts';
import { world } from './support/world.ts';

// Random requests to all endpoints: every response is a success or an error in one of the two documented formats.

const SEED = 20260102;
const MILLISECONDS = Number(process.env.HEARTH_FUZZ_SECONDS ?? 10) * 1000;

const { root, anonymous, user, tokenOf, server, newProject, newGroup } = await world();
const mira = await user();
const group = await newGroup({ owner: root, path: 'fuzz-group' });
const project = await newProject({ owner: mira, name: 'fuzz-project', readme: true });
const endpoints = server.registry.endpoints;

/** Encoded path segments: existing names, missing names and invalid names. */
const segment = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('1', '2', '3', String(project.id), String(group.id)) },
  {
    weight: 3,
    arbitrary: fc.constantFrom('fuzz-group', `${mira.username}%2Ffuzz-project`, 'main', 'README.md', mira.username),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '0',
      '-1',
      '99999999999999999999',
      '9007199254740993',
      '1.5',
      'a%2Fb',
      '..',
      '%2E%2E%2Fx',
      '%00',
      '%ff',
      '%',
      'a;b',
      '*',
    ),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 40 }).map((text) => encodeURIComponent(text.toWellFormed()) || 'x') },
);

const word = fc.constantFrom(
  '',
  ' ',
  'a',
  '0',
  '1',
  '-1',
  '40',
  'true',
  'off',
  'public',
  'private',
  'asc',
  'desc',
  'id',
  'name',
  'main',
  '2026-02-30',
  '2026-12-24',
);
const odd = fc.constantFrom<unknown>(
  'a\u0000b',
  '\ud800',
  '👍'.repeat(300),
  '99999999999999999999',
  Number.MAX_SAFE_INTEGER + 1,
  -1,
  1.5,
  1e300,
  null,
  [],
  {},
  [[]],
  [null],
  { 0: 'a' },
  '%',
  "'; --",
);
const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 5, arbitrary: word },
  { weight: 2, arbitrary: odd },
  { weight: 1, arbitrary: fc.integer() },
  { weight: 1, arbitrary: fc.boolean() },
  { weight: 1, arbitrary: fc.array(word, { maxLength: 3 }) },
  {
    weight: 1,
    arbitrary: fc.dictionary(fc.constantFrom('a', 'id', 'name', '0', 'access_level', '__proto__'), word, {
      maxKeys: 3,
    }),
  },
  { weight: 1, arbitrary: fc.string({ maxLength: 60 }) },
);

/** Mostly a value that the declared type could take, so that requests get past the parameters. */
function valueFor(schema: { type?: string; enum?: unknown[]; minimum?: number }): fc.Arbitrary<unknown> {
  const fitting =
    schema.enum !== undefined
      ? fc.constantFrom(...schema.enum)
      : schema.type === 'integer'
        ? fc.constantFrom<unknown>(1, '2', 10, 30, 40)
        : schema.type === 'boolean'
          ? fc.boolean()
          : fc.constantFrom<unknown>('main', 'fuzz', 'a@hearth.test', 'README.md', '2026-05-05');
  return fc.oneof({ weight: 3, arbitrary: fitting }, { weight: 2, arbitrary: value });
}

function paramsOf(endpoint: Endpoint): fc.Arbitrary<Record<string, unknown>> {
  const known = Object.entries(getDeclaredParameters(endpoint)).map(([key, { type, presence }]) => {
    const given = valueFor(type.schema as { type?: string });
    return fc
      .option(given, { nil: undefined, freq: presence === 'required' ? 12 : 1 })
      .map((one) => [key, one] as const);
  });
  const stray = fc.dictionary(
    fc.constantFrom('id', 'page', 'per_page', 'sudo', 'private_token', 'order_by', 'cursor', 'pagination'),
    word,
    { maxKeys: 1 },
  );
  return fc.tuple(fc.tuple(...known), stray).map(([pairs, more]) => ({
    ...more,
    ...Object.fromEntries(pairs.filter(([, one]) => one !== undefined)),
  }));
}

const header = fc.constantFrom<Record<string, string>>(
  {},
  {},
  {},
  { 'If-None-Match': '*' },
  { 'If-Unmodified-Since': '2000-01-01' },
  { 'If-Unmodified-Since': 'garbage' },
  { Range: 'bytes=5-1' },
  { Accept: 'text/html', 'Accept-Encoding': 'br' },
  { Origin: 'https://app.test' },
  { Authorization: 'Basic !!!' },
  { Authorization: 'Bearer ' },
  { 'JOB-TOKEN': 'x' },
  { Cookie: '_service_session=%00' },
  { Sudo: 'root' },
);

interface Shot {
  readonly who: 'anonymous' | 'user' | 'administrator';
  readonly method: string;
  readonly path: string;
  readonly sending: SendOptions;
}

const shot: fc.Arbitrary<Shot> = fc.nat(endpoints.length - 1).chain((index) => {
  const endpoint = endpoints[index] as Endpoint;
  return fc
    .record({
      who: fc.constantFrom<Shot['who']>('anonymous', 'user', 'administrator'),
      method: fc.oneof(
        { weight: 12, arbitrary: fc.constant<string>(endpoint.method) },
        {
          weight: 1,
          arbitrary: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'),
        },
      ),
      segments: fc.array(segment, { minLength: 6, maxLength: 6 }),
      params: paramsOf(endpoint),
      headers: header,
      encoding: fc.constantFrom('json', 'json', 'json', 'form', 'query', 'text', 'broken'),
    })
    .map(({ who, method, segments, params, headers, encoding }) => {
      const path = `/${replaceParameters(getFullPath(endpoint), (_one, place) => segments[place] ?? '1')}`;
      return { who, method, ...encoded(path, params, headers, encoding) };
    });
});

function encoded(
  path: string,
  params: Record<string, unknown>,
  headers: Record<string, string>,
  encoding: string,
): Pick<Shot, 'path' | 'sending'> {
  const form = pairs(params).join('&');
  const typed = (type: string, raw: string) => ({
    path,
    sending: { raw, headers: { ...headers, 'Content-Type': type } },
  });
  switch (encoding) {
    case 'form':
      return typed('application/x-www-form-urlencoded', form);
    case 'query':
      return { path: `${path}?${form}`, sending: { headers } };
    case 'text':
      return typed('text/plain', form);
    case 'broken':
      return typed('application/json', JSON.stringify(params).slice(0, -1));
    default:
      return typed('application/json', JSON.stringify(params));
  }
}

/** In bracket names, as a form has them; a NUL stays in as an escape. */
function pairs(params: object, within?: string): string[] {
  return Object.entries(params).flatMap(([key, one]) => {
    const full = within === undefined ? key : `${within}[${Array.isArray(params) ? '' : key}]`;
    if (typeof one === 'object' && one !== null) return pairs(one, full);
    return [`${encodeURIComponent(full)}=${encodeURIComponent(String(one).toWellFormed())}`];
  });
}

const callers: Record<Shot['who'], Caller> = { anonymous, user: mira, administrator: root };

/** Replaces a caller whose token or user an earlier request revoked or blocked. */
async function revive(who: Shot['who']): Promise<void> {
  const caller = callers[who];
  if (who === 'anonymous' || (await caller.get('/user')).status === 200) return;
  callers[who] = await tokenOf(caller, ['api']);
  if (who === 'user' && (await callers[who].get('/user')).status !== 200) callers[who] = await user();
}

/** The two forms of contract/conventions.md §5, the plain text of its §8, and what SDKs that report errors hear. */
function checkFailure(path: string, { status, headers, body, text }: TestResponse): void {
  if (status < 400 || text === '' || !path.startsWith('/api/v4/')) return;
  if (headers['content-type'] === 'text/plain') {
    assert.match(text, /^Retry later\n$/);
    return;
  }
  assert.equal(headers['content-type'], 'application/json', text);
  const { message, error, detail, causes } = body as Record<'message' | 'error' | 'detail' | 'causes', unknown>;
  // As SDKs know it (contract/monitoring.md §10).
  if (path.startsWith('/api/v4/error_tracking/collector/') && detail !== undefined) {
    assert.deepEqual([typeof detail, causes], ['string', []], text);
    return;
  }
  if (message === undefined) assert.equal(typeof error, 'string', text);
  else assert.ok(typeof message === 'string' || (typeof message === 'object' && message !== null), text);
}

test('never returns 500, and every error response has the documented form, for random requests', async () => {
  const seen = new Map<number, number>();
  const property = fc.asyncProperty(shot, async ({ who, method, path, sending }) => {
    const answer = await callers[who].send(method, path, sending);
    seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
    // The job router responds with 501 because it is not supported.
    assert.ok(answer.status < 500 || answer.status === 501, `${method} ${path}: ${answer.status}`);
    checkFailure(path.slice(1), answer);
    if (answer.status === 401 || answer.status === 403 || method === 'DELETE') await revive(who);
  });
  await fc.assert(property, {
    seed: SEED,
    numRuns: 100_000,
    interruptAfterTimeLimit: MILLISECONDS,
    markInterruptAsFailure: false,
    endOnFailure: true,
  });
  // Requests that all end at one gate would test nothing behind it.
  for (const status of [200, 400, 401, 403, 404])
    assert.ok((seen.get(status) ?? 0) > 0, `no answer was ${status}: ${JSON.stringify([...seen])}`);
  if (process.env.HEARTH_FUZZ_SECONDS) console.log(JSON.stringify([...seen].sort(([a], [b]) => a - b)));
});
