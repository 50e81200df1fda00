import type { KeyObject } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { INSTANCE, recordAudit } from '#activity/index.ts';
import { ANONYMOUS } from '#authentication/caller.ts';
import { CommandFailed } from '#backup/command-failed.ts';
import { createProgress } from '#backup/progress.ts';
import { type ServerData, withServer } from '#backup/server-data.ts';
import type { Config } from '#config.ts';
import { lockDataDirectory } from '#database/data-directory-lock.ts';
import type { Transaction } from '#database/database.ts';
import { countServerSessions } from '#database/dialect.ts';
import {
  computeKeyFingerprint,
  findSecretKey,
  getKeyFilePath,
  getNewKeyFilePath,
  getOldKeyFilePath,
  installNewKey,
  loadOrCreateKey,
  readKey,
} from '#security/key-file.ts';
import {
  beginRotation,
  cancelRotation,
  checkSecrets,
  completeRotation,
  encryptWithNewKey,
  type UnreadableSecrets,
} from '#settings/secret-key-rotation.ts';
import { loadSecretKeyState, type SecretKeyState } from '#settings/secret-key-state.ts';
import { describeKeyProblem } from '#settings/server-key.ts';
import { createUsageError, defineCommand } from './command.ts';
import { requireCurrentSchema } from './command-data.ts';
import { loadCommandConfig } from './load-config.ts';

/** Encrypts all stored secrets with a new key, while no server runs. */
export const rotateSecretKeyCommand = defineCommand({
  positionals: [],
  options: {
    'new-key-file': {
      type: 'string',
      value: 'FILE',
      description:
        'File with the new key, 64 hexadecimal digits; it is created with a random key if it does not exist. Required if HEARTH_SECRET_KEY is set, and only then',
    },
    'skip-unreadable': {
      type: 'boolean',
      description: 'Leave secrets that the old key cannot decrypt as they are, for example because the old key is lost',
    },
  },
  description: `Encrypts all stored secrets with a new key: CI/CD variables, tokens that users can read again, and credentials of other servers. Stop all servers of the database first: the command fails while one runs, and no server starts before it is complete. If it is interrupted, run it again: it continues after the last batch. At the end it decrypts every secret with the new key.

Without HEARTH_SECRET_KEY, the key file of the data directory is replaced at the end, and secret-key.old has the old key. Archives of earlier backups need the old key.

Registration tokens of groups and projects that were never reset, and unsubscribe links of mails that were sent, are derived from the key: they change.`,
  async run(context, { 'new-key-file': newKeyFile, 'skip-unreadable': skipUnreadable }) {
    const config = loadCommandConfig(context);
    const newKeyPath = chooseNewKeyPath(config, newKeyFile);
    await withServer(config, createProgress(context.stderr), async (server) => {
      await requireCurrentSchema(server.database.reader);
      // On PostgreSQL, the sessions of servers are counted when the rotation has begun.
      const unlock = config.databaseUrl === null ? lockDataDirectory(config.dataDir) : () => {};
      try {
        await rotate(server, { newKeyPath, skipUnreadable });
      } finally {
        unlock();
      }
      context.stdout.write(describeResult(config, newKeyPath));
    });
  },
});

function chooseNewKeyPath({ secretKey, dataDir }: Config, newKeyFile: string | null): string {
  if (secretKey !== null && newKeyFile === null)
    throw createUsageError('--new-key-file is required, because HEARTH_SECRET_KEY is set', 'secret-key rotate');
  if (secretKey === null && newKeyFile !== null)
    throw createUsageError('--new-key-file is only for HEARTH_SECRET_KEY, which is not set', 'secret-key rotate');
  return newKeyFile ?? getNewKeyFilePath(dataDir);
}

interface RotationOptions {
  readonly newKeyPath: string;
  readonly skipUnreadable: boolean;
}

async function rotate(server: ServerData, { newKeyPath, skipUnreadable }: RotationOptions): Promise<void> {
  const { config, database, progress } = server;
  const state = await loadSecretKeyState(database.reader);
  const givenKey = await findSecretKey(config);
  const existingNewKey = await readKey(newKeyPath);
  // An earlier run has encrypted everything, and stopped before the end.
  if (state?.rotation === undefined && existingNewKey && state?.fingerprint === computeKeyFingerprint(existingNewKey))
    return finish(config);
  const oldFingerprint = state?.fingerprint ?? (givenKey && computeKeyFingerprint(givenKey));
  if (oldFingerprint === null) throw new CommandFailed('failed', 'This server has no secret key yet. Start it once');
  const oldKey = requireOldKey(config, givenKey, { fingerprint: oldFingerprint }, skipUnreadable);
  const newKey = existingNewKey ?? (await loadOrCreateKey(newKeyPath));
  requireNewKey(newKey, newKeyPath, oldFingerprint, state);
  const keys = { oldKey, newKey };
  await beginRotation(database, keys, oldFingerprint);
  try {
    if (state?.rotation === undefined) {
      await requireNoServer(server);
      await requireReadable(server, oldKey, skipUnreadable);
    }
  } catch (error) {
    await cancelRotation(database);
    if (existingNewKey === null) await rm(newKeyPath, { force: true });
    throw error;
  }
  progress.print(`${state?.rotation === undefined ? 'Starting' : 'Continuing'} to encrypt the stored secrets`);
  await encryptWithNewKey(database, keys, (count) => progress.update(`${count} secrets encrypted`));
  const { total, unreadable } = await checkSecrets(database.reader, [newKey]);
  if (unreadable.length > 0 && !skipUnreadable)
    throw new CommandFailed('unsound', `The new key does not decrypt all secrets: ${describeSecrets(unreadable)}`);
  await database.transaction(async (tx) => {
    await completeRotation(tx, keys);
    await recordRotation(tx, config, { from: oldFingerprint, to: computeKeyFingerprint(newKey) });
  });
  await finish(config);
  const skippedCount = countSecrets(unreadable);
  progress.print(
    `${total - skippedCount} secrets are encrypted with the new key of fingerprint ${computeKeyFingerprint(newKey)}` +
      (skippedCount === 0 ? '' : `; ${skippedCount} are still unreadable: ${describeSecrets(unreadable)}`),
  );
}

/** Records the rotation in the audit events of the instance (contract/activity.md Part 3), without the keys. */
function recordRotation(
  tx: Transaction,
  { tier }: Config,
  fingerprints: { readonly from: string; readonly to: string },
): Promise<void> {
  const target = { type: 'SecretKey', id: null, details: fingerprints.to };
  const message = 'Rotated the secret key';
  return recordAudit(
    tx,
    { actor: ANONYMOUS, tier },
    {
      name: 'secret_key_rotated',
      entity: INSTANCE,
      target,
      message,
      details: { change: 'secret key', ...fingerprints },
    },
  );
}

/** Replaces the key file. A key in HEARTH_SECRET_KEY is replaced by the administrator. */
async function finish({ secretKey, dataDir }: Config): Promise<void> {
  if (secretKey === null) await installNewKey(dataDir);
}

/** Returns the old key; null if it is lost and unreadable secrets are skipped. */
function requireOldKey(
  config: Config,
  key: KeyObject | null,
  state: SecretKeyState,
  skipUnreadable: boolean,
): KeyObject | null {
  const problem = describeKeyProblem(config, key, state);
  if (problem !== null && !skipUnreadable) throw new CommandFailed('otherKey', problem);
  return key;
}

function requireNewKey(key: KeyObject, path: string, oldFingerprint: string, state: SecretKeyState | null): void {
  const fingerprint = computeKeyFingerprint(key);
  if (fingerprint === oldFingerprint)
    throw new CommandFailed('failed', `${path} has the old key. Remove the file, or write another key into it`);
  const expectedFingerprint = state?.rotation?.to ?? fingerprint;
  if (fingerprint === expectedFingerprint) return;
  throw new CommandFailed(
    'otherKey',
    `A rotation to the key of fingerprint ${expectedFingerprint} has begun, and must be completed with that key; ${path} has the key of fingerprint ${fingerprint}`,
  );
}

/** Throws if a server has a session on the database. A server that starts later does not run during a rotation. */
async function requireNoServer({ database }: ServerData): Promise<void> {
  const count = await countServerSessions(database.reader);
  if (count === 0) return;
  throw new CommandFailed(
    'failed',
    `Servers have ${count} sessions on this database. Stop all of them first; a connection pooler may hold sessions longer`,
  );
}

async function requireReadable(
  { database }: ServerData,
  key: KeyObject | null,
  skipUnreadable: boolean,
): Promise<void> {
  if (skipUnreadable) return;
  const { unreadable } = await checkSecrets(database.reader, key === null ? [] : [key]);
  if (unreadable.length === 0) return;
  throw new CommandFailed(
    'unsound',
    `The key does not decrypt all secrets, and nothing was changed: ${describeSecrets(unreadable)}. --skip-unreadable leaves these as they are`,
  );
}

const countSecrets = (unreadable: readonly UnreadableSecrets[]) =>
  unreadable.reduce((sum, { count }) => sum + count, 0);

/** Describes secrets as `3 of ci_variables.encrypted_value (first id 7)`. */
function describeSecrets(unreadable: readonly UnreadableSecrets[]): string {
  return unreadable.map(({ column, count, firstKey }) => `${count} of ${column} (first id ${firstKey})`).join(', ');
}

function describeResult({ secretKey, dataDir }: Config, newKeyPath: string): string {
  if (secretKey !== null)
    return `The secret key is rotated. Set HEARTH_SECRET_KEY of all processes to the content of ${newKeyPath}, and start them. Earlier backups need the old key.\n`;
  return `The secret key is rotated: ${getKeyFilePath(dataDir)} has the new key. ${getOldKeyFilePath(dataDir)} has the old one, which earlier backups need: delete it with them.\n`;
}
