import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { createComment, describeFeed, getFeed, newIssue } from './fixtures.testing.ts';

const { user, anonymous, root, newProject, newGroup, tokenOf, clock, server } = await world();

test('lists events with their targets, newest first', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  const ada = await project.addMember('developer');
  const issue = await newIssue(project, {}, ada);
  const note = await createComment(owner, issue);
  const events = await getFeed(owner, `${project.at}/events`);
  const { attachment, ...shown } = events[0]!.note as { attachment: null };
  assert.deepEqual([attachment, shown], [null, note]);
  const row = (event: Record<string, unknown>) =>
    ['action_name', 'target_type', 'target_id', 'target_iid', 'target_title', 'author_username'].map(
      (key) => event[key],
    );
  assert.deepEqual(events.map(row), [
    ['commented on', 'Note', note.id, note.id, 'Retry loop spins', owner.username],
    ['opened', 'Issue', issue.id, issue.iid, 'Retry loop spins', ada.username],
    ['joined', 'Project', project.id, project.id, project.name, ada.username],
    ['pushed new', null, null, null, null, owner.username],
    ['created', 'Project', project.id, project.id, project.name, owner.username],
  ]);
  for (const event of events) {
    assert.deepEqual([event.title, event.data, event.imported, event.imported_from], [null, null, false, 'none']);
    assert.equal('note' in event, event.action_name === 'commented on');
    assert.equal('push_data' in event, event.action_name === 'pushed new');
  }
});

test('shows the current title', async () => {
  const { project, owner } = await world({ project: {} });
  const { id } = await newIssue(project);
  const { database } = server.services;
  await database.transaction((tx) => tx.updateTable('issues').set({ title: 'Fixed' }).where('id', '=', id).execute());
  assert.equal((await getFeed(owner, `${project.at}/events`))[0]?.target_title, 'Fixed');
});

test('filters by action and target type, and rejects unknown values', async () => {
  const { project, owner } = await world({ project: { readme: true } });
  await createComment(owner, await newIssue(project));
  await project.addMember('guest');
  const at = `${project.at}/events`;
  const cases: [params: object, expected: string[]][] = [
    [{ action: 'created' }, ['opened Issue', 'created Project']],
    [{ action: 'pushed' }, ['pushed new']],
    [{ action: 'commented' }, ['commented on Note']],
    [{ target_type: 'issue' }, ['opened Issue']],
    [{ target_type: 'note' }, ['commented on Note']],
    [{ target_type: 'project' }, ['joined Project', 'created Project']],
    [{ target_type: 'project', action: 'joined' }, ['joined Project']],
    ...['updated', 'closed', 'reopened', 'merged', 'left', 'destroyed', 'expired', 'approved'].map(
      (action): [object, string[]] => [{ action }, []],
    ),
    ...['milestone', 'merge_request', 'snippet', 'user', 'wiki', 'design'].map((target_type): [object, string[]] => [
      { target_type },
      [],
    ]),
  ];
  for (const [params, expected] of cases) assert.deepEqual(await describeFeed(owner, at, params), expected);
  for (const wrong of [{ action: 'opened' }, { target_type: 'Issue' }, { sort: 'up' }]) {
    const { status, body } = await owner.get(at, wrong);
    assert.deepEqual([status, body], [400, { error: `${Object.keys(wrong)[0]} does not have a valid value` }]);
  }
});

test('excludes the days of before and after, in UTC', async () => {
  const { project, owner } = await world({ project: {} });
  const { database } = server.services;
  const at = [
    '2026-03-04T23:59:59.999Z',
    '2026-03-05T00:00:00.000Z',
    '2026-03-05T23:59:59.999Z',
    '2026-03-06T00:00:00.000Z',
  ];
  const row = { project_id: project.id, author_id: owner.id, target_type: 'Project', target_id: project.id } as const;
  const rows = at.map((created_at) => ({ ...row, action: 'joined', action_name: 'joined', created_at }) as const);
  await database.transaction((tx) => tx.insertInto('activity_events').values(rows).execute());
  const moments = async (params: object) =>
    (await getFeed(owner, `${project.at}/events`, { action: 'joined', ...params })).map(({ created_at }) => created_at);
  assert.deepEqual(await moments({ before: '2026-03-05' }), [at[0]]);
  assert.deepEqual(await moments({ after: '2026-3-5T10:00:00Z' }), [at[3]]);
  assert.deepEqual(await moments({ after: '2026-03-04', before: '2026-03-06', sort: 'asc' }), [at[1], at[2]]);
  assert.deepEqual(await moments({ after: '2026-03-06', before: '2026-03-01' }), []);
  assert.deepEqual(await moments({ after: '9999-12-31' }), []);
  assert.deepEqual(await moments({ before: '', sort: 'asc' }), at);
  const { body } = await owner.get(`${project.at}/events`, { before: '2024-13-45' });
  assert.deepEqual(body, { error: 'before is invalid' });
});

test('keeps the filters in page links', async () => {
  const { project, owner } = await world({ project: {} });
  for (const title of ['a', 'b', 'c']) await newIssue(project, { title });
  const seen: unknown[] = [];
  let next = `${project.at}/events?per_page=2&action=created&sort=asc`;
  while (next !== '') {
    const { body, headers } = await owner.get(next);
    assert.equal(headers['x-total'], '4');
    seen.push(...body.map(({ id }: { id: number }) => id));
    const link = /<([^>]*)>; rel="next"/.exec(String(headers.link))?.[1] ?? '';
    next = link.slice(link.indexOf('/projects/'), link === '' ? 0 : undefined);
  }
  const all = await getFeed(owner, `${project.at}/events`, { action: 'created' });
  assert.deepEqual(seen, all.map(({ id }) => id).reverse());
});

test('lists all events in the caller’s projects with scope=all', async () => {
  const group = await newGroup({ owner: await user() });
  const [direct, inherited] = [await newProject({ owner: root }), await newProject({ in: group })];
  const foreign = await newProject({ owner: root, visibility: 'public' });
  const ada = await group.addMember('guest');
  await direct.addMember('guest', ada);
  for (const project of [direct, inherited, foreign]) for (let n = 0; n < 8; n++) await newIssue(project);
  await newIssue(foreign, {}, ada);
  const all = await getFeed(ada, '/events', { scope: 'all', per_page: 100 });
  assert.deepEqual(new Set(all.map(({ project_id }) => project_id)), new Set([direct.id, inherited.id]));
  assert.equal(all.filter(({ target_type }) => target_type === 'Issue').length, 16);
  const { body, headers } = await ada.get('/events', { scope: 'all', per_page: 5, page: 2 });
  assert.deepEqual(body, all.slice(5, 10));
  assert.equal(headers['x-total'], String(all.length));
  const asc = await getFeed(ada, '/events', { scope: 'all', sort: 'asc', action: 'created', target_type: 'issue' });
  assert.deepEqual(asc, all.filter(({ target_type }) => target_type === 'Issue').reverse());
  for (const ignored of ['scope=some', 'scope[]=all', 'scope[x]=all', `scope=${'a'.repeat(5000)}`]) {
    assert.deepEqual(await describeFeed(ada, `/events?${ignored}`), ['opened Issue', 'joined Project']);
  }
});

test('accepts read_user for user feeds but not for project feeds', async () => {
  const { project, owner } = await world({ project: { visibility: 'public' } });
  const paths = ['/events', `/users/${owner.id}/events`, `${project.at}/events`];
  const statuses = async (scope: string) => {
    const caller = await tokenOf(owner, [scope]);
    return Promise.all(paths.map(async (path) => (await caller.get(path)).status));
  };
  assert.deepEqual(await statuses('read_user'), [200, 200, 403]);
  assert.deepEqual(await statuses('read_api'), [200, 200, 200]);
  assert.deepEqual(await statuses('read_repository'), [403, 403, 403]);
  assert.deepEqual(await Promise.all(paths.map(async (path) => (await anonymous.get(path)).status)), [401, 200, 200]);
  assert.equal((await owner.post(`${project.at}/events`)).status, 405);
});

test('shows events for exactly three years and a day', async () => {
  const { project, owner } = await world({ project: {} });
  const { database } = server.services;
  const row = { project_id: project.id, author_id: owner.id, action: 'joined', action_name: 'joined' } as const;
  const now = clock.now().getTime();
  const ago = new Date(now);
  ago.setUTCFullYear(ago.getUTCFullYear() - 3);
  const end = ago.getTime() - 86_400_000;
  const rows = [end, end + 1].map((time) => ({
    ...row,
    target_type: 'Project' as const,
    target_id: project.id,
    created_at: new Date(time).toISOString(),
  }));
  await database.transaction((tx) => tx.insertInto('activity_events').values(rows).execute());
  assert.equal((await getFeed(owner, `${project.at}/events`, { action: 'joined' })).length, 1);
  clock.advance(0.001);
  assert.equal((await getFeed(owner, `${project.at}/events`, { action: 'joined' })).length, 0);
});

test('keeps the order on pages with a large offset', async () => {
  const { project, owner } = await world({ project: {} });
  const row = { project_id: project.id, author_id: owner.id, action: 'joined', action_name: 'joined' } as const;
  const rows = Array.from({ length: 10_100 }, (_, n) => ({
    ...row,
    target_type: 'Project' as const,
    target_id: project.id,
    created_at: new Date(clock.now().getTime() - (n % 500) * 60_000).toISOString(),
  }));
  const { database } = server.services;
  await database.transaction(async (tx) => {
    for (let at = 0; at < rows.length; at += 1_000) {
      await tx
        .insertInto('activity_events')
        .values(rows.slice(at, at + 1_000))
        .execute();
    }
  });
  const params = { scope: 'all', action: 'joined', per_page: 60, page: 50 };
  const far = await owner.get('/events', params);
  assert.equal(far.headers['x-total'], undefined);
  assert.deepEqual(far.body, (await owner.get(`${project.at}/events`, { ...params, scope: undefined })).body);
});
