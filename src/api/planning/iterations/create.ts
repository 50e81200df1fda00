import type { SignedInCaller } from '#authentication/caller.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, invalid } from '#runtime/failure.ts';
import {
  type CadenceRow,
  createManualCadence,
  findCadence,
  findFirstManualCadence,
  insertIteration,
} from '../iteration-cadences/index.ts';
import { findIteration, type IterationContent, type IterationRow } from './store.ts';
import { normalizeTitle, validateIteration } from './validation.ts';

/** A new iteration. Without `cadenceId` it joins the group's first manual cadence. */
export interface CreateIterationInput extends IterationContent {
  readonly cadenceId: number | null;
}

/** Creates an iteration in a manual cadence of this group; creates the cadence if none is named and none exists. */
export async function createIteration(
  uow: UnitOfWork<SignedInCaller>,
  group: Pick<Group, 'id' | 'name'>,
  { cadenceId, ...input }: CreateIterationInput,
): Promise<IterationRow | Failure<'notFound' | 'cadenceIsAutomatic' | 'invalid'>> {
  const cadence = await findOrCreateCadence(uow, group, cadenceId);
  if (cadence === null) return fail('notFound');
  if (cadence.automatic) return fail('cadenceIsAutomatic');
  const content = { ...input, title: normalizeTitle(input.title) };
  const errors = await validateIteration(uow, { id: 0, cadence_id: cadence.id }, content);
  if (errors) return invalid(errors);
  const id = await insertIteration(uow, cadence, { period: content, texts: content });
  return (await findIteration(uow, [group.id], id)) as IterationRow;
}

async function findOrCreateCadence(
  uow: UnitOfWork<SignedInCaller>,
  group: Pick<Group, 'id' | 'name'>,
  id: number | null,
): Promise<CadenceRow | null> {
  if (id !== null) return findCadence(uow, [group.id], id);
  return (await findFirstManualCadence(uow, group.id)) ?? createManualCadence(uow, group);
}
