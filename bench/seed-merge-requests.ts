import { type RawBuilder, sql } from 'kysely';
import type { Transaction } from '#database/database.ts';
import { PROJECT, type Seeding } from './seed-issues.ts';

/** Labels of each project. No merge request has both `common` and `odd`; `half` is independent of them. */
const LABELS = ['common', 'odd', 'half', 'rare'];
const ENVIRONMENTS = ['production', 'staging'];

/**
 * Creates merge requests, two of five in the project with the issues, the others in all projects evenly. Most are merged and
 * deployed to the environment `production`, a tenth of these also to `staging`.
 */
export async function mergeRequests(
  tx: Transaction,
  from: number,
  to: number,
  { projects, numbers, moment, word }: Seeding & { readonly projects: number },
): Promise<void> {
  if (from === 1) await labelsAndEnvironments(tx, moment);
  const project = sql`case when n.i % 5 < 2 then ${PROJECT} else (select min(id) from projects) + n.i / 5 % ${sql.lit(projects)} end`;
  const isMerged = sql`n.i % 5 < 3`;
  const text = (name: string) => sql`${sql.lit(name)} || n.i || ' ' || ${word('n.i')}`;
  await sql`insert into merge_requests (project_id, iid, title, title_key, description, description_key, author_id, state, draft,
      source_branch, target_branch, head_sha, merged_at, merged_by_id, merge_status, squash, milestone_id, upvotes, created_at, updated_at)
    ${numbers(from, to)} select ${project}, n.i, ${text('Change ')}, ${text('change ')}, 'About ' || ${word('n.i / 10')},
      'about ' || ${word('n.i / 10')}, ${selectUser('n.i', 1000)},
      case when ${isMerged} then 'merged' when n.i % 5 = 3 then 'closed' else 'opened' end, n.i % 100 = 9, 'branch-' || n.i,
      case when n.i % 4 = 0 then 'release' else 'main' end, '', case when ${isMerged} then ${moment('n.i')} end,
      case when ${isMerged} then ${selectUser('n.i', 20)} end, 'unchecked', false,
      case when n.i % 5 < 2 then (select id from milestones where project_id = ${PROJECT} and iid = n.i % 60) end, n.i % 50,
      ${moment('n.i')}, ${moment('n.i')} from n`.execute(tx);
  const made = sql`from merge_requests as made where made.iid between ${sql.lit(from)} and ${sql.lit(to)}`;
  await labelsAndUsers(tx, made);
  await deployments(tx, made);
}

const selectUser = (n: string, count: number) =>
  sql`(select id from users where username_key = 'seed-' || (${sql.raw(n)} % ${sql.lit(count)} + 1))`;

async function labelsAndEnvironments(tx: Transaction, moment: Seeding['moment']): Promise<void> {
  const now = moment('0');
  for (const title of LABELS)
    await sql`insert into labels (project_id, title, title_key, color, created_at, updated_at)
      select id, ${title}, ${title}, '#6699cc', ${now}, ${now} from projects
      where not exists (select 1 from labels as other where other.project_id = projects.id and other.title = ${title})`.execute(
      tx,
    );
  for (const name of ENVIRONMENTS)
    await sql`insert into environments (project_id, name, name_key, slug, state, tier, auto_stop_setting, created_at, updated_at)
      select id, ${name}, ${name}, ${name}, 'available', ${name}, 'always', ${now}, ${now} from projects`.execute(tx);
}

async function labelsAndUsers(tx: Transaction, made: RawBuilder<unknown>): Promise<void> {
  const numbered = sql`select id, project_id, iid, created_at ${made}`;
  const conditions = { common: 'iid % 2 = 0', odd: 'iid % 2 = 1', half: 'iid / 2 % 2 = 0', rare: 'iid % 2000 = 1' };
  for (const [title, condition] of Object.entries(conditions))
    await sql`insert into merge_request_labels (merge_request_id, label_id)
      select made.id, labels.id from (${numbered}) as made join labels on labels.project_id = made.project_id
      where labels.title = ${title} and ${sql.raw(condition)}`.execute(tx);
  for (const table of ['merge_request_assignees', 'merge_request_reviewers', 'merge_request_approvals'] as const) {
    const column = table === 'merge_request_approvals' ? sql`, created_at` : sql``;
    await sql`insert into ${sql.table(table)} (merge_request_id, user_id ${column})
      select id, ${selectUser('made.iid', 50)} ${column} from (${numbered}) as made where iid % 3 > 0`.execute(tx);
  }
  // Of the owner of `USER_TOKEN`.
  await sql`insert into award_emoji (user_id, name, merge_request_id, created_at, updated_at)
    select ${selectUser('0', 1)}, case when iid % 1000 = 1 then 'star' else 'thumbsup' end, id, created_at, created_at
    from (${numbered}) as made where iid % 10 = 1`.execute(tx);
}

/** One deployment for each merged merge request and environment, that has finished when it was merged. */
async function deployments(tx: Transaction, made: RawBuilder<unknown>): Promise<void> {
  for (const [offset, name] of ENVIRONMENTS.entries()) {
    const merged = sql`from (select * ${made} and state = 'merged') as merged
      join environments on environments.project_id = merged.project_id and environments.name = ${name}
      where ${sql.lit(offset)} = 0 or merged.iid % 10 = 0`;
    const iid = sql`2 * merged.iid + ${sql.lit(offset)}`;
    await sql`insert into deployments (project_id, iid, environment_id, ref, tag, sha, status, finished_at, created_at, updated_at)
      select merged.project_id, ${iid}, environments.id, 'main', false, '', 'success', merged.merged_at, merged.merged_at, merged.merged_at
      ${merged}`.execute(tx);
    await sql`insert into deployment_merge_requests (deployment_id, environment_id, merge_request_id)
      select (select id from deployments where project_id = merged.project_id and iid = ${iid}), environments.id, merged.id
      ${merged}`.execute(tx);
  }
}
