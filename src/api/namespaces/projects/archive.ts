import { standingOf } from '#domain/namespaces/archive-state.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { Act } from '#events/unit-of-work.ts';
import { type Failure, refused } from '#runtime/failure.ts';
import { recordArchived } from './activity.ts';
import { readAgain } from './move-route.ts';

/** Archiving of one project; the archiving of a group above it is the group's (contract/planning.md §3.3). */

/** Of two at once one is told that the project is archived already. */
export async function archive(
  act: Act,
  project: Project,
): Promise<Project | Failure<'alreadyArchived' | 'archivedAbove' | 'scheduledForDeletion' | 'gone'>> {
  const row = await readRow(act, project.id);
  if (row === undefined) return refused('gone');
  if (row.archived) return refused('alreadyArchived');
  const { archived, marked } = await standingOf(act, row.namespace_id);
  if (archived.any) return refused('archivedAbove');
  if (marked.any) return refused('scheduledForDeletion');
  return setArchived(act, project, true);
}

/** A project that is scheduled for deletion is restored, not unarchived; one that is not archived stays as it is. */
export async function unarchive(
  act: Act,
  project: Project,
): Promise<Project | Failure<'archivedAbove' | 'scheduledForDeletion' | 'gone'>> {
  const row = await readRow(act, project.id);
  if (row === undefined) return refused('gone');
  const { archived } = await standingOf(act, row.namespace_id);
  if (archived.any) return refused('archivedAbove');
  if (row.marked_for_deletion_on !== null) return refused('scheduledForDeletion');
  return row.archived ? setArchived(act, project, false) : readAgain(act, project);
}

// index: projects primary key
function readRow(act: Act, id: number) {
  return act
    .selectFrom('projects')
    .select(['namespace_id', 'archived', 'marked_for_deletion_on'])
    .where('id', '=', id)
    .executeTakeFirst();
}

async function setArchived(act: Act, project: Project, archived: boolean): Promise<Project> {
  await act.updateTable('projects').set({ archived, updated_at: act.now }).where('id', '=', project.id).execute();
  await recordArchived(act, project, archived);
  return readAgain(act, project);
}
