import { type Access, type AccessCall, administrator } from '../../http/access.ts';
import { notFound } from '../../http/refusal.ts';
import type { SignedIn } from '../../identity/caller.ts';
import { readUser, type User } from '../../identity/users.ts';
import { readEmail } from './store.ts';

/** Administrators, with the user whom the path names. */
export function administeringUser(): Access<{ caller: SignedIn; user: User }> {
  return administrator().record({
    name: 'user',
    find: ({ db, params }: AccessCall) => readUser(db, params.id as number),
    missing: () => notFound('User'),
  });
}

/** An address of the caller. */
export const ownEmailNamed = {
  name: 'email' as const,
  find: ({ db, params }: AccessCall, { caller }: { readonly caller: SignedIn }) =>
    readEmail(db, caller.user.id, params.email_id as number),
  missing: () => notFound('Email'),
};
