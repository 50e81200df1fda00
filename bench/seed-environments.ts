import { sql } from 'kysely';
import type { Transaction } from '#database/database.ts';
import { PROJECT, type Seeding } from './seed-issues.ts';

/** The environments of a project that creates one per branch and deletes none: half are in `review/`, half are stopped. */
export async function environments(
  tx: Transaction,
  from: number,
  to: number,
  { numbers, moment, word }: Seeding,
): Promise<void> {
  const branch = sql`${word('n.i')} || '-' || n.i`;
  const inReview = sql`n.i % 2 = 0`;
  const name = sql`case when ${inReview} then 'review/' else '' end || ${branch}`;
  const state = sql`case when n.i % 1000 = 1 then 'stopping' when n.i % 4 < 2 then 'stopped' else 'available' end`;
  await sql`insert into environments (project_id, name, name_key, rest_key, slug, folder, state, tier, auto_stop_setting, created_at, updated_at)
    ${numbers(from, to)} select ${PROJECT}, ${name}, ${name}, case when ${inReview} then ${branch} end, 'seed-' || n.i,
      case when ${inReview} then 'review' end, ${state}, 'development', 'always', ${moment('n.i')}, ${moment('n.i')} from n`.execute(
    tx,
  );
}
