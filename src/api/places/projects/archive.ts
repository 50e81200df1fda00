import type { Project } from '../../../access/projects.ts';
import type { Act } from '../../../facts/act.ts';
import { type Refused, refused } from '../../../refused.ts';
import { recordArchived } from './history.ts';
import { readAgain } from './place.ts';

/** Of two at once one is told that the project is archived already. */
export async function archive(act: Act, project: Project): Promise<Project | Refused<'alreadyArchived'>> {
  return (await setArchived(act, project, true)) ? readAgain(act, project) : refused('alreadyArchived');
}

/** A project that is scheduled for deletion is restored, not unarchived. */
export async function unarchive(
  act: Act,
  project: Project,
): Promise<Project | Refused<'scheduledForDeletion' | 'alreadyUnarchived'>> {
  if (project.marked_for_deletion_on !== null) return refused('scheduledForDeletion');
  return (await setArchived(act, project, false)) ? readAgain(act, project) : refused('alreadyUnarchived');
}

/** False when it is so already. index: projects primary key */
async function setArchived(act: Act, project: Project, archived: boolean): Promise<boolean> {
  const changed = await act
    .updateTable('projects')
    .set({ archived, updated_at: act.now })
    .where('id', '=', project.id)
    .where('archived', '=', !archived)
    .returning('id')
    .executeTakeFirst();
  if (changed === undefined) return false;
  await recordArchived(act, project, archived);
  return true;
}
