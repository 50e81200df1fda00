import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Loaded } from './call.ts';
import { keepUnchanged } from './query.ts';

const load = (value: unknown, etag: string | null): Loaded<unknown> => ({ value, total: null, nextPage: null, etag });

test('responses with the same ETag stay the same objects, so what shows them is not built again', () => {
  const before = { diffs: load([1], '"1"'), notes: load([1], '"1"'), project: load({}, null) };
  const after = { diffs: load([1], '"1"'), notes: load([1, 2], '"2"'), project: load({}, null), more: load(3, '"3"') };
  const kept = keepUnchanged(before, after);
  assert.equal(kept.diffs, before.diffs);
  for (const name of ['notes', 'project', 'more'] as const) assert.equal(kept[name], after[name]);
});
