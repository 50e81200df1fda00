import { type Selectable, sql } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { type Params, prepare } from '#database/prepare.ts';
import type { AccessTokensTable } from '#database/tables/authentication.ts';
import { daysAfter } from '#runtime/clock.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { digestToken, newToken } from '#security/tokens.ts';
import { isExpired } from '../credentials.ts';

/** A token's row without its digest. */
export type AccessToken = Omit<Selectable<AccessTokensTable>, 'digest' | 'name_key'>;

/** The one time that a token's secret is known. */
export interface IssuedToken {
  readonly token: AccessToken;
  readonly secret: string;
}

/** All scopes of contract/conventions.md §7. */
export const SCOPES = [
  'api',
  'read_api',
  'read_user',
  'create_runner',
  'manage_runner',
  'k8s_proxy',
  'self_rotate',
  'read_repository',
  'write_repository',
  'read_registry',
  'write_registry',
  'read_virtual_registry',
  'write_virtual_registry',
  'read_observability',
  'write_observability',
  'ai_features',
  'sudo',
  'admin_mode',
  'read_service_ping',
] as const;
export type Scope = (typeof SCOPES)[number];

/** Characters after the prefix. */
const SECRET_LENGTH = 20;
const LONGEST_LIFE_DAYS = 365;

export const tokenColumns = [
  'access_tokens.id',
  'access_tokens.user_id',
  'access_tokens.name',
  'access_tokens.description',
  'access_tokens.scopes',
  'access_tokens.expires_at',
  'access_tokens.revoked',
  'access_tokens.impersonation',
  'access_tokens.previous_token_id',
  'access_tokens.last_used_at',
  'access_tokens.last_used_ips',
  'access_tokens.created_at',
  'access_tokens.updated_at',
] as const;

// index: access_tokens primary key
const tokenById = prepare((db, value: Params<{ id: number }>) =>
  db.selectFrom('access_tokens').select(tokenColumns).where('id', '=', value('id')),
);

export async function readToken(db: Reader, id: number): Promise<AccessToken | null> {
  return (await tokenById.first(db, { id })) ?? null;
}

/** The settings that decide how long a token may live. */
interface TokenLifetime {
  readonly require_personal_access_token_expiry: boolean;
  readonly max_personal_access_token_lifetime: number | null;
}

/** The latest day on which a token of any kind that is made today may end (contract/conventions.md §10); null: none. */
export function latestExpiry(today: string, lifetime: TokenLifetime): string | null {
  const { max_personal_access_token_lifetime: most, require_personal_access_token_expiry: required } = lifetime;
  if (most !== null) return daysAfter(today, most);
  return required ? daysAfter(today, LONGEST_LIFE_DAYS) : null;
}

/** When a token ends that was asked for without a date: on the latest day, or never (null) while nobody has to name one. */
export function defaultExpiry(today: string, lifetime: TokenLifetime): string | null {
  return lifetime.require_personal_access_token_expiry ? latestExpiry(today, lifetime) : null;
}

/** Is the day later than the latest one? */
export function isTooLate(expiresAt: string | null, latest: string | null): boolean {
  return expiresAt !== null && latest !== null && expiresAt > latest;
}

interface NewToken {
  readonly userId: number;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expiresAt: string | null;
  readonly description?: string | null;
  readonly impersonation?: boolean;
  /** Begins the secret: the setting `personal_access_token_prefix`. */
  readonly prefix: string;
  /** The secret itself, where the administrator has chosen it. */
  readonly secret?: string | null;
}

/** Issues a token. Its dates and scopes have been checked. */
export async function createToken(tx: Transaction, given: NewToken): Promise<IssuedToken> {
  return insertToken(tx, {
    ...given,
    scopes: JSON.stringify([...new Set(given.scopes)]),
    description: given.description ?? null,
    impersonation: given.impersonation ?? false,
    previousTokenId: null,
  });
}

interface TokenFields extends Omit<NewToken, 'scopes'> {
  readonly scopes: string;
  readonly previousTokenId: number | null;
}

async function insertToken(tx: Transaction, fields: TokenFields): Promise<IssuedToken> {
  const secret = fields.secret ?? newToken(fields.prefix, SECRET_LENGTH);
  const token = await tx
    .insertInto('access_tokens')
    .values({
      user_id: fields.userId,
      name: fields.name,
      name_key: foldCase(fields.name),
      description: fields.description ?? null,
      scopes: fields.scopes,
      expires_at: fields.expiresAt,
      impersonation: fields.impersonation ?? false,
      previous_token_id: fields.previousTokenId,
      digest: digestToken(secret),
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning(tokenColumns)
    .executeTakeFirstOrThrow();
  return { token, secret };
}

/** Ends a token for good; true when it was still there to be ended. */
export async function revokeToken(tx: Transaction, id: number): Promise<boolean> {
  const revoked = await tx
    .updateTable('access_tokens')
    .set({ revoked: true, updated_at: tx.now })
    .where('id', '=', id)
    .where('revoked', '=', false)
    .returning('id')
    .execute();
  return revoked.length > 0;
}

/** For the end of a user. index: access_tokens_by_user */
export async function deleteTokensOf(tx: Transaction, userId: number): Promise<void> {
  await tx.deleteFrom('access_tokens').where('user_id', '=', userId).execute();
}

/** Replaces a token by one with another secret. Of two at once, one finds the token revoked. */
export async function rotateToken(
  tx: Transaction,
  id: number,
  { expiresAt, prefix }: { readonly expiresAt: string | null; readonly prefix: string },
): Promise<IssuedToken | Failure<'alreadyRevoked'>> {
  if (!(await revokeToken(tx, id))) return fail('alreadyRevoked');
  const old = (await readToken(tx, id)) as AccessToken;
  const { user_id: userId, name, description, scopes, impersonation } = old;
  return insertToken(tx, { userId, name, description, scopes, impersonation, expiresAt, prefix, previousTokenId: id });
}

/** Revokes whatever came from this token by rotation: somebody else has the chain. */
export async function revokeDescendants(tx: Transaction, id: number): Promise<void> {
  // index: access_tokens_by_previous
  await tx
    .updateTable('access_tokens')
    .set({ revoked: true, updated_at: tx.now })
    .where('revoked', '=', false)
    .where(
      'id',
      'in',
      tx
        .withRecursive('descendants(id)', (db) =>
          db
            .selectFrom('access_tokens')
            .select('id')
            .where('previous_token_id', '=', id)
            .unionAll(
              db
                .selectFrom('access_tokens')
                .innerJoin('descendants', 'descendants.id', 'access_tokens.previous_token_id')
                .select('access_tokens.id'),
            ),
        )
        .selectFrom('descendants')
        .select('id'),
    )
    .execute();
}

/** Neither revoked nor expired. */
export function isActive({ revoked, expires_at }: Pick<AccessToken, 'revoked' | 'expires_at'>, today: string): boolean {
  return !revoked && !isExpired(expires_at, today);
}

/** The same as `isActive`, as a condition on rows. */
export function activeTokens(today: string) {
  return sql<boolean>`(access_tokens.revoked = ${sql.lit(false)} and (access_tokens.expires_at is null or access_tokens.expires_at > ${today}))`;
}
