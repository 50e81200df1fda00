import type { KeyObject } from 'node:crypto';
import { type Config, ConfigError } from '#config.ts';
import type { Database } from '#database/database.ts';
import { computeKeyFingerprint, findSecretKey, getKeyFilePath, loadSecretKey } from '#security/key-file.ts';
import { loadSecretKeyState, type SecretKeyState, storeSecretKeyState } from './secret-key-state.ts';

type KeyConfig = Pick<Config, 'dataDir' | 'secretKey'>;

/**
 * Loads the key that encrypts the secrets of this database. The first start creates it and stores its fingerprint; later starts
 * throw ConfigError for a missing or another key, because the data would need two keys.
 */
export async function loadServerKey(config: KeyConfig, database: Database): Promise<KeyObject> {
  const state = await loadSecretKeyState(database.reader);
  const key = state === null ? await loadSecretKey(config) : await findSecretKey(config);
  const storedState = state ?? (await storeFingerprint(database, computeKeyFingerprint(key!)));
  const problem = describeKeyProblem(config, key, storedState);
  if (problem !== null) throw new ConfigError(problem);
  return key!;
}

/** Stores the fingerprint, unless another process has stored one at the same time. Returns the stored state. */
function storeFingerprint(database: Database, fingerprint: string): Promise<SecretKeyState> {
  return database.transaction(async (tx) => {
    const storedState = await loadSecretKeyState(tx);
    if (storedState !== null) return storedState;
    await storeSecretKeyState(tx, { fingerprint });
    return { fingerprint };
  });
}

/** Returns why this key cannot be used, and what to do; null if it is the key of the stored secrets. */
export function describeKeyProblem(config: KeyConfig, key: KeyObject | null, state: SecretKeyState): string | null {
  if (state.rotation !== undefined)
    return 'A rotation of the secret key is not complete. Run hearth secret-key rotate again, and then start the server.';
  const { fingerprint } = state;
  const recovery = `Restore the key from a copy (archives of hearth backup --with-secret-key contain it), in HEARTH_SECRET_KEY or in ${getKeyFilePath(config.dataDir)}. If it is lost, hearth secret-key rotate --skip-unreadable creates another one, and the secrets must be set again.`;
  if (key === null)
    return `The secret key is missing: stored secrets are encrypted with the key of fingerprint ${fingerprint}. ${recovery}`;
  const foundFingerprint = computeKeyFingerprint(key);
  if (foundFingerprint === fingerprint) return null;
  const source = config.secretKey === null ? `The key file ${getKeyFilePath(config.dataDir)}` : 'HEARTH_SECRET_KEY';
  return `${source} is another secret key: its fingerprint is ${foundFingerprint}, but stored secrets are encrypted with the key of fingerprint ${fingerprint}. ${recovery}`;
}
