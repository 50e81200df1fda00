import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, type TestResponse, world } from '#test/support/world.ts';

const { newProject, newGroup } = await world();

const listIds = ({ status, text, body }: TestResponse): number[] => {
  assert.equal(status, 200, text);
  return body.map(({ id }: { id: number }) => id);
};

/** Restricts to the projects of this test, which are in one personal namespace. */
const filterListed = async (
  caller: Caller,
  wanted: readonly { id: number }[],
  params: Record<string, unknown> = {},
) => {
  const known = new Set(wanted.map(({ id }) => id));
  return listIds(await caller.get('/projects', { per_page: 100, ...params })).filter((id) => known.has(id));
};

test('lists private, internal and public projects that the caller can see', async () => {
  const { user, anonymous, root } = await world();
  const [owner, stranger] = [await user(), await user()];
  const hidden = await newProject({ owner });
  const internal = await newProject({ owner, visibility: 'internal' });
  const open = await newProject({ owner, visibility: 'public' });
  const all = [hidden, internal, open];
  assert.deepEqual(await filterListed(owner, all), [open.id, internal.id, hidden.id]);
  assert.deepEqual(await filterListed(root, all), [open.id, internal.id, hidden.id]);
  assert.deepEqual(await filterListed(stranger, all), [open.id, internal.id]);
  assert.deepEqual(await filterListed(anonymous, all), [open.id]);
  assert.equal((await stranger.get(hidden.at)).status, 404);
  assert.deepEqual((await anonymous.get(internal.at)).body, { message: '404 Project Not Found' });
});

test('returns the simple form to anonymous callers and with simple=true', async () => {
  const { project, owner, anonymous } = await world({ project: { visibility: 'public', topics: 'a, b' } });
  const [shown] = (await anonymous.get(`/users/${owner.id}/projects`)).body;
  assert.deepEqual((await owner.get(`/users/${owner.username}/projects`, { simple: true })).body, [shown]);
  assert.deepEqual((await anonymous.get(project.at)).body, shown);
  assert.deepEqual(shown, {
    id: project.id,
    description: null,
    name: project.name,
    name_with_namespace: project.name_with_namespace,
    path: project.path,
    path_with_namespace: project.path_with_namespace,
    created_at: project.created_at,
    default_branch: 'main',
    tag_list: ['a', 'b'],
    topics: ['a', 'b'],
    ssh_url_to_repo: `git@127.0.0.1:${project.path_with_namespace}.git`,
    http_url_to_repo: `${project.web_url}.git`,
    web_url: project.web_url,
    readme_url: null,
    forks_count: 0,
    avatar_url: null,
    star_count: 0,
    last_activity_at: project.last_activity_at,
    visibility: 'public',
    namespace: project.namespace,
  });
});

test('returns roles to members, and more to administrators even in the simple form', async () => {
  const { owner, root } = await world({ project: { visibility: 'public' } });
  const [full] = (await owner.get(`/users/${owner.id}/projects`)).body;
  assert.equal(full.permissions.project_access.access_level, 50);
  const [asAdministrator] = (await root.get(`/users/${owner.id}/projects`, { simple: true })).body;
  assert.equal(asAdministrator.repository_storage, 'default');
});

type Row = readonly [caller: Caller, params: Record<string, unknown>, wanted: readonly { id: number }[]];

/** Three projects with different filterable values. */
async function createDifferentProjects() {
  const { user, name } = await world();
  const [owner, member] = [await user(), await user()];
  const word = name('needle');
  const a = await newProject({ owner, name: `${word} a`, path: 'first', visibility: 'public', topics: ['x', 'y'] });
  const b = await newProject({ owner, name: 'second', path: `${word}-b`, visibility: 'public', issues_enabled: false });
  const c = await newProject({ owner, visibility: 'public', topics: ['y'], merge_requests_access_level: 'private' });
  await c.addMember('developer', member);
  assert.equal((await owner.post(`${b.at}/archive`)).status, 201);
  const assertListed = async (rows: readonly Row[]) => {
    for (const [caller, params, wanted] of rows) {
      const ids = wanted.map(({ id }) => id);
      assert.deepEqual(await filterListed(caller, [a, b, c], params), ids, JSON.stringify(params));
    }
  };
  return { owner, member, word, a, b, c, assertListed };
}

test('filters by attribute, name and topic', async () => {
  const { owner, member, word, a, b, c, assertListed } = await createDifferentProjects();
  await assertListed([
    [member, { archived: true }, [b]],
    [member, { archived: false }, [c, a]],
    [member, { visibility: 'private' }, []],
    [member, { search: word.toUpperCase() }, [b, a]],
    [member, { search: `${word} a` }, [a]],
    [member, { search: '100%' }, []],
    [member, { search: owner.username }, []],
    [member, { search: owner.username, search_namespaces: true }, [c, b, a]],
    [member, { topic: 'y' }, [c, a]],
    [member, { topic: 'x,y' }, [a]],
    [member, { topic: 'Y' }, []],
    [owner, { id_after: a.id, id_before: c.id }, [b]],
  ]);
});

test('includes inherited archived and deletion states in the filters', async () => {
  const { owner, group: top } = await world({ group: {} });
  const [dusty, doomed, live] = [await newGroup({ in: top }), await newGroup({ in: top }), await newGroup({ in: top })];
  const low = await newGroup({ in: dusty });
  const a = await newProject({ in: low });
  const b = await newProject({ in: doomed });
  const c = await newProject({ in: live });
  const d = await newProject({ in: live });
  const e = await newProject({ in: live });
  await owner.post(`${dusty.at}/archive`);
  await owner.delete(doomed.at);
  await owner.post(`${d.at}/archive`);
  await owner.delete(e.at);
  const rows: [Record<string, unknown>, { id: number }[]][] = [
    [{ archived: true }, [a, d, e]],
    [{ archived: false }, [b, c]],
    [{ active: true }, [c]],
    [{ active: false }, [a, b, d, e]],
    [{ active: false, archived: false }, [b]],
  ];
  for (const [filter, wanted] of rows) {
    const [params, ids] = [{ order_by: 'id', sort: 'asc', ...filter }, wanted.map(({ id }) => id)];
    assert.deepEqual(await filterListed(owner, [a, b, c, d, e], params), ids, JSON.stringify(filter));
    assert.deepEqual(listIds(await owner.get(`${top.at}/projects`, { include_subgroups: true, ...params })), ids);
  }
});

test('filters by the date of the deletion mark; matches nothing by imported', async () => {
  const { owner, project: kept } = await world({ project: {} });
  const marked = await newProject({ owner });
  await owner.delete(marked.at);
  const on = (params: Record<string, unknown>) => filterListed(owner, [kept, marked], params);
  assert.deepEqual(await on({ marked_for_deletion_on: '2026-01-02' }), [marked.id]);
  assert.deepEqual(await on({ marked_for_deletion_on: '2026-01-03' }), []);
  assert.deepEqual(await on({ imported: true }), []);
  assert.deepEqual(await on({ imported: false, id_before: marked.id }), [kept.id]);
});

test('filters by feature and role', async () => {
  const { owner, member, a, b, c, assertListed } = await createDifferentProjects();
  const stranger = await (await world()).user();
  await assertListed([
    [member, { with_issues_enabled: true }, [c, a]],
    [member, { with_merge_requests_enabled: true }, [c, b, a]],
    [stranger, { with_merge_requests_enabled: true }, [b, a]],
    [member, { membership: true }, [c]],
    [member, { min_access_level: 30 }, [c]],
    [member, { min_access_level: 40 }, []],
    [member, { owned: true }, []],
    [owner, { owned: true }, [c, b, a]],
    [owner, { starred: true }, []],
  ]);
});

test('lists no owned projects for anonymous callers', async () => {
  const { anonymous } = await world();
  for (const filter of ['owned', 'membership', 'starred']) {
    assert.deepEqual(listIds(await anonymous.get('/projects', { [filter]: true })), []);
  }
});

test('reports invalid filters', async () => {
  const { user } = await world();
  const mira = await user();
  const rows = [
    [{ order_by: 'size' }, 'order_by does not have a valid value'],
    [{ sort: 'up' }, 'sort does not have a valid value'],
    [{ min_access_level: 31 }, 'min_access_level does not have a valid value'],
    [{ archived: 'maybe' }, 'archived is invalid'],
    [{ id_after: 'x' }, 'id_after is invalid'],
    [{ visibility: 'secret' }, 'visibility does not have a valid value'],
  ] as const;
  for (const [params, error] of rows) {
    const answer = await mira.get('/projects', params);
    assert.deepEqual([answer.status, answer.body], [400, { error }]);
  }
  const message = '400 Bad request - `updated_at` filter and `updated_at` sorting must be paired';
  for (const path of ['/projects', `/users/${mira.id}/projects`]) {
    const answer = await mira.get(path, { updated_after: '2020-01-01T00:00:00Z' });
    assert.deepEqual([answer.status, answer.body], [400, { message }]);
    assert.equal((await mira.get(path, { updated_after: '2020-01-01', order_by: 'updated_at' })).status, 200);
  }
});

test('orders by id last and filters by timestamps', async () => {
  const { user, clock } = await world();
  const owner = await user();
  const b = await newProject({ owner, name: 'b', path: 'z' });
  clock.advance(60);
  const a = await newProject({ owner, name: 'a', path: 'y' });
  clock.advance(60);
  const c = await newProject({ owner, name: 'c', path: 'x' });
  clock.advance(60);
  await owner.put(b.at, { description: 'new' });
  const path = `/users/${owner.id}/projects`;
  const rows: [Record<string, unknown>, { id: number }[]][] = [
    [{}, [c, a, b]],
    [{ sort: 'asc' }, [b, a, c]],
    [{ order_by: 'name', sort: 'asc' }, [a, b, c]],
    [{ order_by: 'path', sort: 'asc' }, [c, a, b]],
    [{ order_by: 'updated_at' }, [b, c, a]],
    [{ order_by: 'last_activity_at' }, [c, a, b]],
    [{ order_by: 'star_count' }, [c, a, b]],
    [{ order_by: 'similarity', search: 'a' }, [a]],
    [{ last_activity_after: b.last_activity_at }, [c, a]],
    [{ last_activity_before: c.last_activity_at }, [a, b]],
    [{ order_by: 'updated_at', updated_after: c.created_at }, [b, c]],
    [{ order_by: 'updated_at', updated_before: c.created_at }, [c, a]],
  ];
  for (const [params, wanted] of rows) {
    const ids = wanted.map(({ id }) => id);
    assert.deepEqual(listIds(await owner.get(path, params)), ids, JSON.stringify(params));
  }
});

test('orders by similarity: exact matches first, then prefixes', async () => {
  const { user, name } = await world();
  const owner = await user();
  const word = name('similar');
  const inside = await newProject({ owner, name: `not ${word}` });
  const begins = await newProject({ owner, name: `${word} more` });
  const exact = await newProject({ owner, name: word });
  const answer = await owner.get('/projects', { search: word, order_by: 'similarity' });
  assert.deepEqual(listIds(answer), [exact.id, begins.id, inside.id]);
});

/** Returns the target of the only link of a page. */
const nextLink = ({ headers }: TestResponse): URL | null => {
  const link = /<([^>]+)>; rel="next"$/.exec(String(headers.link ?? ''));
  return link && new URL(link[1] as string);
};

const WALKS = [
  ['asc', 'id_after', 'id_before'],
  ['desc', 'id_before', 'id_after'],
] as const;

/** Five projects and their pages: ascending for the owner, descending for everybody. */
async function createPagedProjects(sort: 'asc' | 'desc') {
  const { user, anonymous } = await world();
  const owner = await user();
  const expected: number[] = [];
  for (let i = 0; i < 5; i += 1) expected.push((await newProject({ owner, visibility: 'public' })).id);
  const bounds = { id_after: Math.min(...expected) - 1, id_before: Math.max(...expected) + 1 };
  const caller = sort === 'asc' ? owner : anonymous;
  const params = { pagination: 'keyset', order_by: 'id', sort, per_page: 2, search: 'project', ...bounds };
  const pages = [await caller.get('/projects', params)];
  for (let url = nextLink(pages[0] as TestResponse); url !== null; url = nextLink(pages.at(-1) as TestResponse)) {
    pages.push(await caller.get(url.pathname.slice('/api/v4'.length) + url.search));
  }
  return { wanted: expected, bounds, pages };
}

test('returns every project once in keyset pages, in both directions', async () => {
  for (const [sort] of WALKS) {
    const { wanted, pages } = await createPagedProjects(sort);
    assert.deepEqual(pages.flatMap(listIds), sort === 'asc' ? wanted : wanted.toReversed());
  }
});

test('returns only a next link, without totals, for keyset pages', async () => {
  for (const [sort, bound, other] of WALKS) {
    const { bounds, pages } = await createPagedProjects(sort);
    for (const page of pages) {
      const ids = listIds(page);
      assert.equal(page.headers['x-total'], undefined);
      assert.equal(page.headers['x-page'], undefined);
      const url = nextLink(page);
      assert.equal(url !== null, ids.length > 0);
      if (url === null) continue;
      assert.equal(url.searchParams.get('pagination'), 'keyset');
      assert.equal(url.searchParams.get('search'), 'project');
      assert.equal(url.searchParams.get(bound), String(ids.at(-1)));
      assert.equal(url.searchParams.get(other), String(bounds[other]));
    }
  }
});

test('requires order_by=id for keyset pagination', async () => {
  const { user } = await world();
  const mira = await user();
  const error = 'Keyset pagination is not yet available for this type of request';
  for (const order of ['', '&order_by=name', '&order_by=created_at']) {
    const answer = await mira.get(`/projects?pagination=keyset${order}`);
    assert.deepEqual([answer.status, answer.body], [405, { error }], order);
  }
});

test('filters by storage for administrators only', async () => {
  const { project, owner, root } = await world({ project: { visibility: 'public' } });
  assert.deepEqual(await filterListed(root, [project], { repository_storage: 'default' }), [project.id]);
  assert.deepEqual(await filterListed(root, [project], { repository_storage: 'elsewhere' }), []);
  assert.deepEqual(await filterListed(owner, [project], { repository_storage: 'elsewhere' }), [project.id]);
});

test('links neighbouring pages and counts visible projects', async () => {
  const { user } = await world();
  const [owner, stranger] = [await user(), await user()];
  for (const visibility of ['public', 'private', 'public']) await newProject({ owner, visibility });
  const path = `/users/${owner.id}/projects`;
  const mine = await owner.get(path, { per_page: 2, page: 2 });
  assert.equal(mine.body.length, 1);
  assert.deepEqual(
    ['x-page', 'x-per-page', 'x-next-page', 'x-prev-page', 'x-total', 'x-total-pages'].map((key) => mine.headers[key]),
    ['2', '2', '', '1', '3', '2'],
  );
  assert.equal((await stranger.get(path)).headers['x-total'], '2');
  assert.deepEqual((await stranger.get('/users/987654/projects')).body, { message: '404 User Not Found' });
});

test('lists direct projects of a group, and those of subgroups with include_subgroups', async () => {
  const { user, anonymous, name } = await world();
  const [owner, member] = [await user(), await user()];
  const top = await newGroup({ owner, visibility: 'public' });
  const sub = await newGroup({ in: top, visibility: 'public' });
  const testWorld = await newProject({ in: top, visibility: 'public', name: name('here') });
  const hidden = await newProject({ in: top });
  const below = await newProject({ in: sub, visibility: 'public' });
  await top.addMember('reporter', member);
  const path = `${top.at}/projects`;
  const rows: [Caller, Record<string, unknown>, { id: number }[]][] = [
    [owner, {}, [hidden, testWorld]],
    [member, { include_subgroups: true }, [below, hidden, testWorld]],
    [anonymous, { include_subgroups: true }, [below, testWorld]],
    [member, { min_access_level: 30 }, []],
    [owner, { owned: true, visibility: 'private' }, [hidden]],
    [owner, { search: testWorld.name, with_shared: false }, [testWorld]],
    [owner, { order_by: 'id', sort: 'asc' }, [testWorld, hidden]],
  ];
  for (const [caller, params, wanted] of rows) {
    const ids = wanted.map(({ id }) => id);
    assert.deepEqual(listIds(await caller.get(path, params)), ids, JSON.stringify(params));
  }
  const [shown] = (await member.get(path)).body;
  assert.deepEqual(shown.permissions, {
    project_access: null,
    group_access: { access_level: 20, notification_level: 3 },
  });
  assert.deepEqual((await anonymous.get('/groups/987654/projects')).body, { message: '404 Group Not Found' });
});
