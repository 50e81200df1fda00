import type { Database, Transaction } from '#database/database.ts';
import { type Clock, today } from '#runtime/clock.ts';
import { seeSession } from '../sessions/sessions.ts';

/** A token and its user as identification has read them. */
interface UsedToken {
  readonly id: number;
  readonly user_id: number;
  readonly last_used_at: string | null;
  /** As it is stored: a list of addresses as JSON. */
  readonly last_used_ips: string;
  readonly last_activity_on: string | null;
}

/** Somebody who called with something that keeps no track of its uses. */
interface ActiveUser {
  readonly id: number;
  readonly last_activity_on: string | null;
}

/** Remembers when and from where tokens and sessions are used, beside the requests that use them. */
export interface TokenUses {
  /**
   * A live token was presented. Writes when it is used from an address that is none of its latest, otherwise at most every
   * ten minutes, and never throws.
   */
  note(token: UsedToken, address: string): void;
  /** A user was active. Writes once a day, and never throws. */
  noteUser(user: ActiveUser): void;
  /** A session was used. Writes when it is due to be seen, and never throws. */
  noteSession(session: { readonly digest: string; readonly isDue: boolean }): void;
  /** Resolves when everything noted so far is written. The readers of `last_used_at` and the end of the server wait for it. */
  settled(): Promise<void>;
  /** Whether other processes read what is written here: then an answer waits until the uses that it stands on are settled. */
  readonly shared: boolean;
}

interface Surroundings {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: { warn(fields: object, message: string): void };
  readonly shared?: boolean;
}

const REMEMBER_MS = 10 * 60 * 1000;
const REMEMBERED_ADDRESSES = 5;

export function createTokenUses({ database, clock, log, shared = false }: Surroundings): TokenUses {
  const writing = new Map<string, Promise<void>>();
  /** Many requests at once are one write. */
  const write = (what: 'token' | 'user' | 'session', id: number | string, work: (tx: Transaction) => Promise<void>) => {
    const key = `${what} ${id}`;
    if (writing.has(key)) return;
    const written = database
      .transaction(work)
      .catch((err) => log.warn({ err, [`${what}_id`]: id }, `The use of a ${what} could not be remembered`))
      .finally(() => writing.delete(key));
    writing.set(key, written);
  };
  return {
    shared,
    note(token, address) {
      const due = isDue(token, clock);
      if (due || !isKnown(token, address)) write('token', token.id, (tx) => remember(tx, token, address, due));
    },
    noteUser(user) {
      if (!isActiveOn(user, today(clock))) write('user', user.id, (tx) => rememberActivity(tx, user));
    },
    noteSession({ digest, isDue }) {
      if (isDue) write('session', digest, (tx) => seeSession(tx, digest));
    },
    async settled() {
      await Promise.all(writing.values());
    },
  };
}

function isDue({ last_used_at, last_activity_on }: UsedToken, clock: Clock): boolean {
  if (last_used_at === null || Date.parse(last_used_at) + REMEMBER_MS <= clock.now().getTime()) return true;
  return last_activity_on !== today(clock);
}

/** Asked in every request, so nothing is parsed: an address has no quotes in it. */
function isKnown({ last_used_ips }: UsedToken, address: string): boolean {
  return last_used_ips.includes(`"${address}"`);
}

/** A new address is remembered at once; the moment of the use, and the day of the user's activity, only when they are due. */
async function remember(
  tx: Transaction,
  { id, user_id, last_activity_on }: UsedToken,
  address: string,
  due: boolean,
): Promise<void> {
  const row = await tx.selectFrom('access_tokens').select('last_used_ips').where('id', '=', id).executeTakeFirst();
  if (row === undefined) return;
  const others = (JSON.parse(row.last_used_ips) as string[]).filter((other) => other !== address);
  const addresses = [address, ...others].slice(0, REMEMBERED_ADDRESSES);
  await tx
    .updateTable('access_tokens')
    .set({ ...(due ? { last_used_at: tx.now } : {}), last_used_ips: JSON.stringify(addresses) })
    .where('id', '=', id)
    .execute();
  if (due) await rememberActivity(tx, { id: user_id, last_activity_on });
}

async function rememberActivity(tx: Transaction, user: ActiveUser): Promise<void> {
  if (isActiveOn(user, tx.today)) return;
  await tx.updateTable('users').set({ last_activity_on: tx.today }).where('id', '=', user.id).execute();
}

function isActiveOn({ last_activity_on }: ActiveUser, day: string): boolean {
  return last_activity_on === day;
}
