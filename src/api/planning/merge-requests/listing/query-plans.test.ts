import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type SqlBool, sql } from 'kysely';
import {
  buildIdQueries,
  flagCondition,
  ISSUES,
  type IssuableListParent,
  type IssuableListScope,
  issuableConditions,
  type ListCondition,
  MERGE_REQUESTS,
  negatedConditions,
  reactionConditions,
  valueCondition,
} from '#api/planning/issuables/index.ts';
import { ANONYMOUS } from '#authentication/caller.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { explainPlan } from '#database/dialect.ts';
import { testDatabase } from '#test/engines/engine.ts';
import { approvalConditions, deploymentConditions } from './list.ts';

const database = await testDatabase();
after(() => database[Symbol.asyncDispose]());

/** Sets the statistics of SQLite to those of a million merge requests: some plans are bad only for many rows. */
async function setStatistics(tx: Transaction): Promise<void> {
  if (database.engine !== 'sqlite') return;
  await sql`analyze`.execute(tx);
  const statistics = [
    ['merge_requests', 'merge_requests_by_project_state', '1000000 401 401 401'],
    ['merge_requests', 'merge_requests_of_all_by_created_at', '1000000 1 1 1 1 1 1'],
    ['merge_request_labels', 'merge_request_labels_by_label', '810024 401 1'],
    ['merge_request_labels', 'sqlite_autoindex_merge_request_labels_1', '810024 2 1'],
    ['labels', 'labels_by_title', '20200 267'],
    ['projects', 'projects_by_namespace', '10000 401 1'],
    ['projects', 'projects_by_path', '10000 1 1'],
    ['merge_requests', 'merge_requests_by_project_merged_by', '1000000 401 401'],
    ['namespace_closure', 'namespace_closure_by_ancestor', '2101 1 1'],
  ];
  for (const [table, index, stat] of statistics)
    await sql`insert into sqlite_stat1 (tbl, idx, stat) values (${table}, ${index}, ${stat})`.execute(tx);
  await sql`analyze sqlite_schema`.execute(tx);
}

const SHIPMENTS_OF_ENVIRONMENT =
  'deployment_merge_requests_pkey|sqlite_autoindex_deployment_merge_requests_1|deployment_merge_requests_by_environment';

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
    ['environments_by_', SHIPMENTS_OF_ENVIRONMENT],
    ['environments_of_all_by_name', SHIPMENTS_OF_ENVIRONMENT],
  ],
  [
    'environment and deployed_after, by the time first',
    (db, scope) =>
      deploymentConditions(db, scope, { environment: 'production', deployed_after: '2026-01-01T00:00:00.000Z' }),
    ['deployment_merge_requests_by_project'],
    ['deployment_merge_requests_by_finished_at'],
  ],
  [
    'deployed_after',
    (db, scope) => deploymentConditions(db, scope, { deployed_after: '2026-01-01T00:00:00.000Z' }),
    ['deployment_merge_requests_by_project'],
    ['deployment_merge_requests_by_finished_at'],
  ],
  [
    'my_reaction_emoji',
    (db, scope) => reactionConditions(db, scope, ANONYMOUS, { my_reaction_emoji: 'star' }),
    ['award_emoji_by_user_merge_request'],
    ['award_emoji_by_user_merge_request'],
  ],
  [
    'merge_user_id',
    (db, scope) => [valueCondition(db, scope, 'merged_by_id', 7)],
    ['merge_requests_by_project_merged_by|Index Scan using merge_requests_by_'],
    ['merge_requests_by_merged_by'],
  ],
  [
    'draft',
    (db, scope) => [flagCondition(db, scope, 'draft', true)],
    ['merge_requests_drafts|Index Scan using merge_requests_by_'],
    ['merge_requests_drafts'],
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

const searchedInGroup: readonly [name: string, build: Build, indexes: readonly string[]][] = [
  [
    'environment and deployed_before',
    (db, scope) =>
      deploymentConditions(db, scope, { environment: 'production', deployed_before: '2026-01-01T00:00:00.000Z' }).slice(
        1,
      ),
    ['environments_by_', SHIPMENTS_OF_ENVIRONMENT],
  ],
  [
    'deployed_before',
    (db, scope) => deploymentConditions(db, scope, { deployed_before: '2026-01-01T00:00:00.000Z' }),
    ['deployment_merge_requests_by_project'],
  ],
  [
    'labels',
    (db, scope) => issuableConditions(db, scope, { labels: ['bug'] }),
    ['labels_by_', 'merge_request_labels_by_label'],
  ],
  [
    'merge_user_id',
    (db, scope) => [valueCondition(db, scope, 'merged_by_id', 7)],
    ['merge_requests_by_(project_)?merged_by|Index Scan using merge_requests_by_'],
  ],
];

for (const [name, build, indexes] of searchedInGroup) {
  test(`${name} searches the projects of a group with ${indexes.join(' and ')}`, async () => {
    const plan = await database.transaction((tx) => {
      const [condition] = build(tx, { tables: MERGE_REQUESTS, project: null, group: { id: 3 } });
      assert.equal(condition!.hasIdsOfGroup, true);
      return explainPlan(tx, {
        compile: () => sql`select found.* from (${condition!.ids!} limit 10000) as found`.compile(tx),
      });
    });
    for (const index of ['projects_by_namespace|projects_pkey', ...indexes])
      assert.match(plan.join('\n'), new RegExp(index));
    assert.doesNotMatch(plan.join('\n'), /SCAN (?!found)\w+\b(?! USING)|Seq Scan/);
  });
}

test('tests a deployment of a row by one search in an index', async () => {
  const plan = await database.transaction((tx) => {
    const filter = { deployed_after: '2026-01-01T00:00:00.000Z' };
    const [condition] = deploymentConditions(tx, { tables: MERGE_REQUESTS, project: null }, filter);
    return explainPlan(tx, tx.selectFrom('merge_requests').select('id').where(condition!.predicate).limit(20));
  });
  assert.match(plan.join('\n'), /deployment_merge_requests_by_merge_request/);
  assert.doesNotMatch(plan.join('\n'), /deployments_/);
});

test('returns no locked merge request without reading a row', async () => {
  const conditions = await database.transaction(async (tx) =>
    issuableConditions(tx, { tables: MERGE_REQUESTS, project: null }, { state: 'locked' }),
  );
  assert.equal(conditions.length, 1);
  const [{ predicate, ids }] = conditions as [ListCondition];
  const query = await database.transaction(async (tx) => tx.selectFrom('merge_requests').where(predicate).compile());
  assert.match(query.sql, /where 1 = 0$/);
  assert.equal(ids, undefined);
});

test('collects the awards of the caller once, for a filter and for its negation', async () => {
  for (const filter of [{ my_reaction_emoji: 'star' }, { not: { my_reaction_emoji: 'star' } }]) {
    const plan = await database.transaction((tx) => {
      const [condition] = reactionConditions(tx, { tables: MERGE_REQUESTS, project: null }, ANONYMOUS, filter);
      return explainPlan(tx, tx.selectFrom('merge_requests').select('id').where(condition!.predicate));
    });
    assert.match(plan.join('\n'), /award_emoji_by_user_merge_request/);
    assert.doesNotMatch(plan.join('\n'), /CORRELATED|merge_request_id = merge_requests.id|merge_request_id=\?/);
  }
});

test('scans merge requests for the labels of each, without a scan of all labels', async () => {
  const plan = await database.transaction(async (tx) => {
    await setStatistics(tx);
    const [condition] = issuableConditions(tx, { tables: MERGE_REQUESTS, project: null }, { labels: ['bug'] });
    return explainPlan(tx, tx.selectFrom('merge_requests').select('id').where(condition!.predicate).limit(10_001));
  });
  assert.doesNotMatch(plan.join('\n'), /BLOOM FILTER ON label_link|Semi Join/);
  assert.match(plan.join('\n'), /hashed SubPlan|LIST SUBQUERY/);
});

test('does not search each project of a group with an index of all projects', async () => {
  const condition = await database.transaction(async (tx) =>
    valueCondition(tx, { tables: ISSUES, project: null }, 'weight', 3),
  );
  assert.equal(condition.repeatsSearchInGroups, true);
});

test('looks up the labels of each merge request, not the merge request among those of each label', async () => {
  const scope: IssuableListScope = { tables: MERGE_REQUESTS, project: null };
  for (const build of [issuableConditions, negatedConditions]) {
    const plan = await database.transaction(async (tx) => {
      await setStatistics(tx);
      const [condition] = build(tx, scope, { labels: ['bug'] });
      return explainPlan(tx, tx.selectFrom('merge_requests').select('id').where(condition!.predicate).limit(20));
    });
    // Of SQLite, which would repeat the search for each label. PostgreSQL chooses by the number of labels.
    assert.doesNotMatch(plan.join('\n'), /merge_request_labels_by_label \(label_id=/);
  }
});

test('excludes labels of all projects without a join of all labels', async () => {
  const [condition] = await database.transaction(async (tx) =>
    negatedConditions(tx, { tables: MERGE_REQUESTS, project: null }, { labels: ['bug'] }),
  );
  const plan = await database.transaction((tx) =>
    explainPlan(tx, tx.selectFrom('merge_requests').select('id').where(condition!.unsortedQueryPredicate!).limit(20)),
  );
  assert.doesNotMatch(plan.join('\n'), /Anti Join/);
});

test('counts the rows of a group from its projects on, not from all rows', async () => {
  const plan = await database.transaction(async (tx) => {
    await setStatistics(tx);
    const conditions = issuableConditions(tx, { tables: MERGE_REQUESTS, project: null }, { state: 'closed' });
    const visibility = {
      visibleInProject: () => sql<SqlBool>`true`,
      visibleAcrossProjects: () => sql<SqlBool>`projects.merge_requests_access_level <> 'disabled'`,
      hasIndexedOrder: true,
    };
    const parent = { group: { id: 3 }, nonArchived: false } as IssuableListParent;
    const { unorderedQuery } = await buildIdQueries(tx, MERGE_REQUESTS, parent, conditions, visibility);
    return explainPlan(tx, unorderedQuery.limit(10_001));
  });
  assert.doesNotMatch(plan.join('\n'), /SCAN merge_requests/);
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
