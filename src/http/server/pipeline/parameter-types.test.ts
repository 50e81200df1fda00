import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, type TestResponse, world } from '#test/support/world.ts';

// Parsing and errors of parameters (contract/conventions.md §3), in the query, in a form and in JSON.

const JSON_TYPE = { 'Content-Type': 'application/json' };
const FORM_TYPE = { 'Content-Type': 'application/x-www-form-urlencoded' };

const { root, user, name, newGroup, newProject } = await world();
const ada = await user();
const group = (await newGroup({ owner: ada, name: 'coerced' })).id;
const project = (await newProject({ owner: ada, readme: true })).id;

const asJson = (caller: Caller, method: string, path: string, raw: string) =>
  caller.send(method, path, { raw, headers: JSON_TYPE });
const asForm = (caller: Caller, method: string, path: string, raw: string) =>
  caller.send(method, path, { raw, headers: FORM_TYPE });

function checkRefused(answer: TestResponse, error: string, told: string): void {
  assert.deepEqual([answer.status, answer.body], [400, { error }], told);
}

test('a text accepts numbers and booleans as written, and rejects arrays and hashes', async () => {
  const path = `/groups/${group}`;
  const rows = [
    ['"a b"', 'a b'],
    ['12', '12'],
    ['-1.5', '-1.5'],
    ['9007199254740991', '9007199254740991'],
    ['true', 'true'],
    ['false', 'false'],
    ['""', ''],
    ['" x "', ' x '],
  ] as const;
  for (const [sent, kept] of rows) {
    const { body } = await asJson(ada, 'PUT', path, `{"description":${sent}}`);
    assert.equal(body.description, kept, sent);
  }
  for (const sent of ['[]', '["a"]', '{}', '{"a":1}', '"a\\u0000"', '9007199254740993', '-1e400']) {
    checkRefused(await asJson(ada, 'PUT', path, `{"description":${sent}}`), 'description is invalid', sent);
  }
  for (const sent of ['description[]=a', 'description[a]=b', 'description[0]=a']) {
    checkRefused(await asForm(ada, 'PUT', path, sent), 'description is invalid', sent);
  }
  assert.equal((await ada.get(path)).body.description, ' x ');
});

test('an integer accepts a sign and nothing else', async () => {
  for (const sent of ['7', '%2B7', '-7', '007', '', '-0', '9007199254740991']) {
    assert.equal((await ada.get(`/projects?id_after=${sent}`)).status, 200, sent);
  }
  for (const sent of ['abc', '1.5', '1.0', '1e3', '0x1', 'true', '--1', '1a', '9007199254740992', '%EF%BC%91']) {
    checkRefused(await ada.get(`/projects?id_after=${sent}`), 'id_after is invalid', sent);
  }
  for (const sent of ['7', '"7"', '""', 'null', '7.0']) {
    assert.equal((await asJson(ada, 'GET', '/projects', `{"id_after":${sent}}`)).status, 200, sent);
  }
  for (const sent of ['7.5', 'true', '[7]', '{}', '"a"', '9007199254740992', '1e400', '"7.0"']) {
    checkRefused(await asJson(ada, 'GET', '/projects', `{"id_after":${sent}}`), 'id_after is invalid', sent);
  }
});

const YES = '1 t T true TRUE True y Y yes YES Yes on ON On'.split(' ');
const NO = '0 f F false FALSE False n N no NO No off OFF Off'.split(' ');

test('a boolean accepts the same words in all encodings', async () => {
  const path = `/groups/${group}`;
  const rows = [...YES.map((word) => [word, true] as const), ...NO.map((word) => [word, false] as const)];
  for (const [word, kept] of rows) {
    await ada.put(path, { request_access_enabled: !kept });
    const form = await asForm(ada, 'PUT', path, `request_access_enabled=${word}`);
    assert.equal(form.body.request_access_enabled, kept, word);
    await ada.put(path, { request_access_enabled: !kept });
    assert.equal((await ada.put(path, { request_access_enabled: word })).body.request_access_enabled, kept, word);
  }
  for (const [sent, kept] of [
    ['1', true],
    ['0', false],
  ] as const) {
    const { body } = await asJson(ada, 'PUT', path, `{"request_access_enabled":${sent}}`);
    assert.equal(body.request_access_enabled, kept, sent);
  }
  for (const sent of ['"tRUE"', '"yEs"', '2', '-1', '"2"', '1.5', '" true"', '[]', '[true]', '{}', '"\\u0000"']) {
    const answer = await asJson(ada, 'PUT', path, `{"request_access_enabled":${sent}}`);
    checkRefused(answer, 'request_access_enabled is invalid', sent);
  }
});

test('a date accepts short parts and ignores a time', async () => {
  const path = `/projects/${project}/access_tokens`;
  const token = (expires_at: unknown) => ada.post(path, { name: 't', scopes: ['api'], expires_at });
  for (const [sent, kept] of [
    ['2026-02-13', '2026-02-13'],
    ['2026-2-3', '2026-02-03'],
    ['2026-02-13T23:59:59.999+14:00', '2026-02-13'],
    ['2026-2-3 01:00', '2026-02-03'],
  ]) {
    assert.equal((await token(sent)).body.expires_at, kept, String(sent));
  }
  for (const sent of [
    '2026-02-29',
    '2026-13-01',
    '2026-00-01',
    '2026-04-31',
    'tomorrow',
    '13-02-2026',
    20260213,
    true,
  ]) {
    checkRefused(await token(sent), 'expires_at is invalid', String(sent));
  }
  for (const sent of ['', null]) {
    const { status, body } = await token(sent);
    assert.deepEqual([status, body.expires_at], [201, '2027-01-02'], 'no date: the latest that there may be');
  }
});

test('a timestamp defaults to UTC and to the start of the day', async () => {
  // All that is recorded here was recorded at 2026-01-02T03:04:05.000Z.
  const path = `/projects/${project}/audit_events`;
  const counted = async (query: string) => {
    const { status, body } = await ada.get(`${path}?${query}`);
    return status === 200 ? body.length > 0 : body.error;
  };
  for (const [moment, isBefore] of [
    ['2026-01-02', true],
    ['2026-01-03', false],
    ['2026-01-02T03:04:05Z', true],
    ['2026-01-02T03:04:05.000Z', true],
    ['2026-01-02T03:04:05.001Z', false],
    ['2026-01-02T03:04:05', true],
    ['2026-01-02+03:04:05', true],
    ['2026-01-02%2003:04:06', false],
    ['2026-01-02T04:04:05%2B01:00', true],
    ['2026-01-02T04:04:06%2B0100', false],
    ['2026-01-01T22:04:05-05:00', true],
    ['2026-01-01T22:04:06-0500', false],
  ] as const) {
    assert.equal(await counted(`created_after=${moment}`), isBefore, moment);
  }
  for (const moment of ['2026-01-02T04:04:05+01:00', '2026-02-30', '2026-01-02T25:00:00Z', 'now', '1770949696']) {
    assert.equal(await counted(`created_after=${moment}`), 'created_after is invalid', moment);
  }
  assert.equal(await counted('created_after='), true);
});

test('rejects other types for a hash or an array', async () => {
  const blame = `/projects/${project}/repository/files/README.md/blame?ref=main`;
  for (const range of ['range=1', 'range[]=1']) {
    checkRefused(await ada.get(`${blame}&${range}`), 'range is invalid', range);
  }
  const path = `/projects/${project}/access_tokens`;
  const order = 'name=t&expires_at=2026-05-05';
  const scopes = async (form: string) => (await asForm(ada, 'POST', path, `${order}&${form}`)).body;
  assert.deepEqual((await scopes('scopes[]=api&scopes[]=read_api')).scopes, ['api', 'read_api']);
  assert.deepEqual((await scopes('scopes[10]=api&scopes[9]=read_api')).scopes, ['read_api', 'api']);
  assert.deepEqual(await scopes('scopes=api'), { error: 'scopes is invalid' });
  assert.deepEqual(await scopes('scopes[a]=api'), { error: 'scopes is invalid' });
  assert.deepEqual(await scopes('scopes[]=api&scopes[]=api2'), { error: 'scopes does not have a valid value' });
  assert.deepEqual(await scopes('scopes[][x]=api'), { error: 'scopes is invalid' });
});

test('a comma array takes one text, whose items are trimmed, and arrays as well', async () => {
  const path = `/users/${ada.id}/personal_access_tokens`;
  const scopes = async (form: string) => (await asForm(root, 'POST', path, `name=t&${form}`)).body;
  assert.deepEqual((await scopes('scopes=api,read_api+,+sudo')).scopes, ['api', 'read_api', 'sudo']);
  assert.deepEqual((await scopes('scopes[]=api&scopes[]=sudo')).scopes, ['api', 'sudo']);
  assert.deepEqual((await root.post(path, { name: 't', scopes: ' api , sudo' })).body.scopes, ['api', 'sudo']);
  assert.deepEqual((await root.post(path, { name: 't', scopes: ['api', 'sudo'] })).body.scopes, ['api', 'sudo']);
  assert.deepEqual(await scopes('scopes=api,wrong'), { error: 'scopes does not have a valid value' });
  for (const nothing of ['scopes=', 'scopes[]=', 'scopes=+,+']) {
    assert.deepEqual(await scopes(nothing), { message: "Scopes can't be blank" }, nothing);
  }
});

test('reports each error once, in the order of the declaration', async () => {
  const tokens = `/projects/${project}/access_tokens`;
  const first = 'name is missing, scopes is missing';
  checkRefused(await asForm(ada, 'POST', tokens, ''), first, 'all');
  checkRefused(
    await asForm(ada, 'POST', tokens, 'access_level=x&expires_at=x&scopes=x&description[]=a'),
    'name is missing, description is invalid, scopes is invalid, expires_at is invalid, access_level is invalid',
    'turned round',
  );
  checkRefused(
    await ada.post(tokens, { name: 't', scopes: ['x', 'y', 'z'] }),
    'scopes does not have a valid value',
    'once',
  );
  const rules = `/projects/${project}/protected_branches`;
  checkRefused(
    await asForm(ada, 'POST', rules, 'allowed_to_merge=1&push_access_level=31&allow_force_push=maybe'),
    'name is missing, push_access_level does not have a valid value, allow_force_push is invalid, allowed_to_merge is invalid',
    'a rule',
  );
  checkRefused(
    await ada.get('/projects?per_page=0&page=x&order_by=x&visibility=x&archived=x'),
    'archived is invalid, visibility does not have a valid value, order_by does not have a valid value, page is invalid, per_page has a value not allowed',
    'a list',
  );
});

test('an array of hashes comes in three forms and in JSON', async () => {
  const path = `/projects/${project}/protected_branches`;
  const levels = ({ body }: TestResponse) =>
    body.push_access_levels?.map(({ access_level }: { access_level: number }) => access_level) ?? body;
  const form = async (fields: string) => levels(await asForm(ada, 'POST', path, `name=${name('rule')}&${fields}`));
  const both = [30, 40];
  for (const fields of [
    'allowed_to_push[][access_level]=30&allowed_to_push[][access_level]=40',
    'allowed_to_push[7][access_level]=40&allowed_to_push[3][access_level]=30',
    'allowed_to_push%5B%5D%5Baccess_level%5D=30&allowed_to_push%5B%5D%5Baccess_level%5D=40',
  ]) {
    assert.deepEqual(await form(fields), both, fields);
  }
  assert.deepEqual(await form('allowed_to_push[access_level]=30'), [30]);
  const allowed_to_push = both.map((access_level) => ({ access_level }));
  assert.deepEqual(levels(await ada.post(path, { name: name('rule'), allowed_to_push })), both);
  const error = 'allowed_to_push[access_level] is invalid';
  assert.deepEqual(await form('allowed_to_push[][access_level]=30&allowed_to_push[][access_level]=x'), { error });
  assert.deepEqual(await form('allowed_to_push[0][access_level]=30&allowed_to_push[5][access_level]=x'), { error });
  const json = { name: name('rule'), allowed_to_push: [{ access_level: 30 }, { access_level: {} }] };
  assert.deepEqual(levels(await ada.post(path, json)), { error });
  for (const fields of ['allowed_to_push=30', 'allowed_to_push[]=30']) {
    assert.deepEqual(await form(fields), { error: 'allowed_to_push is invalid' }, fields);
  }
});

test('validates required keys of a sent hash, and errors name them in brackets', async () => {
  const blame = `/projects/${project}/repository/files/README.md/blame?ref=main`;
  assert.equal((await ada.get(`${blame}&range[start]=1&range[end]=1`)).status, 200);
  const error = 'range[end] is missing, range[end] is empty';
  checkRefused(await ada.get(`${blame}&range[start]=1`), error, 'end');
  checkRefused(
    await ada.get(`${blame}&range[start]=x&range[end]=`),
    'range[start] is invalid, range[end] is empty',
    'both',
  );
});

test('validates mutually exclusive and mutually required parameters', async () => {
  const exclusive = { error: 'user_id, username are mutually exclusive' };
  const members = `/projects/${project}/members`;
  const both = await ada.post(members, { user_id: 1, username: 'root', access_level: 30 });
  assert.deepEqual([both.status, both.body], [400, exclusive]);
  const none = await ada.post(members, { access_level: 30 });
  const missing = 'user_id, username are missing, at least one parameter must be provided';
  assert.deepEqual([none.status, none.body], [400, { error: missing }]);
  checkRefused(
    await root.post('/features/exclusive', { value: true, key: 'percentage_of_actors', user: 'root', group: 'x' }),
    'key, user are mutually exclusive, key, group are mutually exclusive',
    'each of them',
  );
  checkRefused(
    await root.get('/users', { extern_uid: 'x' }),
    'extern_uid, provider provide all or none of parameters',
    'half',
  );
});

test('null and blank give the default; null is not a valid list element', async () => {
  for (const raw of ['{"page":null,"per_page":""}', '{"page":"","per_page":null}']) {
    const { status, headers } = await asJson(ada, 'GET', '/projects', raw);
    assert.deepEqual([status, headers['x-page'], headers['x-per-page']], [200, '1', '20'], raw);
  }
  const tokens = `/projects/${project}/access_tokens`;
  for (const access_level of [undefined, null, '']) {
    const { body } = await ada.post(tokens, { name: 't', scopes: ['api'], expires_at: '2026-05-05', access_level });
    assert.equal(body.access_level, 40, String(access_level));
  }
  const application = { name: 'a', redirect_uri: 'https://app.test/cb', scopes: 'api' };
  for (const confidential of [null, '']) {
    assert.equal((await root.post('/applications', { ...application, confidential })).body.confidential, true);
  }
  const nulls = '{"order_by":null,"sort":null,"visibility":null,"archived":null,"min_access_level":null}';
  assert.deepEqual((await asJson(ada, 'GET', '/projects', nulls)).body, (await ada.get('/projects')).body);
  for (const [query, error] of [
    ['order_by=', 'order_by does not have a valid value'],
    ['sort=', 'sort does not have a valid value'],
    ['min_access_level=31', 'min_access_level does not have a valid value'],
  ] as const) {
    checkRefused(await ada.get(`/projects?${query}`), error, query);
  }
});
