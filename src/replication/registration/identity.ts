import { type KeyObject, randomBytes } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { ConfigError } from '#config.ts';
import { syncDirectory } from '#git/storage/storage.ts';
import { SITE_IDENTITY_CONTEXT } from '#security/encrypted-columns.ts';
import { DecryptionError, decrypt, encrypt } from '#security/encryption.ts';

const siteIdentitySchema = Type.Object({ siteId: Type.Integer(), accessKey: Type.String(), secret: Type.String() });

/** Identity and credentials of this site at its primary. */
export type SiteIdentity = Static<typeof siteIdentitySchema>;

const FILE_NAME = 'site-identity';

/** Returns the path of the file with the identity, which is encrypted with the instance's key. */
export const getIdentityPath = (dataDir: string) => join(dataDir, FILE_NAME);

/**
 * Returns the stored identity; null if this site has not registered yet. Throws ConfigError if this key cannot decrypt
 * the file.
 */
export async function readIdentity(dataDir: string, key: KeyObject): Promise<SiteIdentity | null> {
  const path = getIdentityPath(dataDir);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new ConfigError(`The file ${path} cannot be read: ${error.code}`);
  });
  if (text === null) return null;
  try {
    const identity: unknown = JSON.parse(decrypt(key, text.trim(), SITE_IDENTITY_CONTEXT));
    if (Value.Check(siteIdentitySchema, identity)) return identity;
  } catch (error) {
    if (!(error instanceof DecryptionError || error instanceof SyntaxError)) throw error;
  }
  throw new ConfigError(
    `The file ${path} was not written with this secret key: restore the key, or remove the file to register anew`,
  );
}

/** Writes the identity atomically. The file is durable when the promise resolves. */
export async function writeIdentity(dataDir: string, key: KeyObject, identity: SiteIdentity): Promise<void> {
  const path = getIdentityPath(dataDir);
  const temporaryPath = `${path}.${randomBytes(8).toString('hex')}`;
  try {
    {
      await using file = await open(temporaryPath, 'wx', 0o600);
      await file.writeFile(`${encrypt(key, JSON.stringify(identity), SITE_IDENTITY_CONTEXT)}\n`);
      await file.sync();
    }
    await rename(temporaryPath, path);
  } finally {
    await rm(temporaryPath, { force: true });
  }
  await syncDirectory(dataDir);
}
