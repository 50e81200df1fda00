import { setImportedParent } from '#api/planning/epics/index.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { findStoredObject, type ImportTarget } from './relation.ts';

/** Sets the parents of imported epics. A source may list a child before its parent; the child then waits for the parent. */

type ImportIds = Pick<ImportTarget, 'importId' | 'entityId'>;

interface Child {
  readonly id: number;
  /** Id of the parent on the source; null: no parent. */
  readonly parentSourceId: number | null;
}

/**
 * Sets the parent of a new epic, or records that the epic waits for it. If the parent is never imported, the epic has no
 * parent.
 */
export async function setParentOrWait(
  uow: UnitOfWork,
  target: ImportIds,
  { id, parentSourceId }: Child,
): Promise<void> {
  if (parentSourceId === null) return;
  const parentId = await findStoredObject(uow, target, 'epic', parentSourceId);
  if (parentId !== null) return setImportedParent(uow, parentId, id);
  await uow
    .insertInto('bulk_import_awaited_epics')
    .values({ bulk_import_id: target.importId, source_id: parentSourceId, epic_id: id })
    .execute();
}

/** Sets a new epic as the parent of all epics that wait for it. index: bulk_import_awaited_epics_by_source */
export async function adoptWaitingEpics(
  uow: UnitOfWork,
  { importId }: ImportIds,
  { id, sourceId }: { readonly id: number; readonly sourceId: number },
): Promise<void> {
  const waitingEpics = await uow
    .deleteFrom('bulk_import_awaited_epics')
    .where('bulk_import_id', '=', importId)
    .where('source_id', '=', sourceId)
    .returning('epic_id')
    .execute();
  for (const { epic_id } of waitingEpics) await setImportedParent(uow, id, epic_id);
}
