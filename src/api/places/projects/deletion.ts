import { scheduledForDeletion } from '../../../access/names.ts';
import type { Project } from '../../../access/projects.ts';
import { childOf, placeOfNamespace } from '../../../access/routes.ts';
import type { Database, Transaction } from '../../../database/database.ts';
import { foldCase } from '../../../database/keys.ts';
import type { FactBus } from '../../../facts/bus.ts';
import { isRefused, type Refused, refused } from '../../../refused.ts';
import { moveTo } from './place.ts';
import { orTaken, takenFields, withTaken } from './taken.ts';

/** Delayed deletion (contract/planning.md §3.1 "Deletion is delayed"): a marked project can be restored until it is destroyed. */

interface DeletionRooms {
  readonly database: Database;
  readonly facts: FactBus;
}

/** Schedules the deletion: the project gives its name and path away at once, and is archived. */
export async function markForDeletion(
  { database, facts }: DeletionRooms,
  project: Project,
): Promise<{ done: true } | Refused<'alreadyMarked'>> {
  const done = await database.transaction(async (tx) => {
    const row = await readRow(tx, project.id);
    if (row === undefined || row.marked_for_deletion_on !== null) return refused('alreadyMarked');
    const name = scheduledForDeletion(row.name, project.id);
    const path = scheduledForDeletion(row.path, project.id);
    const kept = { name_before_deletion: row.name, path_before_deletion: row.path };
    const marked_for_deletion_on = tx.now.slice(0, 10);
    await setRow(tx, project.id, { name, path, ...kept, marked_for_deletion_on, archived: true });
    await moveTo(tx, facts, project, childOf(await placeOfNamespace(tx, row.namespace_id), path, name));
    return null;
  });
  return isRefused(done) ? (done as Refused<'alreadyMarked'>) : { done: true };
}

export type RestoreRefusal = 'notMarked' | 'invalid';

/** Takes the mark away: former name and path, unless somebody else has them now. */
export async function restore(
  { database, facts }: DeletionRooms,
  project: Project,
): Promise<{ done: true } | Refused<RestoreRefusal>> {
  const invalid = (fields: readonly ('name' | 'path')[]) => refused('invalid', { errors: withTaken({}, fields) });
  const work = () =>
    database.transaction(async (tx) => {
      const row = await readRow(tx, project.id);
      if (row === undefined || row.marked_for_deletion_on === null) return refused('notMarked');
      const name = row.name_before_deletion ?? row.name;
      const path = row.path_before_deletion ?? row.path;
      const place = childOf(await placeOfNamespace(tx, row.namespace_id), path, name);
      const wanted = { namespaceId: row.namespace_id, name, fullPath: place.full_path, projectId: project.id };
      const taken = await takenFields(tx, wanted);
      if (taken.length > 0) return invalid(taken);
      await setRow(tx, project.id, { name, path, ...UNMARKED });
      await moveTo(tx, facts, project, place);
      return null;
    });
  const done = await orTaken(work, (field) => invalid([field]));
  return isRefused(done) ? (done as Refused<RestoreRefusal>) : { done: true };
}

const UNMARKED = {
  name_before_deletion: null,
  path_before_deletion: null,
  marked_for_deletion_on: null,
  archived: false,
} as const;

interface Mark {
  readonly name: string;
  readonly path: string;
  readonly name_before_deletion: string | null;
  readonly path_before_deletion: string | null;
  readonly marked_for_deletion_on: string | null;
  readonly archived: boolean;
}

// index: projects primary key
function readRow(tx: Transaction, id: number) {
  return tx
    .selectFrom('projects')
    .select(['namespace_id', 'name', 'path', 'name_before_deletion', 'path_before_deletion', 'marked_for_deletion_on'])
    .where('id', '=', id)
    .executeTakeFirst();
}

async function setRow(tx: Transaction, id: number, mark: Mark): Promise<void> {
  const row = { ...mark, name_key: foldCase(mark.name), updated_at: tx.now };
  await tx.updateTable('projects').set(row).where('id', '=', id).execute();
}
