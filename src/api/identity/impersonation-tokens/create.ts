import { type Clock, today } from '../../../clock.ts';
import type { Database } from '../../../database/database.ts';
import { createToken, type IssuedToken, latestExpiry, SCOPES } from '../../../identity/access-tokens.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { readUser, type User } from '../../../identity/users.ts';
import { type Refused, refused } from '../../../refused.ts';
import { type ApplicationSettings, readSettings } from '../../../settings/settings.ts';
import { recordToken } from '../personal-access-tokens/index.ts';

export interface ImpersonationOrder {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly scopes: readonly string[];
  readonly expiresAt: string | null;
}

const LONGEST_NAME = 255;

/** Issues a token with which an administrator acts as this user (contract/conventions.md §10). */
export async function createImpersonationToken(
  rooms: { readonly database: Database; readonly clock: Clock },
  user: User,
  order: ImpersonationOrder,
  caller: SignedIn,
): Promise<IssuedToken | Refused<'userNotFound' | 'internalUser' | 'invalid'>> {
  if (user.internal) return refused('internalUser');
  return rooms.database.transaction(async (tx) => {
    // The account may have ended since the path was looked at, and its tokens with it.
    if ((await readUser(tx, user.id)) === null) return refused('userNotFound');
    const settings = await readSettings(tx);
    const errors = problemsOf(order, settings, today(rooms.clock));
    if (Object.keys(errors).length > 0) return refused('invalid', { errors });
    const issued = await createToken(tx, {
      ...order,
      userId: user.id,
      description: order.description || null,
      impersonation: true,
      prefix: settings.personal_access_token_prefix,
    });
    await recordToken(tx, caller, { event: 'created', token: issued.token, owner: user });
    return issued;
  });
}

function problemsOf({ name, scopes, expiresAt }: ImpersonationOrder, settings: ApplicationSettings, now: string) {
  const errors: Record<string, string[]> = {};
  if (name.trim() === '') errors.name = ["can't be blank"];
  if ([...name].length > LONGEST_NAME) errors.name = [`is too long (maximum is ${LONGEST_NAME} characters)`];
  if (scopes.length === 0) errors.scopes = ["can't be blank"];
  else if (!scopes.every(isScope)) errors.scopes = ['can only contain available scopes'];
  const latest = latestExpiry(now, settings);
  if (expiresAt === null && settings.require_personal_access_token_expiry) errors.expires_at = ["can't be blank"];
  if (expiresAt !== null && expiresAt > latest) errors.expires_at = [`must be before ${latest}`];
  return errors;
}

function isScope(text: string): boolean {
  return (SCOPES as readonly string[]).includes(text);
}
