import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { explainPlan } from '#database/dialect.ts';
import type { Statement } from '#database/engines/engine.ts';
import { watchReads } from '#test/support/statement-watch.ts';
import { expectSuccess, world } from '#test/support/world.ts';

// Filters that more merge requests match than are counted. The index of the order must serve them.

const COUNT = 10_001;

const here = await world();
const { database } = here.server.services;
const group = await here.newGroup();
const project = await here.newProject({ in: group });
const { owner } = group;
const milestone = (await expectSuccess(owner.post(`${project.at}/milestones`, { title: 'v1' }))).body;
for (const name of ['bug', 'even', 'odd'])
  await expectSuccess(owner.post(`${project.at}/labels`, { name, color: 'red' }));

await database.transaction(async (tx) => {
  const [projectId, ownerId] = [sql.lit(project.id), sql.lit(owner.id)];
  await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(COUNT)})
    insert into merge_requests (project_id, iid, title, title_key, author_id, state, draft, source_branch, target_branch, head_sha,
      merge_status, squash, milestone_id, upvotes, merged_by_id, merged_at, created_at, updated_at)
    select ${projectId}, i, 'A', 'a', ${ownerId}, 'merged', true, 'b', 'main', '0', 'unchecked', false, ${sql.lit(milestone.id)},
      i % 7, ${ownerId}, case when i % 2 = 0 then '2026-01-01T00:00:00.000Z' end, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' from n`.execute(
    tx,
  );
  for (const table of ['merge_request_assignees', 'merge_request_reviewers'])
    await sql`insert into ${sql.table(table)} (merge_request_id, user_id) select id, author_id from merge_requests`.execute(
      tx,
    );
  await sql`insert into merge_request_approvals (merge_request_id, user_id, created_at)
    select id, author_id, created_at from merge_requests`.execute(tx);
  await sql`insert into award_emoji (merge_request_id, user_id, name, created_at, updated_at)
    select id, author_id, 'star', created_at, updated_at from merge_requests`.execute(tx);
  await sql`insert into merge_request_labels (merge_request_id, label_id)
    select merge_requests.id, labels.id from merge_requests, labels where labels.project_id = ${projectId}
      and (labels.title = 'bug' or labels.title = case when merge_requests.iid % 2 = 0 then 'even' else 'odd' end)`.execute(
    tx,
  );
  if (database.engine === 'postgres') await sql`analyze`.execute(tx);
});

/** Queries that sort the list, and queries that count its rows. */
const SORTED = /from "merge_requests".* order by "merge_requests"\./s;
const COUNTED = /as ids from/;

/** Returns the plans of the queries whose SQL matches the pattern, and the response. */
async function listWithPlan(path: string, params: object, pattern = SORTED) {
  const statements: Statement[] = [];
  const end = watchReads(database, (statement) => void statements.push(statement));
  const response = await expectSuccess(owner.get(path, params as Record<string, unknown>)).finally(end);
  const matching = statements.filter(({ sql: text }) => pattern.test(text));
  const plans = await database.transaction((tx) =>
    Promise.all(matching.map((statement) => explainPlan(tx, { compile: () => statement }))),
  );
  return { response, plan: plans.flat().join('\n') };
}

for (const filter of [
  { author_id: owner.id },
  { state: 'merged' },
  { target_branch: 'main' },
  { draft: true },
  { merge_user_id: owner.id },
  { merge_user_username: owner.username },
  { milestone: 'v1' },
  { labels: 'bug' },
  { assignee_id: owner.id },
  { reviewer_id: owner.id },
  { approved_by_ids: [owner.id] },
  { approved: 'yes' },
  { my_reaction_emoji: 'star' },
]) {
  test(`walks the index of the order for ${JSON.stringify(filter)}`, async () => {
    for (const [path, order_by, index] of [
      [project.at, 'created_at', /merge_requests_(of_all_)?by_created_at/],
      [group.at, 'created_at', /merge_requests_of_all_by_created_at/],
      ['', 'created_at', /merge_requests_of_all_by_created_at/],
      ['', 'popularity', /merge_requests_of_all_by_upvotes/],
      ['', 'title', /merge_requests_of_all_by_title/],
      [group.at, 'title', /merge_requests_of_all_by_title/],
      ['', 'merged_at', /merge_requests_of_all_by_merged_at/],
      [group.at, 'merged_at', /merge_requests_of_all_by_merged_at/],
    ] as const) {
      const { response, plan } = await listWithPlan(`${path}/merge_requests`, { scope: 'all', order_by, ...filter });
      assert.match(plan, index, `${path} ${plan}`);
      assert.doesNotMatch(plan, /TEMP B-TREE FOR ORDER BY|Sort Key/, `${path} ${plan}`);
      assert.equal(response.body.length, 20);
      assert.equal(response.headers['x-total'], undefined);
    }
  });
}

test('counts the rows of a group among the rows of a milestone or of an award', async () => {
  for (const filter of [{ milestone: 'v1' }, { my_reaction_emoji: 'star' }]) {
    const { plan } = await listWithPlan(`${group.at}/merge_requests`, filter, COUNTED);
    assert.match(plan, /SEARCH merge_requests USING INTEGER PRIMARY KEY|merge_requests_pkey/);
    assert.doesNotMatch(plan, /SEARCH merge_requests USING .*milestone_id=|BLOOM FILTER ON award/, plan);
  }
});

test('finds the rows of a rare filter combined with a common one', async () => {
  for (const path of [project.at, group.at, '']) {
    for (const [draft, total] of [
      [true, undefined],
      [false, '0'],
    ]) {
      const { headers } = await expectSuccess(
        owner.get(`${path}/merge_requests`, { scope: 'all', approved: 'yes', draft }),
      );
      assert.equal(headers['x-total'], total);
    }
  }
});

test('merges the rows of common labels in the order of an index', async () => {
  const { response, plan } = await listWithPlan(
    `${project.at}/merge_requests`,
    { labels: 'even,odd' },
    / intersect .*as counted/s,
  );
  assert.deepEqual(response.body, []);
  assert.match(plan, /INTERSECT|Intersect/);
  assert.match(plan, /merge_request_labels_by_label/);
  assert.doesNotMatch(plan, /TEMP B-TREE|Sort Key/);
  const { body } = await expectSuccess(owner.get(`${project.at}/merge_requests`, { labels: 'bug,even', per_page: 1 }));
  assert.equal(body[0].iid, COUNT - 1);
});

test('lists the rows of common labels of a group without a search in each project', async () => {
  const { response, plan } = await listWithPlan(`${group.at}/merge_requests`, { labels: 'bug' });
  assert.equal(response.body.length, 20);
  assert.match(plan, /merge_requests_of_all_by_created_at/);
  const { body } = await expectSuccess(owner.get(`${group.at}/merge_requests`, { labels: 'bug,odd', per_page: 1 }));
  assert.equal(body[0].iid, COUNT);
});
