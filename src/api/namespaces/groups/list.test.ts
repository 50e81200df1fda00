import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, type Group, type TestResponse, world } from '#test/support/world.ts';

const ids = ({ body }: TestResponse) => body.map(({ id }: { id: number }) => id);

/** Returns those of these groups that a list contains, in its order. */
async function filterListed(
  groups: readonly Group[],
  caller: Caller,
  params: object = {},
  path = '/groups',
): Promise<number[]> {
  const answer = await caller.get(path, { per_page: 100, ...params });
  assert.equal(answer.status, 200, answer.text);
  return ids(answer).filter((id: number) => groups.some((group) => group.id === id));
}

type Row = readonly [caller: Caller, params: object, groups: readonly Group[]];

/** Public, internal and private groups of ada; bob is Developer of the middle private one. */
async function createGroups() {
  const testWorld = await world();
  const [ada, bob, eve] = [await testWorld.user(), await testWorld.user(), await testWorld.user()];
  const open = await testWorld.newGroup({ owner: ada, visibility: 'public' });
  const internal = await testWorld.newGroup({ owner: ada, visibility: 'internal' });
  const top = await testWorld.newGroup({ owner: ada });
  const low = await testWorld.newGroup({ in: top });
  const lowest = await testWorld.newGroup({ in: low });
  const all = [open, internal, top, low, lowest];
  await low.addMember('developer', bob);
  const assertShown = async (rows: readonly Row[]) => {
    for (const [caller, params, groups] of rows) {
      const found = await filterListed(all, caller, { order_by: 'id', ...params });
      const expected = groups.map(({ id }) => id);
      assert.deepEqual(found, expected, `${caller.username} ${JSON.stringify(params)}`);
    }
  };
  return { here: testWorld, ada, bob, eve, open, internal, top, low, lowest, all, assertShown };
}

test('lists public groups for anonymous callers, and own or all visible groups for users', async () => {
  const { here, bob, eve, open, internal, top, low, lowest, all, assertShown } = await createGroups();
  await assertShown([
    [here.anonymous, {}, [open]],
    [here.anonymous, { all_available: true, owned: true }, []],
    [eve, {}, []],
    [eve, { all_available: true }, [open, internal]],
    [eve, { visibility: 'internal' }, [internal]],
    [eve, { visibility: 'private' }, []],
    [eve, { visibility: 'internal', all_available: false }, []],
    [bob, { visibility: 'private' }, [top, low, lowest]],
    [bob, {}, [top, low, lowest]],
    [bob, { all_available: true }, all],
    [bob, { min_access_level: 30 }, [low, lowest]],
    [bob, { owned: true }, []],
  ]);
});

test('lists all groups for Owners and administrators, by their filters', async () => {
  const { here, ada, open, internal, top, low, lowest, all, assertShown } = await createGroups();
  await assertShown([
    [ada, {}, all],
    [ada, { owned: true, visibility: 'internal' }, [internal]],
    [here.root, {}, all],
    [here.root, { all_available: false }, []],
    [here.root, { top_level_only: true }, [open, internal, top]],
    [here.root, { skip_groups: `${open.id},${low.id}` }, [internal, top, lowest]],
  ]);
});

test('lists visible groups below a group', async () => {
  const testWorld = await world();
  const [ada, bob, eve] = [await testWorld.user(), await testWorld.user(), await testWorld.user()];
  const open = await testWorld.newGroup({ owner: ada, visibility: 'public' });
  const top = await testWorld.newGroup({ owner: ada });
  const low = await testWorld.newGroup({ in: top });
  const lowest = await testWorld.newGroup({ in: low });
  await low.addMember('developer', bob);
  assert.deepEqual(ids(await bob.get(`${top.at}/subgroups`)), [low.id]);
  assert.deepEqual(ids(await bob.get(`${top.at}/descendant_groups`, { order_by: 'id' })), [low.id, lowest.id]);
  assert.equal((await eve.get(`${top.at}/subgroups`)).status, 404);
  assert.equal((await testWorld.anonymous.get(`${open.at}/subgroups`)).status, 200);
});

test('filters by search and state and applies the order', async () => {
  const testWorld = await world();
  const ada = await testWorld.user();
  const word = testWorld.name('needle');
  const group = (params: object) => testWorld.newGroup({ owner: ada, ...params });
  const inside = await group({ name: `B with ${word} inside` });
  const exact = await group({ name: 'Z', path: word });
  const starts = await group({ name: `${word}-and-more` });
  const other = await group({ name: 'other' });
  const all = [inside, exact, starts, other];
  const search = (params: object) => filterListed(all, ada, { search: word.toUpperCase(), ...params });
  assert.deepEqual(await search({}), [inside.id, exact.id, starts.id]);
  assert.deepEqual(await search({ order_by: 'similarity' }), [exact.id, starts.id, inside.id]);
  assert.deepEqual(await search({ order_by: 'id', sort: 'desc' }), [starts.id, exact.id, inside.id]);
  assert.deepEqual(await filterListed(all, ada, { search: '%' }), []);
  await ada.post(`/groups/${inside.id}/archive`);
  await ada.delete(`/groups/${starts.id}`);
  assert.deepEqual(await search({ archived: true }), [inside.id]);
  assert.deepEqual(await search({ archived: false, order_by: 'id' }), [exact.id, starts.id]);
  assert.deepEqual(await search({ active: true }), [exact.id]);
  assert.deepEqual(await search({ active: false, order_by: 'id' }), [inside.id, starts.id]);
  const paged = await ada.get('/groups', { search: word, per_page: 2, page: 2 });
  assert.deepEqual([paged.headers['x-total'], paged.headers['x-total-pages'], paged.body.length], ['3', '2', 1]);
});

test('searches full paths in the list of all groups, and last segments below a group', async () => {
  const testWorld = await world();
  const ada = await testWorld.user();
  const top = await testWorld.newGroup({ owner: ada });
  const low = await testWorld.newGroup({ in: top });
  const all = [top, low];
  assert.deepEqual(await filterListed(all, ada, { search: low.full_path.toUpperCase() }), [low.id]);
  assert.deepEqual(await filterListed(all, ada, { search: top.path, order_by: 'id' }), [top.id, low.id]);
  assert.deepEqual(await filterListed(all, ada, { search: top.path }, `${top.at}/subgroups`), []);
  assert.deepEqual(await filterListed(all, ada, { search: low.path }, `${top.at}/descendant_groups`), [low.id]);
});

test('filters groups by the date of their deletion mark', async () => {
  const testWorld = await world();
  const ada = await testWorld.user();
  const [kept, marked] = [await testWorld.newGroup({ owner: ada }), await testWorld.newGroup({ owner: ada })];
  await ada.delete(marked.at);
  const on = (day: string) => filterListed([kept, marked], ada, { marked_for_deletion_on: day });
  assert.deepEqual([await on('2026-01-02'), await on('2026-01-03')], [[marked.id], []]);
  assert.deepEqual((await ada.get('/groups', { marked_for_deletion_on: 'soon' })).body, {
    error: 'marked_for_deletion_on is invalid',
  });
});

test('includes inherited archived and deletion states in the filters', async () => {
  const testWorld = await world();
  const ada = await testWorld.user();
  const [dusty, doomed, live] = [
    await testWorld.newGroup({ owner: ada }),
    await testWorld.newGroup({ owner: ada }),
    await testWorld.newGroup({ owner: ada }),
  ];
  const [low, lost, fresh] = [
    await testWorld.newGroup({ in: dusty }),
    await testWorld.newGroup({ in: doomed }),
    await testWorld.newGroup({ in: live }),
  ];
  await ada.post(`${dusty.at}/archive`);
  await ada.delete(doomed.at);
  const all = [dusty, doomed, live, low, lost, fresh];
  const rows: [object, Group[]][] = [
    [{ archived: true }, [dusty, low]],
    [{ archived: false }, [doomed, live, lost, fresh]],
    [{ active: true }, [live, fresh]],
    [{ active: false }, [dusty, doomed, low, lost]],
    [{ active: false, archived: false }, [doomed, lost]],
  ];
  for (const [params, groups] of rows) {
    const found = await filterListed(all, ada, { order_by: 'id', ...params });
    assert.deepEqual(
      found,
      groups.map(({ id }) => id),
      JSON.stringify(params),
    );
  }
  assert.deepEqual(await filterListed(all, ada, { archived: true }, `${dusty.at}/subgroups`), [low.id]);
  assert.deepEqual(await filterListed(all, ada, { active: true }, `${doomed.at}/descendant_groups`), []);
});

test('paginates public groups by keyset for anonymous callers, each once', async () => {
  const here = await world();
  const [ada, word] = [await here.user(), here.name('walk')];
  const made: number[] = [];
  for (const name of ['b', 'a', 'b', 'c', 'b']) {
    made.push((await here.newGroup({ owner: ada, name: `${word} ${name}`, visibility: 'public' })).id);
  }
  const seen: number[] = [];
  let url: string | undefined = `/groups?pagination=keyset&per_page=2&search=${encodeURIComponent(word)}`;
  while (url !== undefined) {
    const answer: TestResponse = await here.anonymous.get(url);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.headers['x-total'] ?? answer.headers['x-page'], undefined);
    seen.push(...ids(answer));
    const next: string | undefined = /<[^>]*\/api\/v4([^>]*)>; rel="next"/.exec(String(answer.headers.link ?? ''))?.[1];
    assert.equal(answer.headers['x-next-cursor'] === undefined, next === undefined);
    url = next;
  }
  const [b1, a, b2, c, b3] = made;
  assert.deepEqual(seen, [a, b1, b2, b3, c]);
});

test('returns 405 for another keyset order and 400 for an invalid cursor, and pages for signed-in callers', async () => {
  const here = await world();
  const ada = await here.user();
  for (const params of [{ order_by: 'path' }, { sort: 'desc' }, { order_by: 'id' }]) {
    const refused = await here.anonymous.get('/groups', { pagination: 'keyset', ...params });
    assert.deepEqual(
      [refused.status, refused.body],
      [405, { error: 'Keyset pagination is not yet available for this type of request' }],
    );
  }
  assert.deepEqual((await here.anonymous.get('/groups', { pagination: 'keyset', cursor: '!' })).body, {
    error: 'cursor is invalid',
  });
  const signedIn = await ada.get('/groups', { pagination: 'keyset', order_by: 'path' });
  assert.deepEqual([signedIn.status, signedIn.headers['x-page']], [200, '1']);
});

test('limits the offset for anonymous callers', async () => {
  const { anonymous, user } = await world();
  const far = await anonymous.get('/groups', { page: 501, per_page: 100 });
  const text =
    'Offset pagination has a maximum allowed offset of 50000 for requests that return objects of type Group. Remaining records can be retrieved using keyset pagination.';
  assert.deepEqual([far.status, far.body], [405, { error: text }]);
  assert.equal((await anonymous.get('/groups', { page: 500, per_page: 100 })).status, 200);
  assert.equal((await (await user()).get('/groups', { page: 501, per_page: 100 })).status, 200);
});

test('returns storage and sizes to administrators', async () => {
  const here = await world();
  const ada = await here.user();
  const group = await here.newGroup({ owner: ada });
  const [shown] = (await here.root.get('/groups', { search: group.path, statistics: true })).body;
  assert.equal(shown.repository_storage, 'default');
  assert.equal(shown.statistics.storage_size, 0);
  const [mine] = (await ada.get('/groups', { statistics: true })).body;
  assert.equal('statistics' in mine || 'repository_storage' in mine, false);
  assert.deepEqual(await filterListed([group], here.root, { repository_storage: 'elsewhere' }), []);
  assert.deepEqual(await filterListed([group], ada, { repository_storage: 'elsewhere' }), [group.id]);
  assert.deepEqual(await filterListed([group], here.root, { repository_storage: '' }), [group.id]);
  const bare = await ada.get(group.at, { with_projects: false });
  assert.equal('projects' in bare.body || 'shared_projects' in bare.body, false);
});
