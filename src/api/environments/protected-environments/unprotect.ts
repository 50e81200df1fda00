import type { Protection } from '#authorization/protected-environments/protected-environments.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Parent } from '#http/access/parents.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { recordProtection } from './activity.ts';
import { deleteProtection, protectionNamed } from './store.ts';

/** Lifts a protection: what it was, as it stood at last. */
export async function unprotect(
  uow: UnitOfWork,
  parent: Parent,
  name: string,
): Promise<Protection | Failure<'notFound'>> {
  const protection = await protectionNamed(uow, parent, name);
  if (protection === null) return fail('notFound');
  await deleteProtection(uow, protection.id);
  await recordProtection(uow, 'environment_unprotected', parent, protection);
  return protection;
}
