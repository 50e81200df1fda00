import { type Caller, isAdministrator, isSignedIn } from '#authentication/caller.ts';
import { findUserById, findUserByUsername, type User } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import { forbidden, HttpError, insufficientScope, invalidParameters, unauthorized } from '../errors/http-error.ts';
import type { RawParameters } from '../parameters/brackets.ts';
import { getTextParameter } from '../request/credentials.ts';
import { firstHeader, type IncomingRequest } from '../request/incoming.ts';

// Sudo: an administrator acts as another user (contract/conventions.md §7 "Sudo").

/**
 * Returns the user name or id in the parameter `sudo` or the header; empty values count as absent. Throws 400 for a list or an
 * object, so that an administrator does not act as themselves by mistake.
 */
export function getSudoName(request: IncomingRequest, rawParams: RawParameters): string | null {
  if (typeof rawParams.sudo === 'object' && rawParams.sudo !== null) throw invalidParameters(['sudo is invalid']);
  const header = firstHeader(request.headers.sudo) || null;
  // Node decodes headers as latin1.
  return getTextParameter(rawParams, 'sudo') ?? (header && Buffer.from(header, 'latin1').toString('utf8'));
}

/**
 * Returns the caller for the rest of the request: the other user, with the administrator's token and address. Throws the
 * errors of the contract in its order. The state of the other user does not matter; the state of the administrator is
 * checked.
 */
export async function impersonate(db: Reader, caller: Caller, name: string): Promise<Caller> {
  if (!isSignedIn(caller)) throw unauthorized();
  if (!isAdministrator(caller)) throw forbidden('Must be admin to use sudo');
  if (caller.token === null)
    throw forbidden('Must be authenticated using an OAuth or personal access token to use sudo');
  if (!caller.token.scopes.includes('sudo')) throw insufficientScope(['sudo']);
  const user = await findSudoUser(db, name);
  if (user === null) throw new HttpError(404, { message: `404 User with ID or username '${name}' Not Found` });
  return { ...caller, user };
}

/** Returns the user with this id (only digits) or username; null for a missing or internal user. */
async function findSudoUser(db: Reader, name: string): Promise<User | null> {
  const id = /^\d+$/.test(name) ? Number(name) : null;
  if (name.includes('\u0000') || (id !== null && !Number.isSafeInteger(id))) return null;
  const user = id === null ? await findUserByUsername(db, name) : await findUserById(db, id);
  return user === null || user.internal ? null : user;
}
