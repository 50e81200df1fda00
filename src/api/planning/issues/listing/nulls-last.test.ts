import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';

// A list of all projects reads the rows with a value and the rows without one by separate statements.

const here = await world();
const group = await here.newGroup({ with: ['guest'] });
const projects = [await here.newProject({ in: group }), await here.newProject({ in: group })];
const { owner, guest } = group;

const VALUES = [3, null, 1, null, 3, 2, null, 1, null, null, 2] as const;
const isConfidential = (index: number) => index % 5 === 0;
for (const [index, weight] of VALUES.entries()) {
  const due_date = weight && `2026-01-0${weight}`;
  const params = { title: `${index}`, weight, due_date, confidential: isConfidential(index) };
  await expectSuccess(owner.post(`${projects[index % 2]!.at}/issues`, params));
}

/** Returns the indexes of the issues in the expected order. */
function sortIndexes(indexes: readonly number[], direction: 'asc' | 'desc'): number[] {
  const sign = direction === 'asc' ? 1 : -1;
  return indexes.toSorted((a, b) => {
    const [first, second] = [VALUES[a]!, VALUES[b]!];
    if ((first === null) !== (second === null)) return first === null ? 1 : -1;
    return sign * ((first ?? 0) - (second ?? 0) || a - b);
  });
}

for (const order_by of ['due_date', 'weight']) {
  for (const sort of ['asc', 'desc'] as const) {
    test(`pages of all projects by ${order_by} ${sort} end with the issues without a value`, async () => {
      const all = [...VALUES.keys()];
      for (const [caller, visible] of [
        [owner, all],
        [guest, all.filter((index) => !isConfidential(index))],
      ] as const) {
        const expected = sortIndexes(visible, sort).map(String);
        for (const per_page of [2, 6]) {
          const titles: string[] = [];
          for (let page = 1; page <= Math.ceil(visible.length / per_page) + 1; page++) {
            const { body, headers } = await expectSuccess(
              caller.get('/issues', { scope: 'all', order_by, sort, per_page, page }),
            );
            titles.push(...body.map(({ title }: { title: string }) => title));
            assert.equal(headers['x-total'], `${visible.length}`, `page ${page} of ${per_page}`);
          }
          assert.deepEqual(titles, expected, `${per_page} per page`);
        }
      }
    });
  }
}
