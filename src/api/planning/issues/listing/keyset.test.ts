import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';

const { project, owner, guest } = await world({ project: { with: ['guest'] } });
const at = `${project.at}/issues`;
const TITLES = ['delta', 'Alpha', 'charlie', 'bravo', 'alpha'];
for (const title of TITLES) await expectSuccess(owner.post(at, { title }));
await expectSuccess(owner.post(at, { title: 'hidden', confidential: true }));

interface Title {
  readonly title: string;
}

/** Returns the titles of all pages, of which each but the last has two. */
async function listAllPages(params: Record<string, unknown>): Promise<string[]> {
  const titles: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await guest.get(at, { ...params, pagination: 'keyset', per_page: 2, ...(cursor && { cursor }) });
    assert.deepEqual([page.status, page.headers['x-total'], page.headers['x-page']], [200, undefined, undefined]);
    titles.push(...page.body.map(({ title }: Title) => title));
    cursor = page.headers['x-next-cursor'] as string | undefined;
    assert.equal(page.headers.link === undefined, cursor === undefined);
    if (cursor === undefined) return titles;
    assert.equal(page.body.length, 2);
  }
}

const ORDERS = ['created_at', 'updated_at', 'title', 'relative_position'].flatMap((order_by) =>
  ['asc', 'desc'].map((sort) => ({ order_by, sort })),
);

for (const order of [{}, ...ORDERS]) {
  test(`pages the readable issues by keyset in the order of the list: ${JSON.stringify(order)}`, async () => {
    const listed = (await guest.get(at, order)).body.map(({ title }: Title) => title);
    assert.equal(listed.length, TITLES.length);
    assert.deepEqual(await listAllPages(order), listed);
  });
}

test('returns to the previous page, and rejects an invalid cursor', async () => {
  const keyset = { pagination: 'keyset', per_page: 2, order_by: 'title', sort: 'asc', search: 'a' };
  const first = await guest.get(at, keyset);
  const second = await guest.get(at, { ...keyset, cursor: first.headers['x-next-cursor'] });
  const previous = await guest.get(at, { ...keyset, cursor: second.headers['x-prev-cursor'] });
  assert.deepEqual(previous.body, first.body);
  const { status, body } = await guest.get(at, { ...keyset, cursor: 'x' });
  assert.deepEqual([status, body], [400, { error: 'cursor is invalid' }]);
});

test('pages by number in orders that keyset pagination does not support', async () => {
  for (const order_by of ['due_date', 'weight', 'popularity', 'priority']) {
    const { status, headers } = await guest.get(at, { pagination: 'keyset', order_by });
    assert.deepEqual([status, headers['x-total']], [200, String(TITLES.length)], order_by);
  }
});
