import { setImportedParent } from '#api/planning/epics/index.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { storedAs, type Target } from './relation.ts';

/** What epics are below: a source may tell of an epic before it tells of the one that it is below, which then waits for it. */

type Import = Pick<Target, 'importId' | 'entityId'>;

interface Child {
  readonly id: number;
  /** The source's id of its parent; null: it has none. */
  readonly parentKey: number | null;
}

/** Puts a new epic below its parent, or has it wait for that one. One that does not come along leaves it without a parent. */
export async function findParents(uow: UnitOfWork, target: Import, { id, parentKey }: Child): Promise<void> {
  if (parentKey === null) return;
  const parent = await storedAs(uow, target, 'epic', parentKey);
  if (parent !== null) return setImportedParent(uow, parent, id);
  await uow
    .insertInto('bulk_import_awaited_epics')
    .values({ bulk_import_id: target.importId, source_id: parentKey, epic_id: id })
    .execute();
}

/** Puts below a new epic those that have waited for it. index: bulk_import_awaited_epics_by_source */
export async function takeIn(
  uow: UnitOfWork,
  { importId }: Import,
  { id, key }: { readonly id: number; readonly key: number },
): Promise<void> {
  const waiting = await uow
    .deleteFrom('bulk_import_awaited_epics')
    .where('bulk_import_id', '=', importId)
    .where('source_id', '=', key)
    .returning('epic_id')
    .execute();
  for (const { epic_id } of waiting) await setImportedParent(uow, id, epic_id);
}
