import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import {
  ISSUES,
  type IssuableListScope,
  issuableConditions,
  type ListCondition,
  MERGE_REQUESTS,
  reactionConditions,
  valueCondition,
} from '#api/planning/issuables/index.ts';
import { ANONYMOUS } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { explainPlan } from '#database/dialect.ts';
import { testDatabase } from '#test/engines/engine.ts';
import { approvalConditions, deploymentConditions } from './list.ts';

const database = await testDatabase();
after(() => database[Symbol.asyncDispose]());

type Build = (db: Reader, scope: IssuableListScope) => ListCondition[];

/**
 * Filters, with the indexes of lists of one project and of all projects. PostgreSQL takes any index that begins with the
 * project for an empty table.
 */
const served: readonly [name: string, build: Build, inProject: readonly string[], anywhere: readonly string[]][] = [
  [
    'approved=yes',
    (db, scope) => approvalConditions(db, scope, { approved: 'yes' }),
    ['merge_request_approvals_by_'],
    ['merge_request_approvals_by_'],
  ],
  [
    'approved_by_ids',
    (db, scope) => approvalConditions(db, scope, { approved_by_ids: [7] }),
    ['merge_request_approvals_by_user'],
    ['merge_request_approvals_by_user'],
  ],
  [
    'approved_by_usernames',
    (db, scope) => approvalConditions(db, scope, { approved_by_usernames: ['mira'] }),
    ['merge_request_approvals_by_user', 'users_by_username'],
    ['merge_request_approvals_by_user', 'users_by_username'],
  ],
  [
    'environment',
    (db, scope) => deploymentConditions(db, scope, { environment: 'production' }),
    ['environments_by_', 'deployment_merge_requests_pkey|sqlite_autoindex_deployment_merge_requests_1'],
    ['environments_of_all_by_name', 'deployment_merge_requests_pkey|sqlite_autoindex_deployment_merge_requests_1'],
  ],
  [
    'deployed_after',
    (db, scope) => deploymentConditions(db, scope, { deployed_after: '2026-01-01T00:00:00.000Z' }),
    ['deployments_by_finished_at|Index Scan using deployments_by_project', 'deployment_merge_requests_by_deployment'],
    ['deployments_of_all_by_finished_at', 'deployment_merge_requests_by_deployment'],
  ],
  [
    'my_reaction_emoji',
    (db, scope) => reactionConditions(db, scope, ANONYMOUS, { my_reaction_emoji: 'star' }),
    ['award_emoji_by_user'],
    ['award_emoji_by_user'],
  ],
  [
    'merge_user_id',
    (db, scope) => [valueCondition(db, scope, 'merged_by_id', 7)],
    ['merge_requests_by_project_merged_by|Index Scan using merge_requests_by_'],
    ['merge_requests_by_merged_by'],
  ],
  [
    'source_project_id',
    (db, scope) => [valueCondition(db, { ...scope, project: null }, 'project_id', 7)],
    ['merge_requests_by_'],
    ['merge_requests_by_'],
  ],
  [
    'closed_by_id of issues',
    (db, scope) => issuableConditions(db, { ...scope, tables: ISSUES }, { closed_by_id: 7 }),
    ['issues_by_project_closed_by'],
    ['issues_by_closed_by'],
  ],
];

for (const [name, build, inProject, anywhere] of served) {
  for (const [project, indexes] of [
    [{ id: 3, namespace_id: 4 }, inProject],
    [null, anywhere],
  ] as const) {
    test(`${name} uses ${indexes.join(' and ')} in ${project ? 'one project' : 'all projects'}`, async () => {
      const plan = await database.transaction((tx) => {
        const [condition] = build(tx, { tables: MERGE_REQUESTS, project });
        const query = sql`select found.* from (${condition!.ids!} limit 10000) as found`;
        return explainPlan(tx, { compile: () => query.compile(tx) });
      });
      for (const index of indexes) assert.match(plan.join('\n'), new RegExp(index));
      assert.doesNotMatch(plan.join('\n'), /SCAN (?!found)\w+\b(?! USING)|Seq Scan/);
    });
  }
}

test('looks up the awards of each merge request, not all awards of the caller', async () => {
  const plan = await database.transaction((tx) => {
    const [condition] = reactionConditions(tx, { tables: MERGE_REQUESTS, project: null }, ANONYMOUS, {
      not: { my_reaction_emoji: 'star' },
    });
    return explainPlan(tx, tx.selectFrom('merge_requests').select('id').where(condition!.predicate));
  });
  assert.match(plan.join('\n'), /award_emoji_by_merge_request/);
});

for (const [table, column, name] of [
  ['issues', 'upvotes', 'upvotes'],
  ['issues', 'title_key', 'title'],
  ['issues', 'due_date', 'due_date'],
  ['issues', 'weight', 'weight'],
  ['merge_requests', 'upvotes', 'upvotes'],
  ['merge_requests', 'title_key', 'title'],
  ['merge_requests', 'merged_at', 'merged_at'],
] as const) {
  test(`sorts ${table} of all projects by ${column} with an index`, async () => {
    for (const direction of ['asc', 'desc'] as const) {
      const plan = await database.transaction((tx) => {
        const query = tx.selectFrom(table).select('id').where(sql.ref(column), 'is not', null);
        return explainPlan(tx, query.orderBy(sql.ref(column), direction).orderBy('id', direction).limit(20));
      });
      assert.match(plan.join('\n'), new RegExp(`${table}_of_all_by_${name}`));
      assert.doesNotMatch(plan.join('\n'), /TEMP B-TREE FOR ORDER BY|Sort Key/);
    }
  });
}
