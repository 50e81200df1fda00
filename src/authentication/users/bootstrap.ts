import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '#config.ts';
import type { Database, Reader, Transaction } from '#database/database.ts';
import { hasRow } from '#database/page.ts';
import { prepare } from '#database/prepare.ts';
import { isFailure } from '#runtime/failure.ts';
import { hashPassword } from '#security/passwords.ts';
import { generateToken } from '#security/tokens.ts';
import { defaultSettings } from '#settings/definitions.ts';
import { createSettings } from '#settings/settings.ts';
import { createToken, getDefaultExpiry } from '../tokens/access-tokens.ts';
import { type CreateUserInput, createUser, type User } from './users.ts';

// First start of an instance: creates its settings, the administrator and the internal users.

interface BootstrapOptions {
  readonly database: Database;
  readonly config: Pick<Config, 'rootPassword' | 'rootToken' | 'allowLocalRequests' | 'dataDir'>;
  readonly log: { info(fields: object, message: string): void };
  /** Runs in the transaction for the administrator, not for internal users; creates the personal namespace. */
  readonly afterCreate: (tx: Transaction, user: User) => Promise<void>;
}

/** The credentials of `root`. `credentialsText` lists only the generated ones; empty if both are configured. */
interface InitialCredentials {
  readonly password: string;
  readonly token: string;
  readonly credentialsText: string;
}

/**
 * Creates the first users of an empty database; does nothing otherwise. If several processes start at the same time, one of
 * them creates the users. Writes generated credentials to `<data dir>/initial-credentials` (0600). Returns whether this was
 * the first start.
 */
export async function bootstrapUsers(options: BootstrapOptions): Promise<boolean> {
  const { database, config } = options;
  if (await hasUsers(database.reader)) return false;
  const credentials = chooseCredentials(config);
  const temporaryPath =
    credentials.credentialsText === '' ? null : await writeTemporaryFile(config.dataDir, credentials);
  try {
    const passwordHash = await hashPassword(credentials.password);
    const isFirstStart = await database.transaction((tx) => createFirstUsers(tx, options, credentials, passwordHash));
    if (isFirstStart && temporaryPath) await publishCredentials(options, temporaryPath);
    return isFirstStart;
  } finally {
    if (temporaryPath) await rm(temporaryPath, { force: true });
  }
}

function hasUsers(db: Reader): Promise<boolean> {
  return hasRow(db.selectFrom('users').select('id'));
}

function chooseCredentials({ rootPassword, rootToken }: BootstrapOptions['config']): InitialCredentials {
  const password = rootPassword ?? generateToken('', 24);
  const token = rootToken ?? generateToken(defaultSettings.personal_access_token_prefix);
  const lines = [rootPassword === null ? `password: ${password}` : '', rootToken === null ? `token: ${token}` : ''];
  const credentialLines = lines.filter((line) => line !== '');
  const credentialsText = credentialLines.length === 0 ? '' : `${['username: root', ...credentialLines].join('\n')}\n`;
  return { password, token, credentialsText };
}

async function createFirstUsers(
  tx: Transaction,
  { config, afterCreate }: BootstrapOptions,
  { token }: InitialCredentials,
  passwordHash: string,
): Promise<boolean> {
  // Also serializes concurrent first starts: the second process waits here until the first has committed.
  await createSettings(tx, config.allowLocalRequests ? { allow_local_requests_from_web_hooks_and_services: true } : {});
  if (await hasUsers(tx)) return false;
  const root = await createUserOrThrow(tx, buildRootUser(passwordHash));
  await afterCreate(tx, root);
  await createToken(tx, {
    userId: root.id,
    name: 'Initial token',
    scopes: ROOT_SCOPES,
    expiresAt: getDefaultExpiry(tx.today, defaultSettings),
    prefix: '',
    secret: token,
  });
  for (const user of INTERNAL_USERS) await createUserOrThrow(tx, user);
  return true;
}

const ROOT_SCOPES = ['api', 'read_user', 'read_repository', 'write_repository', 'sudo', 'admin_mode'];

function buildRootUser(passwordHash: string): CreateUserInput {
  return {
    username: 'root',
    name: 'Administrator',
    email: 'admin@example.com',
    passwordHash,
    confirmed: true,
    details: { admin: true, projects_limit: defaultSettings.default_projects_limit },
  };
}

// Addresses in .invalid are unreachable. Without a password nobody can sign in.
const INTERNAL_USERS: readonly CreateUserInput[] = [
  { ...buildInternalUser('ghost', 'Ghost User'), details: { can_create_group: false } },
  { ...buildInternalUser('alert-bot', 'Alert Bot'), details: { can_create_group: false, bot: true } },
];

function buildInternalUser(username: string, name: string): CreateUserInput {
  const email = `${username}@internal.invalid`;
  return { username, name, email, passwordHash: null, confirmed: true, internal: true };
}

async function createUserOrThrow(tx: Transaction, user: CreateUserInput): Promise<User> {
  const createdUser = await createUser(tx, user);
  if (isFailure(createdUser)) throw new Error(`The user ${user.username} could not be created: ${createdUser.code}`);
  return createdUser;
}

/** Writes the file before the users are created: a crash must not leave an instance whose password is unknown. */
async function writeTemporaryFile(dataDir: string, { credentialsText }: InitialCredentials): Promise<string> {
  const temporaryPath = join(dataDir, `initial-credentials.${randomUUID()}`);
  const file = await open(temporaryPath, 'wx', 0o600);
  try {
    await file.writeFile(credentialsText);
    await file.sync();
  } finally {
    await file.close();
  }
  return temporaryPath;
}

async function publishCredentials({ config, log }: BootstrapOptions, temporaryPath: string): Promise<void> {
  const path = join(config.dataDir, 'initial-credentials');
  await rename(temporaryPath, path);
  log.info({ path }, 'Created the administrator root. Its generated credentials are in the file at `path`');
}

// index: users_by_username_key
const selectAlertBot = prepare((db) => db.selectFrom('users').select('id').where('username_key', '=', 'alert-bot'));

/** Returns the id of the internal user who is the author of automatic alert notes (contract/monitoring.md §4). */
export async function getAlertBotId(db: Reader): Promise<number> {
  const user = await selectAlertBot.first(db, {});
  if (user === undefined) throw new Error('The user alert-bot is missing: the first start creates it');
  return user.id;
}
