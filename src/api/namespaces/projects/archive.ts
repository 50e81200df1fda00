import { loadArchiveState } from '#domain/namespaces/archive-state.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { recordProjectArchived } from './activity.ts';
import { reloadProject } from './move-route.ts';

/** Archiving of one project; archiving of its groups is handled by groups (contract/planning.md §3.3). */

/** Archives a project. Of two concurrent requests one fails with `alreadyArchived`. */
export async function archive(
  uow: UnitOfWork,
  project: Project,
): Promise<Project | Failure<'alreadyArchived' | 'ancestorArchived' | 'scheduledForDeletion' | 'notFound'>> {
  const row = await findArchiveColumns(uow, project.id);
  if (row === undefined) return fail('notFound');
  if (row.archived) return fail('alreadyArchived');
  const { archived, marked } = await loadArchiveState(uow, row.namespace_id);
  if (archived.any) return fail('ancestorArchived');
  if (marked.any) return fail('scheduledForDeletion');
  return setArchived(uow, project, true);
}

/**
 * Unarchives a project. A project that is scheduled for deletion must be restored instead; one that is not archived
 * stays unchanged.
 */
export async function unarchive(
  uow: UnitOfWork,
  project: Project,
): Promise<Project | Failure<'ancestorArchived' | 'scheduledForDeletion' | 'notFound'>> {
  const row = await findArchiveColumns(uow, project.id);
  if (row === undefined) return fail('notFound');
  const { archived } = await loadArchiveState(uow, row.namespace_id);
  if (archived.any) return fail('ancestorArchived');
  if (row.marked_for_deletion_on !== null) return fail('scheduledForDeletion');
  return row.archived ? setArchived(uow, project, false) : reloadProject(uow, project);
}

// index: projects primary key
function findArchiveColumns(uow: UnitOfWork, id: number) {
  return uow
    .selectFrom('projects')
    .select(['namespace_id', 'archived', 'marked_for_deletion_on'])
    .where('id', '=', id)
    .executeTakeFirst();
}

async function setArchived(uow: UnitOfWork, project: Project, archived: boolean): Promise<Project> {
  await uow.updateTable('projects').set({ archived, updated_at: uow.now }).where('id', '=', project.id).execute();
  await recordProjectArchived(uow, project, archived);
  return reloadProject(uow, project);
}
