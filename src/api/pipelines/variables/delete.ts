import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { recordRemoved } from './activity.ts';
import type { Owner } from './owner.ts';
import { deleteVariable, type StoredVariable } from './store.ts';

/** Jobs that are handed out from now on don't have it. */
export async function removeVariable(
  uow: UnitOfWork,
  owner: Owner,
  variable: StoredVariable,
): Promise<undefined | Failure<'gone'>> {
  if (!(await deleteVariable(uow, variable.id))) return fail('gone');
  await recordRemoved(uow, owner, variable);
}
