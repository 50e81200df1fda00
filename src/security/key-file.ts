import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Config, ConfigError } from '#config.ts';

const FILE_NAME = 'secret-key';

/**
 * The key that encrypts secrets at rest: HEARTH_SECRET_KEY, else the key file of the data directory (0600), which the
 * first start makes. Throws ConfigError when the file does not hold a key. The key's bytes don't show when it is printed.
 */
export async function loadSecretKey(config: Pick<Config, 'dataDir' | 'secretKey'>): Promise<KeyObject> {
  if (config.secretKey) return createSecretKey(config.secretKey);
  const path = join(config.dataDir, FILE_NAME);
  return (await readKey(path)) ?? (await makeKey(config.dataDir, path));
}

/** The same key where there is one already. */
export async function findSecretKey({
  dataDir,
  secretKey,
}: Pick<Config, 'dataDir' | 'secretKey'>): Promise<KeyObject | null> {
  return secretKey ? createSecretKey(secretKey) : readKey(join(dataDir, FILE_NAME));
}

/** Gives a data directory that has none the key of another server. Durable when it returns. */
export async function keepSecretKey(dataDir: string, key: KeyObject): Promise<void> {
  await makeKey(dataDir, join(dataDir, FILE_NAME), key.export());
}

async function readKey(path: string): Promise<KeyObject | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new ConfigError(`The key file ${path} cannot be read: ${error.code}`);
  });
  if (text === null) return null;
  const digits = text.trim();
  if (!/^[0-9a-f]{64}$/i.test(digits)) throw new ConfigError(`The key file ${path} must hold 64 hexadecimal digits`);
  return createSecretKey(Buffer.from(digits, 'hex'));
}

/** Written whole, then linked under its name: of two processes that start at once, both end with the first one's key. */
async function makeKey(dataDir: string, path: string, bytes = randomBytes(32)): Promise<KeyObject> {
  await mkdir(dataDir, { recursive: true });
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${bytes.toString('hex')}\n`);
    await file.sync();
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await file.close();
    await rm(draft, { force: true });
  }
  await syncDirectory(dataDir);
  const key = await readKey(path);
  if (!key) throw new ConfigError(`The key file ${path} disappeared while it was made`);
  return key;
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  await directory.sync().finally(() => directory.close());
}
