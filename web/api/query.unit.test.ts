import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Client, Loaded } from './call.ts';
import { joinEtags, keepUnchanged, queryAll } from './query.ts';

const load = (value: unknown, etag: string | null): Loaded<unknown> => ({ value, total: null, nextPage: null, etag });

test('responses with the same ETag stay the same objects, so what shows them is not built again', () => {
  const before = { diffs: load([1], '"1"'), notes: load([1], '"1"'), project: load({}, null) };
  const after = { diffs: load([1], '"1"'), notes: load([1, 2], '"2"'), project: load({}, null), more: load(3, '"3"') };
  const kept = keepUnchanged(before, after);
  assert.equal(kept.diffs, before.diffs);
  for (const name of ['notes', 'project', 'more'] as const) assert.equal(kept[name], after[name]);
});

/** Returns a client whose list has this number of pages with one row each, and the pages that were asked for. */
function createListClient(pageCount: number) {
  const pages: number[] = [];
  const call = (_operation: string, { page }: { readonly page: number }) => {
    pages.push(page);
    const nextPage = page < pageCount ? page + 1 : null;
    return Promise.resolve({ value: [{ id: page }], total: null, nextPage, etag: `"${page}"` });
  };
  return { client: { call } as unknown as Client, pages };
}

test('reads all pages of a list as one response', async () => {
  const { client, pages } = createListClient(3);
  const { value, nextPage, etag } = await queryAll('GET /projects', {}).load(client);
  assert.deepEqual(
    value.map(({ id }) => id),
    [1, 2, 3],
  );
  assert.deepEqual(pages, [1, 2, 3]);
  assert.deepEqual([nextPage, etag], [null, '"1","2","3"']);
});

test('reads at most ten pages', async () => {
  const { client, pages } = createListClient(50);
  const { value, nextPage } = await queryAll('GET /projects', {}).load(client);
  assert.deepEqual([value.length, pages.length, nextPage], [10, 10, 11]);
});

test('several responses have an ETag only if each has one', () => {
  assert.equal(joinEtags([load(1, '"a"'), load(2, '"b"')]), '"a","b"');
  assert.equal(joinEtags([load(1, '"a"'), load(2, null)]), null);
});
