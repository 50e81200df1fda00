import type { Database, Reader } from '#database/database.ts';
import type { Clock } from '#runtime/clock.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { readSettings } from '#settings/settings.ts';
import { networkOf } from './client-network.ts';
import { createPlaces } from './concurrency-slots.ts';
import { countInDatabase, readCount, type Window, windowAt } from './window-counters.ts';

// Passwords are tried on many accounts from one place, where the lock of a single account is in nobody's way.

const PERIOD_SECONDS = 600;

/**
 * Of each network few attempts at once, so that many together cannot all be under way before the first failure counts; of all
 * together no more than may wait for their hash (`passwords.ts`), so that no network alone fills that line.
 */
const places = createPlaces({ each: 8, all: 32 });

/**
 * Lets somebody at this address sign in with a password by `attempt`, whose refusal `invalid` is counted, for all
 * processes together. After `failed_sign_in_limit` of them in ten minutes (a fixed window; 0: no limit) it refuses
 * without an attempt, `tooMany` with `seconds`, whatever the password. Fails with `QueueFull` when too many wait already.
 */
export async function limitFailures<Result>(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  address: string,
  attempt: () => Promise<Result>,
): Promise<Result | Failure<'tooMany'>> {
  const leave = await places.take(address);
  try {
    const failures = windowAt(clock.now(), `failed_sign_in:${networkOf(address)}`, PERIOD_SECONDS);
    if (await isFull(database.reader, failures)) return fail('tooMany', { seconds: PERIOD_SECONDS });
    const result = await attempt();
    if (isFailure(result) && result.code === 'invalid') {
      await database.transaction((tx) => countInDatabase(tx, failures), { isolation: 'read committed' });
    }
    return result;
  } finally {
    leave();
  }
}

async function isFull(db: Reader, failures: Window): Promise<boolean> {
  const { failed_sign_in_limit: limit } = await readSettings(db);
  return limit > 0 && (await readCount(db, failures)) >= limit;
}
