import type { SignedInCaller } from '#authentication/caller.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, invalid } from '#runtime/failure.ts';
import {
  type CadenceRow,
  createManualCadence,
  findCadence,
  firstManualCadence,
  insertIteration,
} from '../iteration-cadences/index.ts';
import { findIteration, type IterationContent, type IterationRow } from './store.ts';
import { contentErrors, titleOf } from './validation.ts';

/** What is wished for: without a cadence that of the group whose iterations people make. */
export interface IterationWish extends IterationContent {
  readonly cadenceId: number | null;
}

/** Makes an iteration of a cadence of this group which people make iterations of. */
export async function createIteration(
  uow: UnitOfWork<SignedInCaller>,
  group: Pick<Group, 'id' | 'name'>,
  { cadenceId, ...wish }: IterationWish,
): Promise<IterationRow | Failure<'notFound' | 'automatic' | 'invalid'>> {
  const cadence = await cadenceFor(uow, group, cadenceId);
  if (cadence === null) return fail('notFound');
  if (cadence.automatic) return fail('automatic');
  const content = { ...wish, title: titleOf(wish.title) };
  const errors = await contentErrors(uow, { id: 0, cadence_id: cadence.id }, content);
  if (errors) return invalid(errors);
  const id = await insertIteration(uow, cadence, content, content);
  return (await findIteration(uow, [group.id], id)) as IterationRow;
}

async function cadenceFor(
  uow: UnitOfWork<SignedInCaller>,
  group: Pick<Group, 'id' | 'name'>,
  id: number | null,
): Promise<CadenceRow | null> {
  if (id !== null) return findCadence(uow, [group.id], id);
  return (await firstManualCadence(uow, group.id)) ?? createManualCadence(uow, group);
}
