import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ANONYMOUS, type Caller } from '#authentication/caller.ts';
import { explainPlan } from '#database/dialect.ts';
import { testDatabase } from '#test/engines/engine.ts';
import { isInScopeOrBelow } from './descendant-resources.ts';

const user = {
  id: 7,
  username: 'mira',
  name: 'Mira',
  email: 'm@hearth.test',
  state: 'active',
  bot: false,
  external: false,
} as const;
const member: Caller = { ...ANONYMOUS, user: { ...user, admin: false } };

for (const table of ['labels', 'milestones'] as const) {
  test(`finds ${table} below a group by index`, async () => {
    await using database = await testDatabase();
    const plan = await database.transaction((tx) => {
      const owners = { groupId: 3, subgroups: true, projects: true };
      const condition = isInScopeOrBelow(tx, table, { projectId: null, groupIds: [3] }, member, owners);
      return explainPlan(tx, tx.selectFrom(table).select('id').where(condition).orderBy('id').limit(21));
    });
    const text = plan.join('\n');
    for (const owner of ['group', 'project']) assert.match(text, new RegExp(`${table}_by_${owner}`));
    assert.doesNotMatch(text, /Seq Scan|SCAN (labels|milestones)\b(?! USING)/);
  });
}
