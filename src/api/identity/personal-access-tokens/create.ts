import { type Clock, today } from '../../../clock.ts';
import type { Database } from '../../../database/database.ts';
import {
  createToken,
  defaultExpiry,
  type IssuedToken,
  latestExpiry,
  type Scope,
} from '../../../identity/access-tokens.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { readUser } from '../../../identity/users.ts';
import { type Refused, refused } from '../../../refused.ts';
import { readSettings } from '../../../settings/settings.ts';
import { recordToken } from './record.ts';

export interface TokenOrder {
  readonly userId: number;
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly scopes: readonly Scope[];
  readonly expiresAt: string | null;
}

export type OrderRefusal = 'tooLate' | 'noScopes' | 'noName' | 'longName';

const LONGEST_NAME = 255;

/** Issues a token to a user. Its date is the latest allowed one unless another was asked for. */
export async function issueToken(
  rooms: { readonly database: Database; readonly clock: Clock },
  order: TokenOrder,
  caller: SignedIn,
): Promise<IssuedToken | Refused<'userNotFound' | 'internalUser' | OrderRefusal>> {
  return rooms.database.transaction(async (tx) => {
    const user = await readUser(tx, order.userId);
    if (user === null) return refused('userNotFound');
    if (user.internal) return refused('internalUser');
    const settings = await readSettings(tx);
    const now = today(rooms.clock);
    const wrong = checkOrder(order, latestExpiry(now, settings));
    if (wrong !== null) return wrong;
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

/** What is wrong with an order of a token that may end on the day `latest` at the latest; null: nothing. */
export function checkOrder(
  { name, scopes, expiresAt }: Pick<TokenOrder, 'name' | 'scopes' | 'expiresAt'>,
  latest: string,
): Refused<OrderRefusal> | null {
  if (expiresAt !== null && expiresAt > latest) return refused('tooLate', { latest });
  if (scopes.length === 0) return refused('noScopes');
  if (name.trim() === '') return refused('noName');
  return [...name].length > LONGEST_NAME ? refused('longName') : null;
}
