import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { recordVariableDeleted } from './activity.ts';
import type { VariableOwner } from './owner.ts';
import { type CiVariableRow, deleteVariable } from './store.ts';

/** Deletes a variable. Jobs that start later do not get it. */
export async function deleteVariableAndRecord(
  uow: UnitOfWork,
  owner: VariableOwner,
  variable: CiVariableRow,
): Promise<undefined | Failure<'notFound'>> {
  if (!(await deleteVariable(uow, variable.id))) return fail('notFound');
  await recordVariableDeleted(uow, owner, variable);
}
