import { sql } from 'kysely';
import type { Transaction } from '#database/database.ts';
import { PROJECT, type Seeding } from './seed-issues.ts';

const MINUTE = 60_000;

/**
 * The activity events of that project, one per minute until now, because old events are deleted. Half are pushes; the
 * others are about issues, if the project has any.
 */
export async function events(
  tx: Transaction,
  from: number,
  to: number,
  { numbers, moment, count, issues }: Seeding & { readonly count: number; readonly issues: number },
): Promise<void> {
  const first = Math.floor((Date.now() - 1_600_000_000_000) / MINUTE) - count;
  const at = moment(`(${first} + n.i)`);
  const author = sql`(select id from users where username_key = 'seed-' || (n.i % 1000 + 1))`;
  const push = sql`n.i % 2 = 0`;
  const iid = sql`(n.i % ${sql.lit(Math.max(1, issues))} + 1)`;
  const target = sql`(select id from issues where project_id = ${PROJECT} and iid = ${iid})`;
  const pushed = (value: unknown) => sql`case when ${push} then ${value} end`;
  const other = (value: unknown) => sql`case when not (${push}) then ${value} end`;
  await sql`insert into activity_events (project_id, author_id, action, action_name, target_type, target_id, target_iid,
      push_action, ref_type, commit_count, commit_from, commit_to, ref, commit_title, created_at)
    ${numbers(from, to)} select ${PROJECT}, ${author}, case when ${push} then 'pushed' else 'created' end,
      case when ${push} then 'pushed to' else 'opened' end, ${other(sql`'Issue'`)}, ${other(target)}, ${other(iid)},
      ${pushed(sql`'pushed'`)}, ${pushed(sql`'branch'`)}, ${pushed(sql`1`)}, ${pushed(sql`'${sql.raw('1'.repeat(40))}'`)},
      ${pushed(sql`'${sql.raw('2'.repeat(40))}'`)}, ${pushed(sql`'main'`)}, ${pushed(sql`'Change ' || n.i`)}, ${at} from n`.execute(
    tx,
  );
}
