import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, type TestResponse, world } from '#test/support/world.ts';

// One call in every encoding, and which of several values counts (contract/conventions.md §3 "Sources", "Encodings").

type Pairs = readonly [name: string, value: string][];

const { root, user, newProject, newGroup } = await world();

const form = (pairs: Pairs) => new URLSearchParams(pairs).toString();

function multipart(pairs: Pairs): string {
  const parts = pairs.map(
    ([key, value]) => `--the edge\r\nContent-Disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`,
  );
  return `preamble\r\n${parts.join('')}--the edge--\r\nepilogue`;
}

/** The same values in the query, as a form with and without its type, as multipart, and in the given JSON. */
async function inEveryEncoding(caller: Caller, method: string, path: string, pairs: Pairs, json: object) {
  const send = (type: string | null, raw: string) =>
    caller.send(method, path, { raw, headers: type === null ? {} : { 'Content-Type': type } });
  return {
    json: await send('application/json', JSON.stringify(json)),
    'json with a charset': await send('Application/JSON; charset=UTF-8', JSON.stringify(json)),
    form: await send('application/x-www-form-urlencoded', form(pairs)),
    'form with a charset': await send('application/x-www-form-urlencoded; charset=utf-8', form(pairs)),
    multipart: await send('multipart/form-data; boundary="the edge"', multipart(pairs)),
    query: await caller.send(method, `${path}?${form(pairs)}`),
    ...(method === 'POST' ? { 'no type': await send(null, form(pairs)) } : {}),
  };
}

const pick = ({ status, body }: TestResponse, keys: readonly string[]) => [
  status,
  Object.fromEntries(keys.map((key) => [key, body[key]])),
];

test('a write is the same in every encoding', async () => {
  const ada = await user();
  const { id } = await newProject({ owner: ada });
  const wanted = {
    description: 'é & ü = "100%" + 👍\r\nb',
    topics: ['a b', 'c'],
    lfs_enabled: false,
    build_timeout: 900,
  };
  const pairs: Pairs = [
    ['description', wanted.description],
    ['topics[]', 'a b'],
    ['topics[]', 'c'],
    ['lfs_enabled', 'no'],
    ['build_timeout', '900'],
  ];
  for (const [encoding, answer] of Object.entries(
    await inEveryEncoding(ada, 'PUT', `/projects/${id}`, pairs, wanted),
  )) {
    assert.deepEqual(pick(answer, Object.keys(wanted)), [200, wanted], encoding);
    await ada.put(`/projects/${id}`, { description: '', topics: [], lfs_enabled: true, build_timeout: 3600 });
  }
});

test('a list is the same in every encoding', async () => {
  const ada = await user();
  const made: number[] = [];
  for (let index = 0; index < 3; index++) {
    made.push((await newGroup({ owner: ada })).id);
  }
  const [first = 0, ...others] = made;
  const list = await inEveryEncoding(
    ada,
    'GET',
    '/groups',
    [
      ['skip_groups[]', String(first)],
      ['owned', 'true'],
      ['order_by', 'id'],
    ],
    { skip_groups: [first], owned: true, order_by: 'id' },
  );
  for (const [encoding, { body }] of Object.entries(list)) {
    assert.deepEqual(
      body.map(({ id }: { id: number }) => id),
      others,
      encoding,
    );
  }
});

test('a rejected deletion is the same in every encoding', async () => {
  const ada = await user();
  const { id: first } = await newGroup({ owner: ada });
  const kept = { permanently_remove: true, full_path: 'wrong' };
  const refused = await inEveryEncoding(
    ada,
    'DELETE',
    `/groups/${first}`,
    [
      ['permanently_remove', 'true'],
      ['full_path', 'wrong'],
    ],
    kept,
  );
  const [wanted] = Object.values(refused);
  assert.equal(wanted?.status, 400);
  for (const [encoding, { status, body }] of Object.entries(refused)) {
    assert.deepEqual([status, body], [wanted?.status, wanted?.body], encoding);
  }
});

test('uses the last of repeated values; the path overrides the body, which overrides the query', async () => {
  const ada = await user();
  const [{ id: one }, { id: other }] = [await newGroup({ owner: ada }), await newGroup({ owner: ada })];
  const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const JSON_TYPE = { 'Content-Type': 'application/json' };
  const rows = [
    ['', 'description=a&description=b', FORM, 'b'],
    ['', 'description[]=a&description=b', FORM, 'b'],
    ['?description=query', 'description=body', FORM, 'body'],
    ['?description=query', '{"description":"body"}', JSON_TYPE, 'body'],
    ['?description=query', '{}', JSON_TYPE, 'query'],
    ['?description=query&description=last', '', JSON_TYPE, 'last'],
    ['', '{"description":"a","description":"b"}', JSON_TYPE, 'b'],
    [`?id=${other}&description=c`, `{"id":${other}}`, JSON_TYPE, 'c'],
    ['', `id=${other}&description=d&no_such=1&x[y]=z`, FORM, 'd'],
  ] as const;
  for (const [query, raw, headers, kept] of rows) {
    const { status, body } = await ada.send('PUT', `/groups/${one}${query}`, { raw, headers });
    assert.deepEqual([status, body.id, body.description], [200, one, kept], `${query} ${raw}`);
  }
  assert.equal((await ada.get(`/groups/${other}`)).body.description, '');
});

test('query and body do not override the project or file in the path', async () => {
  const ada = await user();
  const [mine, other] = [
    await newProject({ owner: ada, readme: true }),
    await newProject({ owner: ada, readme: true }),
  ];
  const at = `/projects/${mine.id}`;
  const file = { branch: 'main', commit_message: 'm', content: 'x' };
  const stray = { id: other.id, file_path: 'stray', branch_name: 'stray' };
  assert.deepEqual((await ada.post(`${at}/repository/files/kept.txt`, { ...file, ...stray })).body, {
    file_path: 'kept.txt',
    branch: 'main',
  });
  const actions = [{ action: 'create', file_path: 'made.txt', content: 'x' }];
  assert.equal((await ada.post(`${at}/repository/commits`, { ...file, ...stray, actions })).status, 201);
  for (const path of ['kept.txt', 'made.txt']) {
    assert.equal((await ada.get(`${at}/repository/files/${path}?ref=main&id=${other.id}&file_path=x`)).status, 200);
    assert.equal((await ada.get(`/projects/${other.id}/repository/files/${path}?ref=main`)).status, 404);
  }
});

test('query and body do not override the user or feature in the path', async () => {
  const [ada, bob] = [await user(), await user()];
  const [mine, other] = [await newProject({ owner: ada }), await newProject({ owner: ada })];
  const at = mine.at;
  await ada.post(`${at}/members`, { user_id: bob.id, access_level: 30 });
  const changed = await ada.put(`${at}/members/${bob.id}`, { user_id: ada.id, id: other.id, access_level: 20 });
  assert.deepEqual([changed.body.id, changed.body.access_level], [bob.id, 20]);
  assert.equal((await root.get(`/users/${bob.id}?id=${ada.id}`)).body.id, bob.id);
  assert.equal((await root.post('/features/kept', { name: 'stray', value: true })).body.name, 'kept');
  const issued = await root.post(`/users/${bob.id}/personal_access_tokens`, {
    user_id: ada.id,
    name: 't',
    scopes: ['api'],
  });
  assert.equal(issued.body.user_id, bob.id);
});
