import type { Project } from '../../../access/projects.ts';
import type { Config } from '../../../config.ts';
import type { Database } from '../../../database/database.ts';
import type { FactBus } from '../../../facts/bus.ts';
import type { Caller } from '../../../identity/caller.ts';
import { isRefused, type Refused, refused } from '../../../refused.ts';
import { markForDeletion } from './deletion.ts';
import { destroyMarked } from './destroy.ts';
import { isBelowMarked } from './target.ts';

interface RemovingRooms {
  readonly database: Database;
  readonly facts: FactBus;
  readonly config: Pick<Config, 'tier'>;
}

export interface Removal {
  /** A marked project goes at once, when its full path is given with it. */
  readonly permanently: boolean;
  readonly fullPath: string | null | undefined;
}

export type RemoveRefusal = 'notMarked' | 'alreadyMarked' | 'wrongPath';

/** Marks a project for deletion, or destroys a marked one. Below a group that is marked itself nothing needs to be done. */
export async function remove(
  rooms: RemovingRooms,
  caller: Caller,
  project: Project,
  { permanently, fullPath }: Removal,
): Promise<undefined | Refused<RemoveRefusal>> {
  if (project.marked_for_deletion_on === null) {
    if (permanently) return refused('notMarked');
    if (await isBelowMarked(rooms.database.reader, project.namespace_id)) return undefined;
    const marked = await markForDeletion(rooms, project);
    return isRefused(marked) ? marked : undefined;
  }
  if (!permanently) return refused('alreadyMarked');
  if (fullPath !== project.full_path) return refused('wrongPath');
  await destroyMarked(rooms, caller, project.id, project.marked_for_deletion_on);
  return undefined;
}
