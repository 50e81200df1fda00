import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { gate } from '#runtime/concurrency-limiter.ts';

// About 70 ms and 16 MiB a hash. The parameters stand in each hash, so they can be raised later.
const current = { ln: 14, r: 8, p: 1 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

// Each runs on a thread of the pool that files use too: a flood of sign-ins must leave threads and memory for those (two
// at once need 32 MiB). Who is the last in a full line waits little more than a second; beyond it, nobody waits.
const { enter } = gate(2, { waiting: 32, retryAfter: 5 });
let runs = 0;

/** How often this process has computed scrypt: tests prove with it that an unknown name costs the same work as a known one. */
export function scryptRuns(): number {
  return runs;
}

/** A salted scrypt hash that describes itself: `$scrypt$ln=14,r=8,p=1$salt$hash`. Fails with `QueueFull` when too many wait. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return written(current, salt, await compute(password, salt, current, HASH_BYTES));
}

/**
 * Is this the password of the hash? `null` (no such user, or a user without a password) is false after the same work,
 * so that the time tells nobody who exists. Fails with `QueueFull` when too many wait.
 */
export async function verifyPassword(hash: string | null, password: string): Promise<boolean> {
  const stored = hash === null ? null : read(hash);
  const { cost, salt, key } = stored ?? nobody;
  const computed = await compute(password, salt, cost, key.length);
  return timingSafeEqual(computed, key) && stored !== null;
}

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

const nobody: StoredHash = { cost: current, salt: Buffer.alloc(SALT_BYTES), key: Buffer.alloc(HASH_BYTES) };

function written({ ln, r, p }: Cost, salt: Buffer, key: Buffer): string {
  return `$scrypt$ln=${ln},r=${r},p=${p}$${salt.toString('base64url')}$${key.toString('base64url')}`;
}

function read(hash: string): StoredHash | null {
  const match = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w-]+)\$([\w-]{22,})$/.exec(hash);
  if (!match) return null;
  const [, ln, r, p, salt, key] = match;
  return {
    cost: { ln: Number(ln), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt!, 'base64url'),
    key: Buffer.from(key!, 'base64url'),
  };
}

async function compute(password: string, salt: Buffer, { ln, r, p }: Cost, length: number): Promise<Buffer> {
  const N = 2 ** ln;
  const options: ScryptOptions = { N, r, p, maxmem: 256 * N * r };
  return enter(() => {
    runs += 1;
    return new Promise((resolve, reject) => {
      scrypt(password, salt, length, options, (error, key) => (error ? reject(error) : resolve(key)));
    });
  });
}
