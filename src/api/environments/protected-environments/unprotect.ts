import type { Protection } from '#authorization/protected-environments/protected-environments.ts';
import type { Act } from '#events/unit-of-work.ts';
import type { Parent } from '#http/access/parents.ts';
import { type Failure, refused } from '#runtime/failure.ts';
import { recordProtection } from './activity.ts';
import { deleteProtection, protectionNamed } from './store.ts';

/** Lifts a protection: what it was, as it stood at last. */
export async function unprotect(act: Act, parent: Parent, name: string): Promise<Protection | Failure<'missing'>> {
  const protection = await protectionNamed(act, parent, name);
  if (protection === null) return refused('missing');
  await deleteProtection(act, protection.id);
  await recordProtection(act, 'environment_unprotected', parent, protection);
  return protection;
}
