import type { Project } from '../../../access/projects.ts';
import type { Config } from '../../../config.ts';
import type { Database } from '../../../database/database.ts';
import type { Caller } from '../../../identity/caller.ts';
import { refused } from '../../../refused.ts';
import { auditProject } from './audit.ts';

interface ArchivingRooms {
  readonly database: Database;
  readonly config: Pick<Config, 'tier'>;
}

/** Of two at once one is told that the project is archived already. */
export async function archive(rooms: ArchivingRooms, caller: Caller, project: Project) {
  const done = await setArchived(rooms, caller, project, true);
  return done ? { archived: true } : refused('alreadyArchived');
}

/** A project that is scheduled for deletion is restored, not unarchived. */
export async function unarchive(rooms: ArchivingRooms, caller: Caller, project: Project) {
  if (project.marked_for_deletion_on !== null) return refused('scheduledForDeletion');
  const done = await setArchived(rooms, caller, project, false);
  return done ? { archived: false } : refused('alreadyUnarchived');
}

/** False when it is so already. */
async function setArchived(
  { database, config }: ArchivingRooms,
  caller: Caller,
  project: Project,
  archived: boolean,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const changed = await tx
      .updateTable('projects')
      .set({ archived, updated_at: tx.now })
      .where('id', '=', project.id)
      .where('archived', '=', !archived)
      .returning('id')
      .executeTakeFirst();
    if (changed === undefined) return false;
    const event = archived
      ? ({ name: 'project_archived', message: 'Project archived', shown: project.name } as const)
      : ({ name: 'project_unarchived', message: 'Project unarchived', shown: project.name } as const);
    await auditProject(tx, { caller, tier: config.tier }, project, event);
    return true;
  });
}
