import type { EnvironmentProtection } from '#authorization/protected-environments/protected-environments.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Parent } from '#http/access/parents.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { recordProtection } from './activity.ts';
import { deleteProtectionRow, findProtection } from './store.ts';

/** Deletes a protection and returns its last state. */
export async function unprotectEnvironment(
  uow: UnitOfWork,
  parent: Parent,
  name: string,
): Promise<EnvironmentProtection | Failure<'notFound'>> {
  const protection = await findProtection(uow, parent, name);
  if (protection === null) return fail('notFound');
  await deleteProtectionRow(uow, protection.id);
  await recordProtection(uow, 'environment_unprotected', parent, protection);
  return protection;
}
