import { type Clock, today } from '../../clock.ts';
import type { Database } from '../../database/database.ts';
import {
  createToken,
  defaultExpiry,
  type IssuedToken,
  latestExpiry,
  type Scope,
} from '../../identity/access-tokens.ts';
import type { SignedIn } from '../../identity/caller.ts';
import { readUser } from '../../identity/users.ts';
import { type Refused, refused } from '../../refused.ts';
import { readSettings } from '../../settings/settings.ts';
import { recordToken } from './record.ts';

export interface TokenOrder {
  readonly userId: number;
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly scopes: readonly Scope[];
  readonly expiresAt: string | null;
}

type CreateRefusal = 'userNotFound' | 'internalUser' | 'tooLate' | 'noScopes' | 'noName' | 'longName';

const LONGEST_NAME = 255;

/** Issues a token to a user. Its date is the latest allowed one unless another was asked for. */
export async function issueToken(
  rooms: { readonly database: Database; readonly clock: Clock },
  order: TokenOrder,
  caller: SignedIn,
): Promise<IssuedToken | Refused<CreateRefusal>> {
  return rooms.database.transaction(async (tx) => {
    const user = await readUser(tx, order.userId);
    if (user === null) return refused('userNotFound');
    if (user.internal) return refused('internalUser');
    const settings = await readSettings(tx);
    const now = today(rooms.clock);
    const latest = latestExpiry(now, settings);
    if (order.expiresAt !== null && order.expiresAt > latest) return refused('tooLate', { latest });
    if (order.scopes.length === 0) return refused('noScopes');
    if (order.name.trim() === '') return refused('noName');
    if ([...order.name].length > LONGEST_NAME) return refused('longName');
    const issued = await createToken(tx, {
      ...order,
      description: order.description || null,
      expiresAt: order.expiresAt ?? defaultExpiry(now, settings),
      prefix: settings.personal_access_token_prefix,
    });
    await recordToken(tx, caller, { event: 'created', token: issued.token, owner: user });
    return issued;
  });
}
