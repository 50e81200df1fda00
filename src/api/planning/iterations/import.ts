import { IID_TAKEN } from '#domain/iids.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, invalid } from '#runtime/failure.ts';
import { type IterationPast, importedCadence, insertIteration } from '../iteration-cadences/index.ts';
import { findIteration, type IterationContent, type IterationRow, isIidTaken } from './store.ts';
import { contentErrors, titleOf } from './validation.ts';

/** An iteration as another server tells of it. */
export interface ImportedIteration extends IterationContent, IterationPast {}

/**
 * An iteration of another server, with the number that it has there, in the group's cadence for these (contract/operations.md
 * §1.4); in the turn of those who make some of the group.
 */
export async function importIteration(
  uow: UnitOfWork,
  group: Pick<Group, 'id'>,
  { iid, created_at, updated_at, ...given }: ImportedIteration,
): Promise<IterationRow | Failure<'invalid'>> {
  if (await isIidTaken(uow, group.id, iid)) return IID_TAKEN;
  const cadence = await importedCadence(uow, group);
  const content = { ...given, title: titleOf(given.title) };
  const errors = await contentErrors(uow, { id: 0, cadence_id: cadence.id }, content);
  if (errors) return invalid(errors);
  const id = await insertIteration(uow, cadence, content, content, { iid, created_at, updated_at });
  return (await findIteration(uow, [group.id], id)) as IterationRow;
}
