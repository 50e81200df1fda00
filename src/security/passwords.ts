import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { createConcurrencyLimiter, type Waiter } from '#runtime/concurrency-limiter.ts';

/** The cost of new hashes: about 70 ms and 16 MiB each. A hash contains its cost, so it can be raised later. */
const CURRENT_COST = { ln: 14, r: 8, p: 1 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

// Hashes run in the thread pool that file access uses too: many sign-ins must leave it threads and memory (two concurrent hashes
// need 32 MiB). The last waiter of a full queue waits little more than a second.
const { run: runLimited } = createConcurrencyLimiter(2, { maxWaiting: 32, retryAfterSeconds: 5 });
let runCount = 0;

/** Returns how often this process has computed scrypt, to test that unknown names cost the same work as known ones. */
export function countScryptRuns(): number {
  return runCount;
}

/**
 * Returns a salted, self-describing scrypt hash: `$scrypt$ln=14,r=8,p=1$salt$hash`. `waiter` is the client that waits for it, whose
 * disconnection ends the wait. Fails with `QueueFull` if too many wait.
 */
export async function hashPassword(password: string, waiter?: Waiter): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return formatHash(
    CURRENT_COST,
    salt,
    await computeScrypt(password, salt, { ...CURRENT_COST, length: HASH_BYTES }, waiter),
  );
}

/**
 * Returns whether the password matches the hash. A null hash (no such user, or a user without a password) takes the same time,
 * so that timing does not reveal which users exist. Fails with `QueueFull` if too many wait.
 */
export async function verifyPassword(hash: string | null, password: string, waiter?: Waiter): Promise<boolean> {
  const storedHash = hash === null ? null : parseHash(hash);
  const { cost, salt, key } = storedHash ?? placeholderHash;
  const computed = await computeScrypt(password, salt, { ...cost, length: key.length }, waiter);
  return timingSafeEqual(computed, key) && storedHash !== null;
}

/** Parameters of scrypt: log2 of the iterations, block size, parallelism. */
interface Cost {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

interface StoredHash {
  readonly cost: Cost;
  readonly salt: Buffer;
  readonly key: Buffer;
}

const placeholderHash: StoredHash = {
  cost: CURRENT_COST,
  salt: Buffer.alloc(SALT_BYTES),
  key: Buffer.alloc(HASH_BYTES),
};

function formatHash({ ln, r, p }: Cost, salt: Buffer, key: Buffer): string {
  return `$scrypt$ln=${ln},r=${r},p=${p}$${salt.toString('base64url')}$${key.toString('base64url')}`;
}

function parseHash(hash: string): StoredHash | null {
  const match = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w-]+)\$([\w-]{22,})$/.exec(hash);
  if (!match) return null;
  const [, ln, r, p, salt, key] = match;
  return {
    cost: { ln: Number(ln), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt!, 'base64url'),
    key: Buffer.from(key!, 'base64url'),
  };
}

async function computeScrypt(
  password: string,
  salt: Buffer,
  { ln, r, p, length }: Cost & { readonly length: number },
  waiter?: Waiter,
): Promise<Buffer> {
  const N = 2 ** ln;
  // scrypt needs 128 * N * r bytes; the limit leaves room.
  const options: ScryptOptions = { N, r, p, maxmem: 256 * N * r };
  return runLimited(() => {
    runCount += 1;
    return new Promise((resolve, reject) => {
      scrypt(password, salt, length, options, (error, key) => (error ? reject(error) : resolve(key)));
    });
  }, waiter);
}
