import { type RawBuilder, sql } from 'kysely';
import type { Transaction } from '#database/database.ts';

/** Creates a project with very many issues, and the data that lists filter and sort them by. */

export interface Seeding {
  readonly numbers: (from: number, to: number) => RawBuilder<unknown>;
  readonly moment: (n: string) => RawBuilder<unknown>;
  readonly word: (n: string) => RawBuilder<unknown>;
}

export const PROJECT = sql`(select id from projects where path = 'project-1')`;
const LABELS = 20;
const MILESTONES = 30;

/** Inserts the issues of a range of numbers. The first batch also inserts the labels and milestones. */
export async function issues(
  tx: Transaction,
  from: number,
  to: number,
  { numbers, moment, word }: Seeding,
): Promise<void> {
  if (from === 1) await labelsAndMilestones(tx, numbers, moment);
  const milestone = sql`(select id from milestones where project_id = ${PROJECT} and iid = n.i % ${sql.lit(2 * MILESTONES)})`;
  const author = sql`(select id from users where username_key = 'seed-' || (n.i % 1000 + 1))`;
  const day = sql`substr(${moment('n.i * 7')}, 1, 10)`;
  await sql`insert into issues (project_id, iid, title, title_key, description, description_key, author_id, state, confidential,
      issue_type, due_date, weight, milestone_id, relative_position, upvotes, created_at, updated_at)
    ${numbers(from, to)} select ${PROJECT}, n.i, 'Issue ' || n.i || ' ' || ${word('n.i')}, 'issue ' || n.i || ' ' || ${word('n.i')},
      'About ' || ${word('n.i / 10')}, 'about ' || ${word('n.i / 10')}, ${author}, case when n.i % 3 = 0 then 'closed' else 'opened' end,
      n.i % 100 = 7, 'issue', case when n.i % 3 = 1 then ${day} end, case when n.i % 4 = 1 then n.i % 10 end, ${milestone},
      n.i * cast(1048576 as bigint), n.i % 50, ${moment('n.i')}, ${moment('n.i')} from n`.execute(tx);
  const made = sql`from issues where project_id = ${PROJECT} and iid between ${sql.lit(from)} and ${sql.lit(to)}`;
  await sql`insert into issue_labels (issue_id, label_id)
    select issues.id, labels.id from issues join labels on labels.project_id = issues.project_id
      and (labels.title = 'label-' || (issues.iid % ${sql.lit(LABELS)}) or (labels.title = 'common' and issues.iid % 2 = 0)
        or (labels.title = 'rare' and issues.iid % 2000 = 1))
    where issues.project_id = ${PROJECT} and issues.iid between ${sql.lit(from)} and ${sql.lit(to)}`.execute(tx);
  await sql`insert into issue_assignees (issue_id, user_id)
    select id, (select id from users where username_key = 'seed-' || (iid % 200 + 1)) ${made} and iid % 2 = 0`.execute(
    tx,
  );
}

async function labelsAndMilestones(
  tx: Transaction,
  numbers: Seeding['numbers'],
  moment: Seeding['moment'],
): Promise<void> {
  const now = moment('0');
  const titles = [...Array.from({ length: LABELS }, (_, n) => `label-${n}`), 'common', 'rare'];
  for (const title of titles) {
    await sql`insert into labels (project_id, title, title_key, color, created_at, updated_at)
      values (${PROJECT}, ${title}, ${title}, '#6699cc', ${now}, ${now})`.execute(tx);
  }
  await sql`insert into label_priorities (project_id, label_id, priority)
    select project_id, id, id from labels where project_id = ${PROJECT} and title < 'label-15' and title > 'common'`.execute(
    tx,
  );
  await sql`insert into milestones (project_id, iid, title, title_key, state, due_date, created_at, updated_at)
    ${numbers(1, MILESTONES)} select ${PROJECT}, i, 'v' || i, 'v' || i, 'active', substr(${moment('i * 10000')}, 1, 10), ${now}, ${now}
    from n`.execute(tx);
}
