import type { SignedIn } from '../../identity/caller.ts';
import { readUser, type User } from '../../identity/users.ts';
import { notFound } from '../endpoint/refusal.ts';
import { type Access, type AccessCall, administrator } from './access.ts';

/** Administrators, with the user whom the path names by this parameter; 404 `404 User Not Found`. */
export function administeringUser(parameter: 'id' | 'user_id'): Access<{ caller: SignedIn; user: User }> {
  return administrator().record({
    name: 'user',
    find: ({ db, params }: AccessCall) => readUser(db, params[parameter] as number),
    missing: () => notFound('User'),
  });
}
