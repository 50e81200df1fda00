import { issueToken, revokeAndRecord } from '#api/identity/personal-access-tokens/changes.ts';
import {
  type AccessToken,
  activeTokenCondition,
  findAccessToken,
  isActiveToken,
  SCOPES,
  type Scope,
  tokenColumns,
} from '#authentication/tokens/access-tokens.ts';
import { findUserById } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import { fail } from '#runtime/failure.ts';
import { createUsageError, defineCommand } from './command.ts';
import { requireUser, withCommandData } from './command-data.ts';
import { JSON_OPTION, printJson, printTable } from './output.ts';

/** Creates a token and prints only its secret, which cannot be read again. */
export const createTokenCommand = defineCommand({
  positionals: [],
  options: {
    user: { type: 'string', value: 'USERNAME', description: 'Owner of the token (required)' },
    name: { type: 'string', value: 'NAME', description: 'Name of the token (required)' },
    scopes: { type: 'string', value: 'SCOPE[,SCOPE]', description: `Scopes (required): ${SCOPES.join(', ')}` },
    expires: {
      type: 'string',
      value: 'YYYY-MM-DD',
      description: 'Date at whose start the token expires (default: the latest that the application settings allow)',
    },
    ...JSON_OPTION,
  },
  description:
    'Creates a personal access token and prints it to standard output. It cannot be read again. The server may be running.',
  async run(context, { user: username, name, scopes, expires, json }) {
    const input = {
      name: requireValue(name, '--name'),
      description: null,
      scopes: parseScopes(scopes),
      expires_at: parseDate(expires),
    };
    const ownerName = requireValue(username, '--user');
    const { secret, tokenRow } = await withCommandData(context, async ({ database, run }) => {
      const owner = await requireUser(database.reader, ownerName);
      return run(
        (uow) => issueToken(uow, owner.id, input),
        ({ values }) => String(values.problems),
      );
    });
    if (json) printJson(context.stdout, { ...toJson(tokenRow, ownerName), token: secret });
    else context.stdout.write(`${secret}\n`);
  },
});

function requireValue(value: string | null, option: string): string {
  if (!value?.trim()) throw createUsageError(`${option} is required`, 'token create');
  return value;
}

function parseScopes(text: string | null): Scope[] {
  const names = (text ?? '').split(',').map((scope) => scope.trim());
  const scopes = names.filter((scope) => scope !== '');
  if (scopes.length > 0 && scopes.every(isScope)) return scopes;
  throw createUsageError(`--scopes takes one or more of ${SCOPES.join(', ')}`, 'token create');
}

const isScope = (text: string): text is Scope => (SCOPES as readonly string[]).includes(text);

function parseDate(text: string | null): string | null {
  if (text === null || (/^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)))) return text;
  throw createUsageError('--expires takes a date, YYYY-MM-DD', 'token create');
}

/** Lists tokens, without their secrets, which are not stored. */
export const listTokensCommand = defineCommand({
  positionals: [],
  options: {
    user: { type: 'string', value: 'USERNAME', description: 'List tokens of this user only' },
    all: { type: 'boolean', description: 'List revoked and expired tokens, too' },
    ...JSON_OPTION,
  },
  description:
    'Lists the tokens of users by id: personal, impersonation, project and group access tokens. Their secrets are not stored.',
  async run(context, { user: username, all, json }) {
    await withCommandData(context, async ({ database: { reader } }) => {
      const owner = username === null ? null : await requireUser(reader, username);
      const rows = await listTokens(reader, { userId: owner?.id ?? null, all });
      const records = rows.map((row) => ({ ...toJson(row, row.username), active: isActiveToken(row, reader.today) }));
      if (json) return printJson(context.stdout, records);
      printTable(context.stdout, [
        ['ID', 'USER', 'NAME', 'SCOPES', 'EXPIRES', 'LAST USED', 'STATE'],
        ...records.map(({ id, user, name, scopes, expires_at, last_used_at, active, revoked }) => [
          String(id),
          user,
          name,
          scopes.join(','),
          expires_at ?? 'never',
          last_used_at ?? 'never',
          active ? 'active' : revoked ? 'revoked' : 'expired',
        ]),
      ]);
    });
  },
});

type OwnedToken = AccessToken & { readonly username: string };

function listTokens(
  db: Reader,
  { userId, all }: { readonly userId: number | null; readonly all: boolean },
): Promise<OwnedToken[]> {
  // index: access_tokens_by_user, access_tokens primary key
  let query = db
    .selectFrom('access_tokens')
    .innerJoin('users', 'users.id', 'access_tokens.user_id')
    .select([...tokenColumns, 'users.username']);
  if (userId !== null) query = query.where('access_tokens.user_id', '=', userId);
  if (!all) query = query.where(activeTokenCondition(db.today));
  return query.orderBy('access_tokens.id').execute();
}

/** Returns the JSON of a token for `--json`. */
function toJson({ id, name, scopes, expires_at, last_used_at, revoked, created_at }: AccessToken, username: string) {
  return {
    id,
    user: username,
    name,
    scopes: JSON.parse(scopes) as string[],
    expires_at,
    last_used_at,
    revoked: Boolean(revoked),
    created_at,
  };
}

/** Revokes a token. */
export const revokeTokenCommand = defineCommand({
  positionals: ['ID'],
  options: {},
  description:
    'Revokes the token with this id, which hearth token list prints. A running server rejects it immediately.',
  async run(context, _options, [text = '']) {
    if (!/^\d{1,15}$/.test(text)) throw createUsageError(`An id is a number: ${text}`, 'token revoke');
    await withCommandData(context, async ({ run }) => {
      const { name, username } = await run(
        async (uow) => {
          const token = await findAccessToken(uow, Number(text));
          const owner = token && (await findUserById(uow, token.user_id));
          if (!token || !owner) return fail('notFound');
          if (token.revoked) return fail('alreadyRevoked');
          await revokeAndRecord(uow, token);
          return { name: token.name, username: owner.username };
        },
        ({ code }) => (code === 'notFound' ? `There is no token ${text}` : `The token ${text} is revoked already`),
      );
      context.stdout.write(`Revoked the token ${name} of ${username}.\n`);
    });
  },
});
