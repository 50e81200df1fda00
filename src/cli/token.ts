import { parseArgs } from 'node:util';
import { recordAudit } from '#activity/index.ts';
import { ANONYMOUS } from '#authentication/caller.ts';
import { createToken, defaultExpiry, isTooLate, latestExpiry, SCOPES } from '#authentication/tokens/access-tokens.ts';
import { findUser } from '#authentication/users/users.ts';
import { refuseHalfRestored } from '#backup/restore-target.ts';
import { type Config, ConfigError, type Tier } from '#config.ts';
import { type Database, openDatabase, type Reader } from '#database/database.ts';
import { migrate } from '#database/migrate.ts';
import { systemClock } from '#runtime/clock.ts';
import { readSettings } from '#settings/settings.ts';

const tokenUsage = `Usage: hearth token create --user USERNAME --name NAME --scopes SCOPE[,SCOPE] [--expires YYYY-MM-DD]

Makes a personal access token and prints it to standard output. It is shown this once.
Scopes: ${SCOPES.join(', ')}
`;

/** `hearth token create`: may run beside a server. Prints the secret and nothing else. Throws ConfigError. */
export async function tokenCommand(
  args: readonly string[],
  config: Config,
  print: (text: string) => unknown,
): Promise<void> {
  const order = readOrder(args);
  const database = await openDatabase({
    url: config.databaseUrl ?? undefined,
    dataDir: config.dataDir,
    clock: systemClock,
  });
  try {
    await refuseHalfRestored(config, database);
    await migrate(database);
    print(`${await issue(database, config.tier, order)}\n`);
  } finally {
    await database.close();
  }
}

interface TokenOrder {
  readonly user: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expires: string | null;
}

function readOrder(args: readonly string[]): TokenOrder {
  const text = { type: 'string' } as const;
  const options = { user: text, name: text, scopes: text, expires: text };
  const { values, positionals } = parseArgs({ args: [...args], options, strict: true, allowPositionals: true });
  const { user, name, scopes = '', expires = null } = values;
  if (positionals.join(' ') !== 'create' || !user || !name?.trim()) throw new ConfigError(tokenUsage.trimEnd());
  const named = scopes
    .split(',')
    .map((scope) => scope.trim())
    .filter((scope) => scope !== '');
  const unknown = named.find((scope) => !(SCOPES as readonly string[]).includes(scope));
  if (unknown !== undefined || named.length === 0) {
    throw new ConfigError(`--scopes takes one or more of ${SCOPES.join(', ')}`);
  }
  if (expires !== null && !isDay(expires)) throw new ConfigError('--expires takes a date, YYYY-MM-DD');
  return { user, name, scopes: named, expires };
}

function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
}

async function issue(database: Database, tier: Tier, order: TokenOrder): Promise<string> {
  return database.transaction(async (tx) => {
    const user = await findUser(tx, order.user);
    if (user === null || user.internal) throw new ConfigError(`There is no user ${order.user}`);
    const { expiresAt, prefix } = await lifetime(tx, order);
    const { scopes, name } = order;
    const { token, secret } = await createToken(tx, { userId: user.id, name, scopes, expiresAt, prefix });
    await recordAudit(
      tx,
      { actor: ANONYMOUS, tier },
      {
        name: 'personal_access_token_created',
        entity: { type: 'User', id: user.id, path: user.username },
        target: { type: 'User', id: user.id, details: user.name },
        message: `Created personal access token with id ${token.id}`,
      },
    );
    return secret;
  });
}

async function lifetime(db: Reader, { expires }: TokenOrder) {
  const settings = await readSettings(db);
  const latest = latestExpiry(db.today, settings);
  if (isTooLate(expires, latest)) throw new ConfigError(`--expires must be before ${latest}`);
  return {
    expiresAt: expires ?? defaultExpiry(db.today, settings),
    prefix: settings.personal_access_token_prefix,
  };
}
