import type { Reader } from '#database/database.ts';
import { hasRow } from '#database/has-row.ts';
import { standingOf } from '#domain/namespaces/archive-state.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { MORE } from '#events/batches.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { areMoving } from './destroy.ts';
import { destroyMarked } from './destroy-marked.ts';
import { markForDeletion } from './mark-for-deletion.ts';

export interface Removal {
  /** A marked project goes at once, when its full path is given with it. */
  readonly permanently: boolean;
  readonly fullPath: string | null | undefined;
}

/** Marks a project for deletion, or destroys a marked one, piece by piece. Below a group that is marked itself nothing needs to be done. */
export async function remove(
  uow: UnitOfWork,
  project: Project,
  { permanently, fullPath }: Removal,
): Promise<undefined | typeof MORE | Failure<'notMarked' | 'alreadyMarked' | 'wrongPath' | 'moving'>> {
  if (project.marked_for_deletion_on === null) {
    if (permanently) return fail('notMarked');
    if ((await standingOf(uow, project.namespace_id)).marked.any) return undefined;
    return markForDeletion(uow, project);
  }
  if (!permanently) return fail('alreadyMarked');
  if (fullPath !== project.full_path) return fail('wrongPath');
  if (await isRestored(uow, project.id)) return fail('notMarked');
  if (await areMoving(uow, [project.id])) return fail('moving');
  return destroyMarked(uow, project.id, project.marked_for_deletion_on);
}

/** Since the request came. index: projects primary key */
function isRestored(db: Reader, projectId: number): Promise<boolean> {
  const unmarked = db.selectFrom('projects').select('id').where('marked_for_deletion_on', 'is', null);
  return hasRow(unmarked.where('id', '=', projectId));
}
