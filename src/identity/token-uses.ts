import type { Database, Transaction } from '../database/database.ts';

/** A token and its user as identification has read them. */
export interface UsedToken {
  readonly id: number;
  readonly user_id: number;
  readonly last_used_at: string | null;
  readonly last_activity_on: string | null;
}

/** Remembers when and from where tokens are used, beside the requests that use them. */
export interface TokenUses {
  /** A live token was presented. Writes at its first use, then at most every ten minutes, and never throws. */
  note(token: UsedToken, address: string): void;
  /** Resolves when everything noted so far is written. The readers of `last_used_at` and the end of the server wait for it. */
  settled(): Promise<void>;
}

interface Surroundings {
  readonly database: Database;
  readonly clock: { now(): Date };
  readonly log: { warn(fields: object, message: string): void };
}

const REMEMBER_MS = 10 * 60 * 1000;
const REMEMBERED_ADDRESSES = 5;

export function createTokenUses({ database, clock, log }: Surroundings): TokenUses {
  const writing = new Map<number, Promise<void>>();
  return {
    note(token, address) {
      if (writing.has(token.id) || !isDue(token, clock.now())) return;
      const written = database
        .transaction((tx) => remember(tx, token, address), { isolation: 'read committed' })
        .catch((err) => log.warn({ err, token_id: token.id }, 'The use of a token could not be remembered'))
        .finally(() => writing.delete(token.id));
      writing.set(token.id, written);
    },
    async settled() {
      await Promise.all(writing.values());
    },
  };
}

function isDue({ last_used_at, last_activity_on }: UsedToken, now: Date): boolean {
  if (last_used_at === null || now.getTime() - Date.parse(last_used_at) >= REMEMBER_MS) return true;
  return last_activity_on !== now.toISOString().slice(0, 10);
}

async function remember(tx: Transaction, { id, user_id, last_activity_on }: UsedToken, address: string): Promise<void> {
  const row = await tx.selectFrom('access_tokens').select('last_used_ips').where('id', '=', id).executeTakeFirst();
  if (row === undefined) return;
  const others = (JSON.parse(row.last_used_ips) as string[]).filter((other) => other !== address);
  const addresses = [address, ...others].slice(0, REMEMBERED_ADDRESSES);
  await tx
    .updateTable('access_tokens')
    .set({ last_used_at: tx.now, last_used_ips: JSON.stringify(addresses) })
    .where('id', '=', id)
    .execute();
  const day = tx.now.slice(0, 10);
  if (last_activity_on === day) return;
  await tx.updateTable('users').set({ last_activity_on: day }).where('id', '=', user_id).execute();
}
