import { parseArgs } from 'node:util';
import { recordAudit } from '#activity/index.ts';
import { ANONYMOUS } from '#authentication/caller.ts';
import {
  createToken,
  exceedsLatestExpiry,
  getDefaultExpiry,
  getLatestExpiry,
  SCOPES,
} from '#authentication/tokens/access-tokens.ts';
import { findUserByUsername } from '#authentication/users/users.ts';
import { requireCompleteRestore } from '#backup/restore-target.ts';
import { type Config, ConfigError, type Tier } from '#config.ts';
import { type Database, openDatabase, type Reader } from '#database/database.ts';
import { migrate } from '#database/migrate.ts';
import { systemClock } from '#runtime/clock.ts';
import { loadSettings } from '#settings/settings.ts';

const tokenUsage = `Usage: hearth token create --user USERNAME --name NAME --scopes SCOPE[,SCOPE] [--expires YYYY-MM-DD]

Creates a personal access token and prints it to standard output. It cannot be shown again.
Scopes: ${SCOPES.join(', ')}
`;

/** Runs `hearth token create`, also during a running server. Prints only the secret. Throws ConfigError. */
export async function tokenCommand(
  args: readonly string[],
  config: Config,
  print: (text: string) => unknown,
): Promise<void> {
  const tokenOptions = parseTokenOptions(args);
  const database = await openDatabase({
    url: config.databaseUrl ?? undefined,
    dataDir: config.dataDir,
    clock: systemClock,
  });
  try {
    await requireCompleteRestore(config, database);
    await migrate(database);
    print(`${await createTokenForUser(database, config.tier, tokenOptions)}\n`);
  } finally {
    await database.close();
  }
}

interface CreateTokenOptions {
  readonly user: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expires: string | null;
}

function parseTokenOptions(args: readonly string[]): CreateTokenOptions {
  const stringOption = { type: 'string' } as const;
  const options = { user: stringOption, name: stringOption, scopes: stringOption, expires: stringOption };
  const { values, positionals } = parseArgs({ args: [...args], options, strict: true, allowPositionals: true });
  const { user, name, scopes = '', expires = null } = values;
  if (positionals.join(' ') !== 'create' || !user || !name?.trim()) throw new ConfigError(tokenUsage.trimEnd());
  const requestedScopes = scopes
    .split(',')
    .map((scope) => scope.trim())
    .filter((scope) => scope !== '');
  const unknownScope = requestedScopes.find((scope) => !(SCOPES as readonly string[]).includes(scope));
  if (unknownScope !== undefined || requestedScopes.length === 0) {
    throw new ConfigError(`--scopes takes one or more of ${SCOPES.join(', ')}`);
  }
  if (expires !== null && !isDate(expires)) throw new ConfigError('--expires takes a date, YYYY-MM-DD');
  return { user, name, scopes: requestedScopes, expires };
}

function isDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
}

async function createTokenForUser(database: Database, tier: Tier, tokenOptions: CreateTokenOptions): Promise<string> {
  return database.transaction(async (tx) => {
    const user = await findUserByUsername(tx, tokenOptions.user);
    if (user === null || user.internal) throw new ConfigError(`There is no user ${tokenOptions.user}`);
    const { expiresAt, prefix } = await getTokenDefaults(tx, tokenOptions);
    const { scopes, name } = tokenOptions;
    const { tokenRow: token, secret } = await createToken(tx, { userId: user.id, name, scopes, expiresAt, prefix });
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

async function getTokenDefaults(db: Reader, { expires }: CreateTokenOptions) {
  const settings = await loadSettings(db);
  const latestExpiryDate = getLatestExpiry(db.today, settings);
  if (exceedsLatestExpiry(expires, latestExpiryDate))
    throw new ConfigError(`--expires must be before ${latestExpiryDate}`);
  return {
    expiresAt: expires ?? getDefaultExpiry(db.today, settings),
    prefix: settings.personal_access_token_prefix,
  };
}
