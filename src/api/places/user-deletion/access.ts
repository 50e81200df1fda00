import { type Access, type AccessCall, administratorLate } from '../../../http/access/access.ts';
import { forbidden, notFound } from '../../../http/endpoint/refusal.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { readUserUntilGone, type User } from '../../../identity/users.ts';

/** Administrators, with the user whom the path names; nobody deletes Hearth's own users. */
export function deletableUser(): Access<{ caller: SignedIn; user: User }> {
  return administratorLate().record({
    name: 'user',
    find: ({ db, params }: AccessCall) => readUserUntilGone(db, params.id as number),
    missing: () => notFound('User'),
    allow(_call, { user }) {
      if (user.internal) throw forbidden('An internal user cannot be deleted');
    },
  });
}
