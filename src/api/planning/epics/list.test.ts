import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Caller, expectSuccess, world } from '#test/support/world.ts';

const { group, owner, planner, guest, anonymous, clock, newGroup } = await world({
  group: { visibility: 'public', with: ['planner', 'guest'] },
});
const sub = await newGroup({ in: group, visibility: 'public' });
const low = await newGroup({ in: sub, visibility: 'private' });

/** Epics created an hour apart. */
const made: Record<string, { id: number; iid: number; created_at: string }> = {};
for (const [title, at, by, params] of [
  ['Alpha', group.at, owner, { labels: 'bug,new', description: 'Some words' }],
  ['beta', group.at, planner, { labels: 'bug' }],
  ['Gamma', group.at, owner, { confidential: true }],
  ['delta', sub.at, owner, { description: 'Other words' }],
  ['Epsilon', low.at, owner, {}],
] as [string, string, Caller, object][]) {
  clock.advance(3600);
  made[title] = (await expectSuccess(by.post(`${at}/epics`, { title, ...params }))).body;
}
await expectSuccess(owner.put(`${group.at}/epics/${made.beta!.iid}`, { state_event: 'close' }));

async function listTitles(query: string, by: Caller = owner, at = group.at): Promise<string[]> {
  const { status, body } = await by.get(`${at}/epics?${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body.map(({ title }: { title: string }) => title);
}

test('lists the visible epics of a group and its subgroups, newest first', async () => {
  assert.deepEqual(await listTitles(''), ['Epsilon', 'delta', 'Gamma', 'beta', 'Alpha']);
  assert.deepEqual(await listTitles('', guest), ['Epsilon', 'delta', 'beta', 'Alpha']);
  assert.deepEqual(await listTitles('', anonymous), ['delta', 'beta', 'Alpha']);
  assert.deepEqual(await listTitles('include_descendant_groups=false'), ['Gamma', 'beta', 'Alpha']);
  assert.deepEqual(await listTitles('include_descendant_groups=false', anonymous), ['beta', 'Alpha']);
  const { headers } = await guest.get(`${group.at}/epics?per_page=1&page=2`);
  assert.deepEqual([headers['x-total'], headers['x-next-page']], ['4', '3']);
});

test('lists epics of ancestor groups on request', async () => {
  assert.deepEqual(await listTitles('', owner, sub.at), ['Epsilon', 'delta']);
  const above = 'include_ancestor_groups=true&';
  assert.deepEqual(await listTitles(above, owner, sub.at), ['Epsilon', 'delta', 'Gamma', 'beta', 'Alpha']);
  assert.deepEqual(await listTitles(`${above}include_descendant_groups=false`, guest, sub.at), [
    'delta',
    'beta',
    'Alpha',
  ]);
  const { body } = await owner.get(`${sub.at}/epics?${above}`);
  assert.deepEqual(
    body.slice(0, 3).map(({ references }: { references: { relative: string } }) => references.relative),
    [`${low.full_path}&1`, '&1', `${group.full_path}&3`],
  );
});

test('each filter selects matching epics', async () => {
  const [first, last] = [made.beta!.created_at, made.delta!.created_at];
  for (const [query, found] of Object.entries({
    'state=opened': ['Epsilon', 'delta', 'Gamma', 'Alpha'],
    'state=closed': ['beta'],
    'labels=bug': ['beta', 'Alpha'],
    'labels=bug,new': ['Alpha'],
    'labels=None': ['Epsilon', 'delta', 'Gamma'],
    'labels=Any': ['beta', 'Alpha'],
    'not[labels]=new': ['Epsilon', 'delta', 'Gamma', 'beta'],
    [`author_id=${planner.id}`]: ['beta'],
    [`author_id=${planner.id}&author_username=`]: ['beta'],
    [`author_username=${planner.username}`]: ['beta'],
    [`not[author_username]=${owner.username}`]: ['beta'],
    'search=WORDS': ['delta', 'Alpha'],
    'search=some%20%22al%22': [],
    'confidential=true': ['Gamma'],
    'confidential=false&state=opened': ['Epsilon', 'delta', 'Alpha'],
    [`created_after=${first}&created_before=${last}`]: ['delta', 'Gamma', 'beta'],
    [`updated_before=${first}`]: ['Alpha'],
  })) {
    assert.deepEqual(await listTitles(query), found, query);
  }
  const both = await owner.get(`${group.at}/epics?author_id=1&author_username=root`);
  assert.deepEqual([both.status, both.body], [400, { error: 'author_id, author_username are mutually exclusive' }]);
  assert.equal((await owner.get(`${group.at}/epics?state=merged`)).status, 400);
});

test('orders epics by creation time, update time or title', async () => {
  assert.deepEqual(await listTitles('order_by=title&sort=asc'), ['Alpha', 'beta', 'delta', 'Epsilon', 'Gamma']);
  assert.deepEqual(await listTitles('order_by=updated_at&include_descendant_groups=false'), ['beta', 'Gamma', 'Alpha']);
  assert.deepEqual(await listTitles('sort=asc&per_page=2'), ['Alpha', 'beta']);
});

test('shows labels as titles, or as objects on request', async () => {
  const { body } = await owner.get(`${group.at}/epics?labels=new&with_labels_details=true`);
  assert.deepEqual(
    body[0].labels.map(({ name, color }: { name: string; color: string }) => [name, color]),
    [
      ['bug', '#6699cc'],
      ['new', '#6699cc'],
    ],
  );
  assert.deepEqual((await owner.get(`${group.at}/epics?labels=new`)).body[0].labels, ['bug', 'new']);
});
