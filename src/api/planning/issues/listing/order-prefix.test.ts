import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectSuccess, world } from '#test/support/world.ts';

const here = await world();
const group = await here.newGroup({ with: ['guest'] });
const project = await here.newProject({ in: group });
const { owner, guest } = group;
const issues = `${project.at}/issues`;

/** Two milestones share a due date and one has none; two labels share a priority and one has none. */
const DUE = ['2026-03-01', '2026-02-01', '2026-03-01', null];
const PRIORITIES = [2, 1, 2, null];

const milestones: number[] = [];
for (const [at, due_date] of DUE.entries()) {
  const place = at === 1 ? group : project;
  milestones.push((await expectSuccess(owner.post(`${place.at}/milestones`, { title: `v${at}`, due_date }))).body.id);
}
for (const [at, priority] of PRIORITIES.entries()) {
  await expectSuccess(owner.post(`${project.at}/labels`, { name: `l${at}`, color: 'red', priority }));
}
for (let at = 0; at < 20; at++) {
  const labels = [0, 1, 2, 3].filter((label) => (at * 7 + label * 3) % 5 === 0).map((label) => `l${label}`);
  const milestone_id = milestones[(at * 3) % 5] ?? null;
  await expectSuccess(owner.post(issues, { title: `Issue ${at}`, milestone_id, labels, confidential: at % 6 === 1 }));
}

const listIids = async (params: object, by = owner) => {
  const { body, headers } = await expectSuccess(by.get(issues, { ...params }));
  return { iids: body.map(({ iid }: { iid: number }) => iid) as number[], total: headers['x-total'] };
};

for (const order_by of ['priority', 'milestone_due', 'label_priority']) {
  for (const sort of ['asc', 'desc']) {
    test(`pages by ${order_by} ${sort} from the order prefix equal parts of the whole list`, async () => {
      for (const [more, by] of [
        [{}, owner],
        [{ state: 'opened' }, guest],
        [{ 'not[labels]': 'l1' }, owner],
      ] as const) {
        const whole = await listIids({ order_by, sort, per_page: 100, ...more }, by);
        const pages: number[] = [];
        for (let page = 1; page <= whole.iids.length / 3 + 1; page++) {
          const part = await listIids({ order_by, sort, per_page: 3, page, ...more }, by);
          pages.push(...part.iids);
          assert.equal(part.total, whole.total);
        }
        assert.deepEqual(pages, whole.iids);
      }
    });
  }
}
