import { type SqlBool, sql } from 'kysely';
import type { Issue } from '../../../access/issues.ts';
import type { Reader, Transaction } from '../../../database/database.ts';
import type { Placed } from '../issuables/index.ts';

/** Where issues stand among those of their project. index: issues_by_position */

function placed(db: Reader, projectId: number) {
  return db
    .selectFrom('issues')
    .select(['issues.id', 'issues.relative_position as position'])
    .where('issues.project_id', '=', projectId);
}

export async function placeOf(db: Reader, projectId: number, id: number): Promise<Placed | null> {
  return (await placed(db, projectId).where('issues.id', '=', id).executeTakeFirst()) ?? null;
}

const PLACE = sql`(issues.relative_position, issues.id)`;

/** What stands before the neighbour, the issue that is being moved aside. */
export async function issueBefore(db: Reader, { id, project_id }: Issue, neighbour: Placed): Promise<Placed | null> {
  const before = await placed(db, project_id)
    .where('issues.id', '<>', id)
    .where(sql<SqlBool>`${PLACE} < (${neighbour.position}, ${neighbour.id})`)
    .orderBy('issues.relative_position', 'desc')
    .orderBy('issues.id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return before ?? null;
}

/** Those that follow, the issue that is being moved aside; null: from the front, or all of them. */
export function issuesBehind(
  db: Reader,
  { id, project_id }: Issue,
  before: Placed | null,
  limit: number | null,
): Promise<Placed[]> {
  let behind = placed(db, project_id).where('issues.id', '<>', id);
  if (before !== null) behind = behind.where(sql<SqlBool>`${PLACE} > (${before.position}, ${before.id})`);
  const ordered = behind.orderBy('issues.relative_position').orderBy('issues.id');
  return (limit === null ? ordered : ordered.limit(limit)).execute();
}

/** index: issues primary key */
export async function placeIssue(tx: Transaction, { id, position }: Placed): Promise<void> {
  await tx.updateTable('issues').set({ relative_position: position }).where('id', '=', id).execute();
}
