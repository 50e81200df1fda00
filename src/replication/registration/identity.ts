import { type KeyObject, randomBytes } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { ConfigError } from '#config.ts';
import { syncDirectory } from '#git/storage/storage.ts';
import { DecryptionError, decrypt, encrypt } from '#security/encryption.ts';

const Identity = Type.Object({ siteId: Type.Integer(), accessKey: Type.String(), secret: Type.String() });

/** Who this site is to its primary: what it says of itself in status reports, and proves itself with. */
export type Identity = Static<typeof Identity>;

const FILE_NAME = 'site-identity';

/** The file of the data directory that holds the identity, encrypted with the instance's key. */
export const identityPath = (dataDir: string) => join(dataDir, FILE_NAME);

/** Null: this site has not registered yet. Throws ConfigError for a file that this key does not open. */
export async function storedIdentity(dataDir: string, key: KeyObject): Promise<Identity | null> {
  const path = identityPath(dataDir);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new ConfigError(`The file ${path} cannot be read: ${error.code}`);
  });
  if (text === null) return null;
  try {
    const identity: unknown = JSON.parse(decrypt(key, text.trim(), FILE_NAME));
    if (Value.Check(Identity, identity)) return identity;
  } catch (error) {
    if (!(error instanceof DecryptionError || error instanceof SyntaxError)) throw error;
  }
  throw new ConfigError(
    `The file ${path} was not written with this secret key: restore the key, or remove the file to register anew`,
  );
}

/** Durable when it returns; whole or not there at any moment. */
export async function storeIdentity(dataDir: string, key: KeyObject, identity: Identity): Promise<void> {
  const path = identityPath(dataDir);
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    {
      await using file = await open(draft, 'wx', 0o600);
      await file.writeFile(`${encrypt(key, JSON.stringify(identity), FILE_NAME)}\n`);
      await file.sync();
    }
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
  await syncDirectory(dataDir);
}
