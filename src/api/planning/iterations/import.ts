import { IID_TAKEN } from '#domain/iids.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, invalid } from '#runtime/failure.ts';
import {
  findOrCreateImportCadence,
  type ImportedIterationState,
  insertIteration,
} from '../iteration-cadences/index.ts';
import { findIteration, type IterationContent, type IterationRow, isIterationIidTaken } from './store.ts';
import { normalizeTitle, validateIteration } from './validation.ts';

/** An iteration exported from another server. */
export interface ImportedIteration extends IterationContent, ImportedIterationState {}

/**
 * Creates an iteration from another server with its original iid, in the group's import cadence (contract/operations.md §1.4).
 * The caller must hold `iterationsLockKey`.
 */
export async function importIteration(
  uow: UnitOfWork,
  group: Pick<Group, 'id'>,
  { iid, created_at, updated_at, ...input }: ImportedIteration,
): Promise<IterationRow | Failure<'invalid'>> {
  if (await isIterationIidTaken(uow, group.id, iid)) return IID_TAKEN;
  const cadence = await findOrCreateImportCadence(uow, group);
  const content = { ...input, title: normalizeTitle(input.title) };
  const errors = await validateIteration(uow, { id: 0, cadence_id: cadence.id }, content);
  if (errors) return invalid(errors);
  const id = await insertIteration(uow, cadence, {
    period: content,
    texts: content,
    importedState: { iid, created_at, updated_at },
  });
  return (await findIteration(uow, [group.id], id)) as IterationRow;
}
