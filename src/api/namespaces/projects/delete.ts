import { randomInt } from 'node:crypto';
import type { Columns, Reader, Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { hasRow } from '#database/page.ts';
import { loadArchiveState } from '#domain/namespaces/archive-state.ts';
import { toDeletionScheduledName, withSuffix } from '#domain/namespaces/name-validation.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { buildChildPath, getNamespacePath } from '#domain/namespaces/routes.ts';
import type { MORE } from '#events/batches.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { moveProject, reloadProject } from './changes.ts';
import { destroyMarkedProjectBatch, hasRepositoryMove, isDestructionStarted } from './destroy.ts';
import { findTakenFields } from './validation.ts';

// Deletion of a project is delayed: the project is marked first and destroyed later (contract/planning.md §3.1 "Deletion is
// delayed").

/** The parameters of a deletion. */
interface DeleteProjectInput {
  /** Destroys a marked project immediately; requires its full path. */
  readonly permanently: boolean;
  readonly fullPath: string | null | undefined;
}

/**
 * Marks a project for deletion, or destroys a batch of a marked one and returns `MORE` while rows remain. A project below a marked
 * group stays unchanged.
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

/**
 * Marks the project for deletion. It is archived and renamed, so that another project can take its name and path
 * immediately.
 */
async function markProjectForDeletion(
  uow: UnitOfWork,
  project: Project,
): Promise<undefined | Failure<'alreadyMarked'>> {
  const row = await findMarkColumns(uow, project.id);
  if (row === undefined || row.marked_for_deletion_on !== null) return fail('alreadyMarked');
  const name = toDeletionScheduledName(row.name, project.id);
  const path = toDeletionScheduledName(row.path, project.id);
  const formerNames = { name_before_deletion: row.name, path_before_deletion: row.path };
  await updateMarkColumns(uow, project.id, {
    name,
    path,
    ...formerNames,
    marked_for_deletion_on: uow.today,
    archived: true,
  });
  await moveProject(uow, project, buildChildPath(await getNamespacePath(uow, row.namespace_id), path, name));
}

/**
 * Restores a marked project, unarchived, under its former name and path, or similar ones if they are taken. Fails with
 * `notFound` if its destruction has started.
 */
export async function restoreMarkedProject(
  uow: UnitOfWork,
  project: Project,
): Promise<Project | Failure<'notMarked' | 'notFound'>> {
  const row = await findMarkColumns(uow, project.id);
  if (row === undefined || (await isDestructionStarted(uow, project.id))) return fail('notFound');
  if (row.marked_for_deletion_on === null) return fail('notMarked');
  const parent = await getNamespacePath(uow, row.namespace_id);
  const formerNames = { name: row.name_before_deletion ?? row.name, path: row.path_before_deletion ?? row.path };
  const { name, path } = await chooseRestoredNames(formerNames, async ({ name, path }) => {
    const fullPath = buildChildPath(parent, path, name).full_path;
    return (
      (await findTakenFields(uow, { namespaceId: row.namespace_id, name, fullPath, projectId: project.id })) === null
    );
  });
  await updateMarkColumns(uow, project.id, { name, path, ...UNMARKED });
  await moveProject(uow, project, buildChildPath(parent, path, name));
  await uow.publish('runner-access-extended', { type: 'project', id: project.id });
  return reloadProject(uow, project);
}

/** Columns of a project that is not marked for deletion. */
const UNMARKED = {
  name_before_deletion: null,
  path_before_deletion: null,
  marked_for_deletion_on: null,
  archived: false,
} as const;

/** Columns that marking for deletion and restoring change. */
type MarkColumns = Columns<
  'projects',
  'name' | 'path' | 'name_before_deletion' | 'path_before_deletion' | 'marked_for_deletion_on' | 'archived'
>;

// index: projects primary key
function findMarkColumns(tx: Transaction, id: number) {
  return tx
    .selectFrom('projects')
    .select(['namespace_id', 'name', 'path', 'name_before_deletion', 'path_before_deletion', 'marked_for_deletion_on'])
    .where('id', '=', id)
    .executeTakeFirst();
}

async function updateMarkColumns(tx: Transaction, id: number, markColumns: MarkColumns): Promise<void> {
  const row = { ...markColumns, name_key: foldCase(markColumns.name), updated_at: tx.now };
  await tx.updateTable('projects').set(row).where('id', '=', id).execute();
}

/** Name and path of a group or project. */
interface Names {
  readonly name: string;
  readonly path: string;
}

/**
 * Returns the name and path of a restored group or project: the former ones, or if they are taken, both with the same
 * suffix of five random letters or digits (contract/planning.md §3.1 "restore").
 */
export async function chooseRestoredNames(
  formerNames: Names,
  isFree: (names: Names) => Promise<boolean>,
): Promise<Names> {
  let names = formerNames;
  while (!(await isFree(names))) {
    const suffix = `-${Array.from({ length: 5 }, () => randomInt(36).toString(36)).join('')}`;
    names = { name: withSuffix(formerNames.name, suffix), path: withSuffix(formerNames.path, suffix) };
  }
  return names;
}
