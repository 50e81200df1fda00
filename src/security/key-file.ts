import { createHash, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Config, ConfigError } from '#config.ts';

const FILE_NAME = 'secret-key';

/** Returns the path of the key file. */
export const getKeyFilePath = (dataDir: string): string => join(dataDir, FILE_NAME);

/** Returns the path of the key that replaces the key file after a rotation. */
export const getNewKeyFilePath = (dataDir: string): string => `${getKeyFilePath(dataDir)}.new`;

/** Returns the path of the key that a rotation has replaced. */
export const getOldKeyFilePath = (dataDir: string): string => `${getKeyFilePath(dataDir)}.old`;

/**
 * Loads the key that encrypts secrets at rest: HEARTH_SECRET_KEY, or the key file of the data directory (mode 0600), which the
 * first start creates. Throws ConfigError if the file contains no key. Printing the key object does not show its bytes.
 */
export async function loadSecretKey(config: Pick<Config, 'dataDir' | 'secretKey'>): Promise<KeyObject> {
  if (config.secretKey) return createSecretKey(config.secretKey);
  return loadOrCreateKey(getKeyFilePath(config.dataDir));
}

/** Returns the key of this file, which is created if it does not exist. Throws ConfigError if it contains no key. */
export async function loadOrCreateKey(path: string): Promise<KeyObject> {
  return (await readKey(path)) ?? (await createKeyFile(path));
}

/** Returns the key that `loadSecretKey` would load, or null if it does not exist yet. */
export async function findSecretKey({
  dataDir,
  secretKey,
}: Pick<Config, 'dataDir' | 'secretKey'>): Promise<KeyObject | null> {
  return secretKey ? createSecretKey(secretKey) : readKey(getKeyFilePath(dataDir));
}

/** Returns a fingerprint that distinguishes keys without revealing them. */
export function computeKeyFingerprint(key: KeyObject): string {
  return createHash('sha256').update('hearth secret key ').update(key.export()).digest('hex').slice(0, 32);
}

/** Stores the key of another server in a data directory that has none. The file is durable when the promise resolves. */
export async function storeSecretKey(dataDir: string, key: KeyObject): Promise<void> {
  await createKeyFile(getKeyFilePath(dataDir), key.export());
}

/** Makes the new key of a rotation the key file; the old one stays in another file. Both are durable when the promise resolves. */
export async function installNewKey(dataDir: string): Promise<void> {
  const [path, oldPath] = [getKeyFilePath(dataDir), getOldKeyFilePath(dataDir)];
  await rm(oldPath, { force: true });
  await link(path, oldPath).catch((error: NodeJS.ErrnoException) => {
    // The key was lost.
    if (error.code !== 'ENOENT') throw error;
  });
  await rename(getNewKeyFilePath(dataDir), path);
  await syncDirectory(dataDir);
}

/** Returns the key of the file, or null if the file does not exist. Throws ConfigError if it contains no key. */
export async function readKey(path: string): Promise<KeyObject | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new ConfigError(`The key file ${path} cannot be read: ${error.code}`);
  });
  if (text === null) return null;
  const digits = text.trim();
  if (!/^[0-9a-f]{64}$/i.test(digits)) throw new ConfigError(`The key file ${path} must contain 64 hexadecimal digits`);
  return createSecretKey(Buffer.from(digits, 'hex'));
}

/** Writes a temporary file, then links it under its name: two concurrent starts both use the key that is linked first. */
async function createKeyFile(path: string, bytes = randomBytes(32)): Promise<KeyObject> {
  await mkdir(dirname(path), { recursive: true });
  const temporaryPath = `${path}.${randomBytes(8).toString('hex')}`;
  const file = await open(temporaryPath, 'wx', 0o600);
  try {
    await file.writeFile(`${bytes.toString('hex')}\n`);
    await file.sync();
    await link(temporaryPath, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await file.close();
    await rm(temporaryPath, { force: true });
  }
  await syncDirectory(dirname(path));
  const key = await readKey(path);
  if (!key) throw new ConfigError(`The key file ${path} disappeared while it was created`);
  return key;
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  await directory.sync().finally(() => directory.close());
}
