import { standingOf } from '#domain/namespaces/archive-state.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { recordArchived } from './activity.ts';
import { readAgain } from './move-route.ts';

/** Archiving of one project; the archiving of a group above it is the group's (contract/planning.md §3.3). */

/** Of two at once one is told that the project is archived already. */
export async function archive(
  uow: UnitOfWork,
  project: Project,
): Promise<Project | Failure<'alreadyArchived' | 'archivedAbove' | 'scheduledForDeletion' | 'gone'>> {
  const row = await readRow(uow, project.id);
  if (row === undefined) return fail('gone');
  if (row.archived) return fail('alreadyArchived');
  const { archived, marked } = await standingOf(uow, row.namespace_id);
  if (archived.any) return fail('archivedAbove');
  if (marked.any) return fail('scheduledForDeletion');
  return setArchived(uow, project, true);
}

/** A project that is scheduled for deletion is restored, not unarchived; one that is not archived stays as it is. */
export async function unarchive(
  uow: UnitOfWork,
  project: Project,
): Promise<Project | Failure<'archivedAbove' | 'scheduledForDeletion' | 'gone'>> {
  const row = await readRow(uow, project.id);
  if (row === undefined) return fail('gone');
  const { archived } = await standingOf(uow, row.namespace_id);
  if (archived.any) return fail('archivedAbove');
  if (row.marked_for_deletion_on !== null) return fail('scheduledForDeletion');
  return row.archived ? setArchived(uow, project, false) : readAgain(uow, project);
}

// index: projects primary key
function readRow(uow: UnitOfWork, id: number) {
  return uow
    .selectFrom('projects')
    .select(['namespace_id', 'archived', 'marked_for_deletion_on'])
    .where('id', '=', id)
    .executeTakeFirst();
}

async function setArchived(uow: UnitOfWork, project: Project, archived: boolean): Promise<Project> {
  await uow.updateTable('projects').set({ archived, updated_at: uow.now }).where('id', '=', project.id).execute();
  await recordArchived(uow, project, archived);
  return readAgain(uow, project);
}
