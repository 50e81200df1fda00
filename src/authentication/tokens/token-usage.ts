import { type Columns, type Database, StaleRead, type Transaction } from '#database/database.ts';
import { type Clock, getToday } from '#runtime/clock.ts';
import { touchSession } from '../sessions/sessions.ts';

/** The columns of a token and its user that identification reads. */
interface UsedToken extends Columns<'access_tokens', 'id' | 'user_id' | 'last_used_at'> {
  /** JSON array of addresses, newest first. */
  readonly last_used_ips: string;
  readonly last_activity_on: string | null;
}

/** A user who called with a credential that does not record its uses. */
type ActiveUser = Columns<'users', 'id' | 'last_activity_on'>;

/** The database from which a request has read a token, user or session: a use is written once these reads are verified. */
type ReadDatabase = Pick<Database, 'verify'>;

/** Records when and from where tokens and sessions are used. Requests do not wait for the writes. */
export interface TokenUsage {
  /**
   * Records a use of a valid token. Writes if the address is not among the latest, otherwise at most every ten minutes.
   * Never throws.
   */
  recordToken(readDatabase: ReadDatabase, token: UsedToken, address: string): void;
  /** Records activity of a user, at most once a day. Never throws. */
  recordUser(readDatabase: ReadDatabase, user: ActiveUser): void;
  /** Records a use of a session if it needs an update. Never throws. */
  recordSession(
    readDatabase: ReadDatabase,
    session: { readonly digest: string; readonly needsUpdate: boolean },
    address: string,
  ): void;
  /** Resolves when all recorded uses are written. Readers of `last_used_at` and the shutdown wait for it. */
  waitForFlush(): Promise<void>;
  /** Whether other processes read the same database. Responses then wait for `waitForFlush`. */
  readonly isDatabaseShared: boolean;
}

interface TokenUsageOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: { warn(fields: object, message: string): void };
  /** Whether other processes read the same database; false by default. */
  readonly isDatabaseShared?: boolean;
}

const UPDATE_INTERVAL_MS = 10 * 60 * 1000;
const MAX_ADDRESSES = 5;

export function createTokenUsage({
  database,
  clock,
  log,
  isDatabaseShared: shared = false,
}: TokenUsageOptions): TokenUsage {
  const pendingWrites = new Map<string, Promise<void>>();
  /** Starts a write unless one for the same token, user or session is pending. */
  const write = (
    readDatabase: ReadDatabase,
    [subject, id]: readonly [subject: 'token' | 'user' | 'session', id: number | string],
    work: (tx: Transaction) => Promise<void>,
  ) => {
    const key = `${subject} ${id}`;
    if (pendingWrites.has(key)) return;
    const verifyAndWrite = async () => {
      try {
        await readDatabase.verify();
        await database.transaction(work);
      } catch (err) {
        // The request starts again, and records the use then.
        if (err instanceof StaleRead) return;
        log.warn({ err, [`${subject}_id`]: id }, `Recording the use of a ${subject} failed`);
      } finally {
        pendingWrites.delete(key);
      }
    };
    pendingWrites.set(key, verifyAndWrite());
  };
  return {
    isDatabaseShared: shared,
    recordToken(readDatabase, token, address) {
      const isDue = needsUpdate(token, clock);
      // Runs on every request, so it does not parse the JSON: an address contains no quotes.
      if (isDue || !token.last_used_ips.includes(`"${address}"`))
        write(readDatabase, ['token', token.id], (tx) => updateToken(tx, token, address, isDue));
    },
    recordUser(readDatabase, user) {
      if (!isActiveOn(user, getToday(clock)))
        write(readDatabase, ['user', user.id], (tx) => updateUserActivity(tx, user));
    },
    recordSession(readDatabase, { digest, needsUpdate: isDue }, address) {
      if (isDue) write(readDatabase, ['session', digest], (tx) => touchSession(tx, digest, address));
    },
    async waitForFlush() {
      await Promise.all(pendingWrites.values());
    },
  };
}

function needsUpdate({ last_used_at, last_activity_on }: UsedToken, clock: Clock): boolean {
  if (last_used_at === null || Date.parse(last_used_at) + UPDATE_INTERVAL_MS <= clock.now().getTime()) return true;
  return last_activity_on !== getToday(clock);
}

/** Writes a new address immediately, but the time of the use and the user's activity only if `isDue`. */
async function updateToken(
  tx: Transaction,
  { id, user_id, last_activity_on }: UsedToken,
  address: string,
  isDue: boolean,
): Promise<void> {
  const row = await tx.selectFrom('access_tokens').select('last_used_ips').where('id', '=', id).executeTakeFirst();
  if (row === undefined) return;
  const otherAddresses = (JSON.parse(row.last_used_ips) as string[]).filter((other) => other !== address);
  const addresses = [address, ...otherAddresses].slice(0, MAX_ADDRESSES);
  await tx
    .updateTable('access_tokens')
    .set({ ...(isDue ? { last_used_at: tx.now } : {}), last_used_ips: JSON.stringify(addresses) })
    .where('id', '=', id)
    .execute();
  if (isDue) await updateUserActivity(tx, { id: user_id, last_activity_on });
}

async function updateUserActivity(tx: Transaction, user: ActiveUser): Promise<void> {
  if (isActiveOn(user, tx.today)) return;
  await tx.updateTable('users').set({ last_activity_on: tx.today }).where('id', '=', user.id).execute();
}

function isActiveOn({ last_activity_on }: ActiveUser, day: string): boolean {
  return last_activity_on === day;
}
