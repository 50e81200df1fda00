import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Endpoint } from '#http/endpoint/endpoint.ts';
import { allExamples, type Exemplified, ourShare } from './examples/all.ts';
import { ask } from './examples/call.ts';
import type { Example } from './examples/example.ts';
import { createCallers, createScene } from './examples/scene.ts';
import { world } from './support/world.ts';

// Token scopes as contract/conventions.md §7 "Scopes" defines them, independent of the endpoints' declarations.

const here = await world();
const scene = await createScene(here, await createCallers(here), 'private');

/** The scopes that are of use for some calls only, by the paths below /api/v4 and the methods they are for. */
const FAMILIES: readonly (readonly [scope: string, path: RegExp, methods: readonly string[]])[] = [
  // The projects of a user are listed like all projects (planning.md).
  ['read_user', /^\/(user|users|events|version|metadata)(\/(?!:user_id\/projects$)|\(|$)/, ['GET', 'HEAD']],
  ['read_repository', /^\/projects\/:id\/repository\/files\//, ['GET', 'HEAD']],
  ['manage_runner', /^\/runners\/:id/, ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']],
  ['create_runner', /^\/user\/runners$/, ['POST']],
  ['self_rotate', /\/self\/rotate$/, ['POST']],
];
/** What runners and triggers say with tokens of their own: any other that comes along is ignored (contract/runners.md §3, §4.6). */
const BY_OWN_TOKEN =
  /^(\w+ \/jobs\/|(POST|DELETE) \/runners$|\w+ \/runners\/(verify|managers|reset_authentication_token|router\/discovery)$|.*\/trigger\/pipeline$)/;
/** Callers with the token of a user are not jobs (contract/runners.md §3.9). */
const OF_JOBS = 'getOwnJob';
const ANY_SCOPE = /^\/personal_access_tokens\/self$/;

function fitting({ method, path }: Endpoint): string[] {
  const own = FAMILIES.filter(([, where, methods]) => where.test(path) && methods.includes(method));
  const read = method === 'GET' || method === 'HEAD';
  return [...own.map(([scope]) => scope), 'api', ...(read ? ['read_api'] : [])];
}

/** Makes the call of one example with tokens of these scopes; a call that was accepted may use it up. */
function asking({ endpoint, builds: [build] }: Exemplified, first: Example) {
  let left: Example | null = first;
  return async (scopes: readonly string[]) => {
    const { proof: _, ...example } = left ?? (await build(scene));
    const caller = scene.callers[example.by === 'anonymous' ? 'stranger' : example.by];
    const answer = await ask(here, endpoint, example, await here.tokenOf(caller, scopes));
    left = answer.status < 400 && endpoint.method !== 'GET' ? null : example;
    return answer;
  };
}

// All are made before the first test is declared: tests begin to run as soon as something is awaited.
const calls: (readonly [Exemplified, Example])[] = [];
for (const what of ourShare(await allExamples(here.server.registry))) {
  const { endpoint } = what;
  if (endpoint.outsideApi || endpoint.stageOrder === 'customAuthentication') continue;
  // No token works there.
  if (endpoint.access.label === 'user session') continue;
  const example = await what.builds[0](scene);
  // Callers with other credentials need no token.
  const isSite = endpoint.allowSiteToken && example.by === 'anonymous';
  if (typeof example.proof !== 'object' && !isSite) calls.push([what, example]);
}

for (const [what, example] of calls) {
  const { endpoint } = what;
  const askWith = asking(what, example);
  const scopes = fitting(endpoint);

  if (BY_OWN_TOKEN.test(`${endpoint.method} ${endpoint.path}`)) {
    test(`${endpoint.name}: accepts its own token with any scope`, async () => {
      const { status, text } = await askWith(['k8s_proxy']);
      assert.ok(status < 400 || status === endpoint.response.status, text);
    });
    continue;
  }

  test(`${endpoint.name}: ${ANY_SCOPE.test(endpoint.path) ? 'any scope' : scopes.join(', ')}`, async () => {
    const { status, body, text } = await askWith(['k8s_proxy', 'write_repository', 'sudo', 'admin_mode']);
    if (ANY_SCOPE.test(endpoint.path)) {
      assert.ok(status < 300, text);
      return;
    }
    assert.equal(status, 403);
    if (endpoint.method !== 'HEAD') {
      assert.deepEqual(body, {
        error: 'insufficient_scope',
        error_description: 'The request requires higher privileges than provided by the access token.',
        scope: scopes.join(' '),
      });
    }
    for (const scope of scopes.filter((one) => one !== 'api' && one !== 'self_rotate')) {
      const taken = await askWith([scope]);
      const isTaken =
        endpoint.name === OF_JOBS
          ? taken.status === 404
          : taken.status < 400 || taken.status === endpoint.response.status;
      assert.ok(isTaken, `${scope}: ${taken.text}`);
    }
    if (!scopes.includes('read_api')) {
      const refused = await askWith(['read_api', 'read_user', 'read_repository']);
      assert.deepEqual([refused.status, refused.body?.error], [403, 'insufficient_scope']);
    }
  });
}
