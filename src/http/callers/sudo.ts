import { type Caller, isAdministrator, isSignedIn } from '#authentication/caller.ts';
import { findUser, readUser, type User } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import { forbidden, HttpError, insufficientScope, invalidParameters, unauthorized } from '../errors/http-error.ts';
import type { Raw } from '../parameters/brackets.ts';
import { givenText } from '../request/credentials.ts';
import { type Incoming, single } from '../request/incoming.ts';

// An administrator acts as another user (contract/conventions.md §7 "Sudo").

/**
 * Whom the request wants to be: the parameter `sudo`, or else the header. Empty values count as not given; a list or a
 * hash is refused, for whoever wants to be somebody else is not to act as himself by mistake.
 */
export function sudoName(request: Incoming, given: Raw): string | null {
  if (typeof given.sudo === 'object' && given.sudo !== null) throw invalidParameters(['sudo is invalid']);
  const header = single(request.headers.sudo) || null;
  // Node hands headers over as latin1.
  return givenText(given, 'sudo') ?? (header && Buffer.from(header, 'latin1').toString('utf8'));
}

/**
 * The caller that the request runs as from here on: the other user, with the administrator's token and address. Throws
 * what the contract says of those who may not, in its order. What state the other user is in is no matter: the
 * administrator has been asked for his own.
 */
export async function actAs(db: Reader, caller: Caller, name: string): Promise<Caller> {
  if (!isSignedIn(caller)) throw unauthorized();
  if (!isAdministrator(caller)) throw forbidden('Must be admin to use sudo');
  if (caller.token === null) {
    throw forbidden('Must be authenticated using an OAuth or personal access token to use sudo');
  }
  if (!caller.token.scopes.includes('sudo')) throw insufficientScope(['sudo']);
  const user = await named(db, name);
  if (user === null) throw new HttpError(404, { message: `404 User with ID or username '${name}' Not Found` });
  return { ...caller, user };
}

/** Digits are an id; Hearth's own users are nobody to act as. */
async function named(db: Reader, name: string): Promise<User | null> {
  const id = /^\d+$/.test(name) ? Number(name) : null;
  if (name.includes('\u0000') || (id !== null && !Number.isSafeInteger(id))) return null;
  const user = id === null ? await findUser(db, name) : await readUser(db, id);
  return user === null || user.internal ? null : user;
}
