import type { Database, Reader } from '#database/database.ts';
import type { Clock } from '#runtime/clock.ts';
import type { RequestClient, Waiter } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import { createConcurrencySlots, getClientNetwork } from './concurrency-slots.ts';
import { getRateLimitWindow, incrementCount, readCount, type Window } from './window-counters.ts';

// Attackers try passwords on many accounts from one address, which the lock of a single account does not stop.

/** Length of the fixed window. */
const PERIOD_SECONDS = 600;

/**
 * Few concurrent attempts per network, because attempts that start before the first failure is counted are not limited. The
 * total equals the queue for password hashes (`passwords.ts`), so that no single network fills that queue.
 */
const slots = createConcurrencySlots({ perNetwork: 8, total: 32 });

/** The connection and the address of a sign-in attempt. */
export interface SignInClient {
  readonly client: RequestClient;
  readonly clientAddress: string;
}

/**
 * Runs a password sign-in `attempt` and counts its `invalid` failures per client network, across all processes. The setting
 * `failed_sign_in_limit` is the maximum number of failures in a fixed window of ten minutes; 0 means no limit. Beyond it, fails
 * with `tooMany` and `seconds`, without an attempt. The attempt passes its waiter to the password hash queue. Rejects with
 * `QueueFull` if too many wait, and with `ClientDisconnected`.
 */
export async function limitFailedSignIns<Result>(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  { client, clientAddress }: SignInClient,
  attempt: (waiter: Waiter) => Promise<Result>,
): Promise<Result | Failure<'tooMany'>> {
  const releaseSlot = await slots.take(clientAddress, client);
  try {
    const failureWindow = getRateLimitWindow(
      clock.now(),
      `failed_sign_in:${getClientNetwork(clientAddress)}`,
      PERIOD_SECONDS,
    );
    if (await isLimitReached(database.reader, failureWindow)) return fail('tooMany', { seconds: PERIOD_SECONDS });
    const result = await attempt({ client });
    if (isFailure(result) && result.code === 'invalid')
      await database.transaction((tx) => incrementCount(tx, failureWindow), { isolation: 'read committed' });
    return result;
  } finally {
    releaseSlot();
  }
}

async function isLimitReached(db: Reader, failureWindow: Window): Promise<boolean> {
  const { failed_sign_in_limit: limit } = await loadSettings(db);
  return limit > 0 && (await readCount(db, failureWindow)) >= limit;
}
