import ipaddr from 'ipaddr.js';
import type { Clock } from '../clock.ts';
import type { Database, Reader } from '../database/database.ts';
import { isRefused, type Refused, refused } from '../refused.ts';
import { readSettings } from '../settings/settings.ts';
import { countInDatabase, readCount, type Window, windowAt } from './counts.ts';

// Passwords are tried on many accounts from one place, where the lock of a single account is in nobody's way.

const PERIOD_SECONDS = 600;

/**
 * Lets somebody at this address sign in with a password by `attempt`, whose refusal `invalid` is counted, for all
 * processes together. After `failed_sign_in_limit` of them in ten minutes (a fixed window; 0: no limit) it refuses
 * without an attempt, `tooMany` with `seconds`, whatever the password.
 */
export async function limitFailures<Result>(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  address: string,
  attempt: () => Promise<Result>,
): Promise<Result | Refused<'tooMany'>> {
  const failures = windowAt(clock.now(), `failed_sign_in:${placeOf(address)}`, PERIOD_SECONDS);
  if (await isFull(database.reader, failures)) return refused('tooMany', { seconds: PERIOD_SECONDS });
  const result = await attempt();
  if (isRefused(result) && result.code === 'invalid') {
    await database.transaction((tx) => countInDatabase(tx, failures), { isolation: 'read committed' });
  }
  return result;
}

async function isFull(db: Reader, failures: Window): Promise<boolean> {
  const { failed_sign_in_limit: limit } = await readSettings(db);
  return limit > 0 && (await readCount(db, failures)) >= limit;
}

/** Of IPv6 a single connection has 2^64 addresses: its network is one place. */
function placeOf(address: string): string {
  if (!ipaddr.IPv6.isValid(address)) return address;
  const parsed = ipaddr.IPv6.parse(address);
  return parsed.isIPv4MappedAddress() ? parsed.toIPv4Address().toString() : `${parsed.parts.slice(0, 4).join(':')}/64`;
}
