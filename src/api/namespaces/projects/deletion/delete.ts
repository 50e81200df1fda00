import type { Reader } from '#database/database.ts';
import { hasRow } from '#database/page.ts';
import { loadArchiveState } from '#domain/namespaces/archive-state.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { MORE } from '#events/batches.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { hasRepositoryMove } from './destroy.ts';
import { destroyMarkedProjectBatch } from './destroy-marked.ts';
import { markProjectForDeletion } from './mark-for-deletion.ts';

export interface DeleteProjectInput {
  /** Destroys a marked project immediately; requires its full path. */
  readonly permanently: boolean;
  readonly fullPath: string | null | undefined;
}

/**
 * Marks a project for deletion, or destroys a batch of a marked one. A project below a marked group is left unchanged.
 */
export async function markOrDestroyProject(
  uow: UnitOfWork,
  project: Project,
  { permanently, fullPath }: DeleteProjectInput,
): Promise<undefined | typeof MORE | Failure<'notMarked' | 'alreadyMarked' | 'pathMismatch' | 'repositoryMoving'>> {
  if (project.marked_for_deletion_on === null) {
    if (permanently) return fail('notMarked');
    if ((await loadArchiveState(uow, project.namespace_id)).marked.any) return undefined;
    return markProjectForDeletion(uow, project);
  }
  if (!permanently) return fail('alreadyMarked');
  if (fullPath !== project.full_path) return fail('pathMismatch');
  if (await isRestored(uow, project.id)) return fail('notMarked');
  if (await hasRepositoryMove(uow, [project.id])) return fail('repositoryMoving');
  return destroyMarkedProjectBatch(uow, project.id, project.marked_for_deletion_on);
}

/** Returns whether the project was restored since the request began. index: projects primary key */
function isRestored(db: Reader, projectId: number): Promise<boolean> {
  const unmarked = db.selectFrom('projects').select('id').where('marked_for_deletion_on', 'is', null);
  return hasRow(unmarked.where('id', '=', projectId));
}
