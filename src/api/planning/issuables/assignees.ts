import { sql } from 'kysely';
import type { Reader, Transaction } from '../../../database/database.ts';
import { isAmong } from '../../../database/dialect.ts';
import { prepareForIds } from '../../../database/prepare.ts';
import { byKind, type Kind } from './kind.ts';

/** To whom things are assigned. */

/** Who is assigned to these things, of each the first one first. */
export async function assigneesOf(db: Reader, kind: Kind, ids: readonly number[]) {
  const rows = await assignments(kind)(db, ids);
  return rows.sort((one, other) => one.id - other.id);
}

// index: issue_assignees_by_issue
const assignments = byKind((kind: Kind) =>
  prepareForIds((db, ids) =>
    db
      .selectFrom(kind.assignees)
      .select(['id', `${kind.id} as thing_id`, 'user_id'])
      .where(kind.id, 'in', ids),
  ),
);

interface Assignees {
  readonly before: readonly number[];
  readonly now: readonly number[];
}

/** Makes `now` of `before`. Who stays keeps his place. index: issue_assignees_by_issue */
export async function assign(tx: Transaction, kind: Kind, id: number, { before, now }: Assignees): Promise<void> {
  const gone = before.filter((user) => !now.includes(user));
  const come = now.filter((user) => !before.includes(user));
  if (gone.length > 0) {
    await tx
      .deleteFrom(kind.assignees)
      .where(kind.id, '=', id)
      .where(isAmong(tx, sql<number>`user_id`, gone))
      .execute();
  }
  if (come.length > 0) {
    await tx
      .insertInto(kind.assignees)
      .values(come.map((user_id) => ({ [kind.id]: id, user_id }) as { issue_id: number; user_id: number }))
      .execute();
  }
}
