import type { Config } from '#config.ts';
import type { Columns, Database, Reader } from '#database/database.ts';
import { hasRow } from '#database/page.ts';
import { verifyPassword } from '#security/passwords.ts';
import { hashToken } from '#security/tokens.ts';
import { activeTokenCondition } from './tokens/access-tokens.ts';

interface WarningOptions {
  readonly database: Database;
  readonly config: Pick<Config, 'rootPassword' | 'rootToken'>;
  readonly log: { warn(fields: object, message: string): void };
}

/**
 * Logs a warning for HEARTH_ROOT_TOKEN and for HEARTH_ROOT_PASSWORD if they are set but do not match the account root: they
 * count only at the first start. To be called at later starts, after the server listens: checking a password takes 70 ms.
 */
export async function warnIfRootCredentialsDiffer({ database, config, log }: WarningOptions): Promise<void> {
  const { rootToken, rootPassword } = config;
  if (rootToken === null && rootPassword === null) return;
  const { reader } = database;
  const root = await getRoot(reader);
  const username = root?.username ?? 'root';
  if (rootToken !== null && !(await hasActiveToken(reader, root, rootToken))) {
    log.warn(
      { variable: 'HEARTH_ROOT_TOKEN' },
      `HEARTH_ROOT_TOKEN is ignored: it counts only at the first start, and it is not a valid token of ${username}. ` +
        `Remove it, and create a token with: hearth token create --user ${username} --name NAME --scopes api`,
    );
  }
  const hash = root?.password_hash ?? null;
  if (rootPassword !== null && (hash === null || !(await verifyPassword(hash, rootPassword)))) {
    log.warn(
      { variable: 'HEARTH_ROOT_PASSWORD' },
      `HEARTH_ROOT_PASSWORD is ignored: it counts only at the first start, and it is not the password of ${username}. ` +
        `Remove it, and change the password with: PUT /api/v4/users/${root?.id ?? ':id'}`,
    );
  }
}

type RootRow = Columns<'users', 'id' | 'username' | 'password_hash'>;

/** Returns the first administrator: root, also when it has been renamed. */
async function getRoot(db: Reader): Promise<RootRow | null> {
  // index: users primary key
  const usersQuery = db
    .selectFrom('users')
    .select(['id', 'username', 'password_hash'])
    .where('admin', '=', true)
    .where('deletion_scheduled_at', 'is', null)
    .orderBy('id')
    .limit(1);
  return (await usersQuery.executeTakeFirst()) ?? null;
}

async function hasActiveToken(db: Reader, root: RootRow | null, token: string): Promise<boolean> {
  if (root === null) return false;
  // index: access_tokens_by_digest
  return hasRow(
    db
      .selectFrom('access_tokens')
      .select('id')
      .where('digest', '=', hashToken(token))
      .where('user_id', '=', root.id)
      .where(activeTokenCondition(db.today)),
  );
}
