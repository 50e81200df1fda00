import type { Reader, Transaction } from '#database/database.ts';
import { prepareForIds } from '#database/prepare.ts';
import { byKind, type Kind } from './kind.ts';
import { type Linked, link } from './link-tables.ts';

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

/** Makes `now` of the people `before`. Who stays keeps his place. index: issue_assignees_by_issue */
export function assign(tx: Transaction, kind: Kind, id: number, linked: Linked): Promise<void> {
  const since = kind.assignees === 'merge_request_reviewers' ? 'created_at' : undefined;
  return link(tx, { table: kind.assignees, of: kind.id, to: 'user_id', since }, id, linked);
}
