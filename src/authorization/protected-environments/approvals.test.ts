import assert from 'node:assert/strict';
import { test } from 'node:test';
import { world } from '#test/support/world.ts';
import { countPendingApprovals, needsApproval } from './deployment-rules.ts';
import { createProtection, type NewProtection } from './fixtures.testing.ts';
import { loadProtections } from './protected-environments.ts';

const { server, newGroup, newProject, user } = await world();
const { database } = server.services;

/** A deployment to an environment that its project protects so, and its group; `approve` by somebody new, under a rule or none. */
async function deployment(own?: NewProtection, ofGroup?: NewProtection) {
  const project = await newProject({ in: await newGroup() });
  const place = { id: project.id, namespace_id: project.namespace.id };
  const { name, ...ids } = await database.transaction(async (tx) => {
    const name = 'production';
    const [ofThis, ofThat] = [
      { project_id: project.id, group_id: null },
      { project_id: null, group_id: project.namespace.id },
    ];
    if (own) await createProtection(tx, ofThis, name, own);
    if (ofGroup) await createProtection(tx, ofThat, name, ofGroup);
    const times = { created_at: tx.now, updated_at: tx.now };
    const state = { state: 'available', tier: 'production', auto_stop_setting: 'always' } as const;
    const { id: environment_id } = await tx
      .insertInto('environments')
      .values({ project_id: project.id, name, name_key: name, slug: name, ...state, ...times })
      .returning('id')
      .executeTakeFirstOrThrow();
    const row = { project_id: project.id, iid: 1, environment_id, ref: 'main', tag: false, sha: 'a'.repeat(40) };
    const { id } = await tx
      .insertInto('deployments')
      .values({ ...row, status: 'created', ...times })
      .returning('id')
      .executeTakeFirstOrThrow();
    return { name, id };
  });
  const found = () => loadProtections(database.reader, 'premium', place, { name, tier: 'production' });
  return {
    rules: (await found()).flatMap(({ approval_rules }) => approval_rules.map(({ id }) => id)),
    needed: async () => needsApproval(await found()),
    pending: async () => countPendingApprovals(database.reader, await found(), ids.id),
    async approve(rule: number | null, status: 'approved' | 'rejected' = 'approved') {
      const user_id = (await user()).id;
      await database.transaction((tx) =>
        tx
          .insertInto('deployment_approvals')
          .values({
            deployment_id: ids.id,
            user_id,
            approval_rule_id: rule,
            rule_key: rule ?? 0,
            status,
            created_at: tx.now,
            updated_at: tx.now,
          })
          .execute(),
      );
    },
  };
}

const MAINTAINERS = { access_level: 40 };

test('an environment with no protection or no required approvals needs no approval', async () => {
  for (const protection of [undefined, { levels: [MAINTAINERS] }]) {
    const { needed, pending } = await deployment(protection);
    assert.deepEqual([await needed(), await pending()], [false, 0]);
  }
});

test('sums the missing approvals of all rules; surplus approvals of one rule do not count for another', async () => {
  const rules = [1, 2].map((required_approvals) => ({ ...MAINTAINERS, required_approvals }));
  const [first, second] = rules.map((rule) => ({ rules: [rule], count: 5 }));
  const { rules: ids, needed, pending, approve } = await deployment(second, first);
  const [two, one] = ids as [number, number];
  assert.deepEqual([await needed(), await pending()], [true, 3]);
  await approve(one);
  await approve(one);
  assert.equal(await pending(), 2);
  await approve(two, 'rejected');
  await approve(null);
  assert.equal(await pending(), 2);
  await approve(two);
  await approve(two);
  assert.equal(await pending(), 0);
});

test('without rules the largest required count applies', async () => {
  const { pending, approve } = await deployment({ requiredApprovalCount: 1 }, { requiredApprovalCount: 2 });
  assert.equal(await pending(), 2);
  await approve(null, 'rejected');
  await approve(null);
  assert.equal(await pending(), 1);
  await approve(null);
  await approve(null);
  assert.equal(await pending(), 0);
});

test('approvals of deleted rules do not count', async () => {
  const { rules, pending, approve } = await deployment({ rules: [MAINTAINERS], requiredApprovalCount: 1 });
  await approve(rules[0]!);
  assert.equal(await pending(), 0);
  await database.transaction((tx) =>
    tx.deleteFrom('protected_environment_approval_rules').where('id', '=', rules[0]!).execute(),
  );
  assert.equal(await pending(), 1);
});
