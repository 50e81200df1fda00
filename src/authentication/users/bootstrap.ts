import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '#config.ts';
import type { Database, Reader, Transaction } from '#database/database.ts';
import { hasRow } from '#database/has-row.ts';
import { isFailure } from '#runtime/failure.ts';
import { hashPassword } from '#security/passwords.ts';
import { newToken } from '#security/tokens.ts';
import { defaultSettings } from '#settings/definitions.ts';
import { createSettings } from '#settings/settings.ts';
import { createToken, defaultExpiry } from '../tokens/access-tokens.ts';
import { createUser, type NewUser, type User } from './users.ts';

// The first start of an instance: its settings, the administrator, the internal users.

interface Surroundings {
  readonly database: Database;
  readonly config: Pick<Config, 'rootPassword' | 'rootToken' | 'allowLocalRequests' | 'dataDir'>;
  readonly log: { info(fields: object, message: string): void };
  /** What else a new user of its own gets (not the internal ones), as part of the transaction: its namespace. */
  readonly afterCreate: (tx: Transaction, user: User) => Promise<void>;
}

/** The secrets of `root`, and which of them nobody has chosen. */
interface Credentials {
  readonly password: string;
  readonly token: string;
  readonly generated: string;
}

/**
 * Gives an empty database its first users; changes nothing in any other. Of several processes that start at once, one
 * does it. Generated credentials are written to `<data dir>/initial-credentials` (0600).
 * Returns whether this was the first start.
 */
export async function bootstrapUsers(surroundings: Surroundings): Promise<boolean> {
  const { database, config } = surroundings;
  if (await hasUsers(database.reader)) return false;
  const credentials = chooseCredentials(config);
  const note = credentials.generated === '' ? null : await writeNote(config.dataDir, credentials);
  try {
    const passwordHash = await hashPassword(credentials.password);
    const first = await database.transaction((tx) => createFirstUsers(tx, surroundings, credentials, passwordHash));
    if (first && note) await publishNote(surroundings, note);
    return first;
  } finally {
    if (note) await rm(note, { force: true });
  }
}

function hasUsers(db: Reader): Promise<boolean> {
  return hasRow(db.selectFrom('users').select('id'));
}

function chooseCredentials({ rootPassword, rootToken }: Surroundings['config']): Credentials {
  const password = rootPassword ?? newToken('', 24);
  const token = rootToken ?? newToken(defaultSettings.personal_access_token_prefix);
  const lines = [rootPassword === null ? `password: ${password}` : '', rootToken === null ? `token: ${token}` : ''];
  const chosen = lines.filter((line) => line !== '');
  const generated = chosen.length === 0 ? '' : `${['username: root', ...chosen].join('\n')}\n`;
  return { password, token, generated };
}

async function createFirstUsers(
  tx: Transaction,
  { config, afterCreate }: Surroundings,
  { token }: Credentials,
  passwordHash: string,
): Promise<boolean> {
  // Also what two processes agree on: both write this row, one of them after the other has committed.
  await createSettings(tx, config.allowLocalRequests ? { allow_local_requests_from_web_hooks_and_services: true } : {});
  if (await hasUsers(tx)) return false;
  const root = await create(tx, rootUser(passwordHash));
  await afterCreate(tx, root);
  await createToken(tx, {
    userId: root.id,
    name: 'Initial token',
    scopes: ROOT_SCOPES,
    expiresAt: defaultExpiry(tx.today, defaultSettings),
    prefix: '',
    secret: token,
  });
  for (const user of INTERNAL_USERS) await create(tx, user);
  return true;
}

const ROOT_SCOPES = ['api', 'read_user', 'read_repository', 'write_repository', 'sudo', 'admin_mode'];

function rootUser(passwordHash: string): NewUser {
  return {
    username: 'root',
    name: 'Administrator',
    email: 'admin@example.com',
    passwordHash,
    confirmed: true,
    details: { admin: true, projects_limit: defaultSettings.default_projects_limit },
  };
}

// Addresses below .invalid reach nobody. Without a password nobody can be them.
const INTERNAL_USERS: readonly NewUser[] = [
  { ...internalUser('ghost', 'Ghost User'), details: { can_create_group: false } },
  { ...internalUser('alert-bot', 'Alert Bot'), details: { can_create_group: false, bot: true } },
];

function internalUser(username: string, name: string): NewUser {
  const email = `${username}@internal.invalid`;
  return { username, name, email, passwordHash: null, confirmed: true, internal: true };
}

async function create(tx: Transaction, user: NewUser): Promise<User> {
  const created = await createUser(tx, user);
  if (isFailure(created)) throw new Error(`The user ${user.username} could not be created: ${created.code}`);
  return created;
}

/** Written before the users are there: a crash must not leave an instance whose password nobody knows. */
async function writeNote(dataDir: string, { generated }: Credentials): Promise<string> {
  const draft = join(dataDir, `initial-credentials.${randomUUID()}`);
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(generated);
    await file.sync();
  } finally {
    await file.close();
  }
  return draft;
}

async function publishNote({ config, log }: Surroundings, note: string): Promise<void> {
  const path = join(config.dataDir, 'initial-credentials');
  await rename(note, path);
  log.info({ path }, 'Created the administrator root. Its generated credentials are in the file at `path`');
}
