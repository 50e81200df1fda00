import type { Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { scheduledForDeletion } from '#domain/namespaces/name-validation.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { childOf, placeOfNamespace } from '#domain/namespaces/routes.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { moveTo, readAgain } from '../move-route.ts';
import { takenFields } from '../unique-errors.ts';
import { isBegun } from './destroy.ts';
import { restoredNames } from './restored-names.ts';

/** Delayed deletion (contract/planning.md §3.1 "Deletion is delayed"): a marked project can be restored until it is destroyed. */

/** Schedules the deletion: the project gives its name and path away at once, and is archived. */
export async function markForDeletion(
  uow: UnitOfWork,
  project: Project,
): Promise<undefined | Failure<'alreadyMarked'>> {
  const row = await readRow(uow, project.id);
  if (row === undefined || row.marked_for_deletion_on !== null) return fail('alreadyMarked');
  const name = scheduledForDeletion(row.name, project.id);
  const path = scheduledForDeletion(row.path, project.id);
  const kept = { name_before_deletion: row.name, path_before_deletion: row.path };
  await setRow(uow, project.id, { name, path, ...kept, marked_for_deletion_on: uow.today, archived: true });
  await moveTo(uow, project, childOf(await placeOfNamespace(uow, row.namespace_id), path, name));
}

/** Takes the mark away: former name and path, or ones like them, and not archived. One that is being destroyed is gone already. */
export async function restore(uow: UnitOfWork, project: Project): Promise<Project | Failure<'notMarked' | 'gone'>> {
  const row = await readRow(uow, project.id);
  if (row === undefined || (await isBegun(uow, project.id))) return fail('gone');
  if (row.marked_for_deletion_on === null) return fail('notMarked');
  const parent = await placeOfNamespace(uow, row.namespace_id);
  const former = { name: row.name_before_deletion ?? row.name, path: row.path_before_deletion ?? row.path };
  const { name, path } = await restoredNames(former, async ({ name, path }) => {
    const fullPath = childOf(parent, path, name).full_path;
    return (await takenFields(uow, { namespaceId: row.namespace_id, name, fullPath, projectId: project.id })) === null;
  });
  await setRow(uow, project.id, { name, path, ...UNMARKED });
  await moveTo(uow, project, childOf(parent, path, name));
  await uow.publish('runners-let-in', { type: 'project', id: project.id });
  return readAgain(uow, project);
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
