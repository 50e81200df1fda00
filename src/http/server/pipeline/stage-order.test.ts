import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, world } from '#test/support/world.ts';

const { newProject } = await world();

// The first failing stage responds (contract/conventions.md §1), although all later stages would fail too.

const JSON_TYPE = { 'Content-Type': 'application/json' };
const FORM_TYPE = { 'Content-Type': 'application/x-www-form-urlencoded' };
const TEXT_TYPE = { 'Content-Type': 'text/plain' };

async function scene() {
  const { root, anonymous, user, tokenOf, withToken } = await world();
  const [owner, guest, stranger] = [await user(), await user(), await user()];
  const project = await newProject({ owner, readme: true });
  await project.addMember('guest', guest);
  const unknown = withToken(owner, 'glpat-nobody');
  const reading = await tokenOf(owner, ['read_api']);
  return { root, anonymous, owner, guest, stranger, unknown, reading, project };
}

type Step = readonly [
  what: string,
  caller: Caller,
  method: string,
  path: string,
  sending: { readonly raw?: string; readonly headers: Record<string, string> },
  status: number,
  body: unknown,
];

async function walk(steps: readonly Step[]): Promise<void> {
  for (const [what, caller, method, path, sending, status, body] of steps) {
    const answer = await caller.send(method, path, sending);
    assert.deepEqual([answer.status, answer.body ?? answer.text], [status, body], what);
  }
}

const INSUFFICIENT = {
  error: 'insufficient_scope',
  error_description: 'The request requires higher privileges than provided by the access token.',
  scope: 'api',
};

test('a write responds with the error of its first failing stage', async () => {
  const { anonymous, owner, guest, stranger, unknown, reading, project } = await scene();
  const path = `/projects/${project.id}/members`;
  const nowhere = `/projects/${project.id}/nowhere`;
  const broken = { raw: '{"access_level":', headers: JSON_TYPE };
  const text = { raw: 'x', headers: TEXT_TYPE };
  const missing = { raw: `{"user_id":${stranger.id}}`, headers: JSON_TYPE };
  const level = { raw: `{"user_id":${stranger.id},"access_level":33}`, headers: JSON_TYPE };
  const whole = { raw: `{"user_id":${stranger.id},"access_level":30}`, headers: JSON_TYPE };
  await walk([
    ['text before JSON', unknown, 'PATCH', `${nowhere}?x=%00`, broken, 400, { error: 'x is invalid' }],
    ['JSON before the route', unknown, 'PATCH', nowhere, broken, 400, { error: 'Invalid JSON format' }],
    ['JSON before the method', unknown, 'PATCH', path, broken, 400, { error: 'Invalid JSON format' }],
    ['JSON before credentials', unknown, 'POST', path, broken, 400, { error: 'Invalid JSON format' }],
    ['route before the type', unknown, 'POST', nowhere, text, 404, { error: '404 Not Found' }],
    ['method before the type', unknown, 'PATCH', path, text, 405, { error: '405 Not Allowed' }],
    ['type before credentials', unknown, 'POST', path, text, 415, notSupported('text/plain')],
    ['credentials before parameters', unknown, 'POST', path, missing, 401, { message: '401 Unauthorized' }],
    ['nobody before parameters', anonymous, 'POST', path, missing, 401, { message: '401 Unauthorized' }],
    ['scope before parameters', reading, 'POST', path, missing, 403, INSUFFICIENT],
    ['parameters before the project', stranger, 'POST', path, missing, 400, { error: 'access_level is missing' }],
    ['project before permission', stranger, 'POST', path, level, 404, { message: '404 Project Not Found' }],
    ['permission before rules', guest, 'POST', path, level, 403, { message: '403 Forbidden' }],
  ]);
  assert.equal((await owner.send('POST', path, level)).status, 400);
  assert.equal((await owner.send('POST', path, whole)).status, 201);
});

const notSupported = (type: string) => ({ error: `The provided content-type '${type}' is not supported.` });

test('rejects too deep JSON before authentication', async () => {
  const { anonymous, unknown } = await scene();
  const deep = { error: 'Parameters nested too deeply' };
  for (const [open, close] of [
    ['{"a":', '}'],
    ['[', ']'],
  ] as const) {
    const nested = (depth: number) => ({
      raw: `{"a":${open.repeat(depth - 2)}{}${close.repeat(depth - 2)}}`,
      headers: JSON_TYPE,
    });
    await walk([
      ['32', anonymous, 'POST', '/projects', nested(32), 401, { message: '401 Unauthorized' }],
      ['33', anonymous, 'POST', '/projects', nested(33), 400, deep],
      ['33, bad token', unknown, 'PUT', '/projects/1', nested(33), 400, deep],
      ['33, no route', anonymous, 'POST', '/nowhere', nested(33), 400, deep],
    ]);
  }
});

test('rejects invalid text in a form before it checks route, method and credentials', async () => {
  const { anonymous, unknown } = await scene();
  for (const raw of ['name=a%00', 'name=%ff', 'na%00me=a', 'name=%', 'name=a\u0000']) {
    const form = { raw, headers: FORM_TYPE };
    const invalid = { error: `${raw === 'na%00me=a' ? 'body' : 'name'} is invalid` };
    await walk([
      [raw, anonymous, 'POST', '/nowhere', form, 400, invalid],
      [raw, anonymous, 'PATCH', '/projects', form, 400, invalid],
      [raw, unknown, 'POST', '/projects', form, 400, invalid],
      [raw, anonymous, 'POST', '/nowhere', { raw, headers: {} }, 400, invalid],
    ]);
  }
});

test('rejects invalid text in paths, in names and values of the query, and in credential headers', async () => {
  const { anonymous, owner } = await scene();
  const paths = ['/pro%00jects', '/projects/%ff', '/projects/a%2', '/%c0%af', '/%ed%a0%80', '/projects?a%00=1'];
  for (const path of [...paths, '/projects?a=%fe', '/projects?%zz', '/projects?a=1&b=%e2%82', '//%00', '//oauth/%ff']) {
    const answer = await anonymous.get(path);
    assert.equal(answer.status, 400, path);
    assert.match(answer.body.error, /^(path|query|a|b) is invalid$/, path);
  }
  for (const name of ['PRIVATE-TOKEN', 'Authorization', 'JOB-TOKEN', 'Sudo', 'Cookie']) {
    const answer = await owner.get('/projects', undefined, { [name]: 'Bearer \u00ff' });
    assert.deepEqual([answer.status, answer.text], [400, `{"error":"${name.toLowerCase()} is invalid"}`], name);
  }
  assert.equal((await owner.get('/projects', undefined, { 'X-Other': '\u00ff' })).status, 200);
  assert.equal((await anonymous.get('/projects?search=%C3%A9%F0%9F%91%8D%2500')).status, 200);
});

test('rejects invalid text outside the API too', async () => {
  const { anonymous } = await scene();
  const none = { headers: {} };
  const form = { raw: 'grant_type=password&username=%00', headers: FORM_TYPE };
  for (const [method, path, sending, name] of [
    ['GET', '//', { headers: { Cookie: '_service_session=\u00ff' } }, 'cookie'],
    ['GET', '//users/sign_in?x=%ff', none, 'x'],
    ['GET', '//oauth/authorize?state=%00', none, 'state'],
    ['GET', '//a/b%00.git/info/refs', none, 'path'],
    ['GET', '//a/b.git/info/refs?service=%zz', none, 'service'],
    ['POST', '//a/%ff.git/info/lfs/objects/batch', none, 'path'],
    ['GET', '//-/liveness?%', none, 'query'],
    ['POST', '//oauth/token', form, 'username'],
    ['POST', '//users/sign_in', form, 'username'],
  ] as const) {
    await walk([[path, anonymous, method, path, sending, 400, { error: `${name} is invalid` }]]);
  }
});

test('a read checks its stages in the same order for every caller', async () => {
  const { root, anonymous, owner, stranger, unknown, project } = await scene();
  const none = { headers: {} };
  const path = `/projects/${project.id}/repository/commits`;
  const gone = { message: '404 Project Not Found' };
  await walk([
    ['JSON', anonymous, 'GET', '/projects', { raw: '{', headers: JSON_TYPE }, 400, { error: 'Invalid JSON format' }],
    ['type', anonymous, 'GET', '/projects', { raw: 'x', headers: TEXT_TYPE }, 415, notSupported('text/plain')],
    ['bad token', unknown, 'GET', '/projects?page=x', none, 401, { message: '401 Unauthorized' }],
    ['nobody', anonymous, 'GET', '/namespaces?page=x', none, 401, { message: '401 Unauthorized' }],
    ['parameters', stranger, 'GET', `${path}?page=x`, none, 400, { error: 'page is invalid' }],
    ['parameters', anonymous, 'GET', `${path}?since=x`, none, 400, { error: 'since is invalid' }],
    ['project', stranger, 'GET', path, none, 404, gone],
    ['project', anonymous, 'GET', path, none, 404, gone],
    ['not there', root, 'GET', '/projects/987654', none, 404, gone],
    ['bad token, no route', unknown, 'GET', '/nowhere', none, 404, { error: '404 Not Found' }],
  ]);
  assert.equal((await owner.get(path)).status, 200);
});

test('rejects other callers before parameters in administrator families, after them in single endpoints', async () => {
  const { anonymous, owner } = await scene();
  const empty = { raw: '{}', headers: JSON_TYPE };
  const unauthorized = { message: '401 Unauthorized' };
  const forbidden = { message: '403 Forbidden' };
  const wrong = { raw: '{"signup_enabled":"maybe"}', headers: JSON_TYPE };
  for (const [method, path, body] of [
    ['POST', '/features/some', empty],
    ['POST', '/applications', empty],
    ['PUT', '/application/settings', wrong],
    ['POST', `/users/${owner.id}/impersonation_tokens`, empty],
    ['POST', `/users/${owner.id}/personal_access_tokens`, empty],
    ['GET', '/audit_events?page=x', { headers: {} }],
  ] as const) {
    await walk([
      [path, anonymous, method, path, body, 401, unauthorized],
      [path, owner, method, path, body, 403, forbidden],
    ]);
  }
  const error =
    'email is missing, name is missing, username is missing, password, reset_password, force_random_password are missing, at least one parameter must be provided';
  const person = { raw: '{"email":"a@b.test","name":"A","username":"a","password":"x"}', headers: JSON_TYPE };
  await walk([
    ['nobody', anonymous, 'POST', '/users', empty, 401, unauthorized],
    ['parameters', owner, 'POST', '/users', empty, 400, { error }],
    ['administrator', owner, 'POST', '/users', person, 403, forbidden],
  ]);
});

test('ignores the type of an empty body; a JSON body that is no object has no parameters', async () => {
  const { owner, project } = await scene();
  const names = ['application/json', 'application/json; charset=utf-8', 'text/plain', 'application/xml', 'x'];
  for (const type of names) {
    for (const raw of [undefined, '']) {
      const headers = { 'Content-Type': type };
      assert.equal((await owner.send('GET', `/projects/${project.id}`, { raw, headers })).status, 200, type);
      assert.equal((await owner.send('HEAD', `/projects/${project.id}`, { raw, headers })).status, 200, type);
      const gone = await owner.send('DELETE', `/projects/${project.id}/repository/branches/none`, { raw, headers });
      assert.deepEqual(gone.body, { message: '404 Branch Not Found' }, type);
      const created = await owner.send('POST', '/groups', { raw, headers });
      assert.deepEqual(created.body, { error: 'name is missing, path is missing' }, type);
    }
  }
  for (const raw of ['[{"name":"a","path":"a"}]', '"name"', '7', 'null', 'true']) {
    const created = await owner.send('POST', '/groups', { raw, headers: JSON_TYPE });
    assert.deepEqual(created.body, { error: 'name is missing, path is missing' }, raw);
  }
});

test('the error for an unsupported media type contains the type without its parameters', async () => {
  const { owner } = await scene();
  for (const [type, told] of [
    ['text/plain', 'text/plain'],
    ['text/plain; charset=utf-8', 'text/plain'],
    ['application/xml', 'application/xml'],
    ['application/vnd.api+json', 'application/vnd.api+json'],
    ['application/octet-stream', 'application/octet-stream'],
  ] as const) {
    for (const [method, path] of [
      ['POST', '/groups'],
      ['PUT', '/groups/1'],
      ['DELETE', '/personal_access_tokens/1'],
    ] as const) {
      const answer = await owner.send(method, path, { raw: '{}', headers: { 'Content-Type': type } });
      assert.deepEqual([answer.status, answer.body], [415, notSupported(told)], `${method} ${type}`);
    }
  }
});
