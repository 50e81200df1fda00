import { type Selectable, sql } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { type Params, prepare } from '#database/prepare.ts';
import type { Schema } from '#database/schema.ts';
import { addDays } from '#runtime/clock.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { generateToken, hashToken } from '#security/tokens.ts';
import type { Caller } from '../caller.ts';
import { isExpired } from '../credentials.ts';

/** A token row without its digest and search column. */
export type AccessToken = Omit<Selectable<Schema['access_tokens']>, 'digest' | 'name_key'>;

/** A new token with its secret in clear text; only the digest is stored. */
export interface IssuedToken {
  readonly tokenRow: AccessToken;
  readonly secret: string;
}

/**
 * All scopes, each with a description of what it allows, for the consent page and the documentation
 * (contract/conventions.md §7 "Scopes").
 */
export const SCOPE_DESCRIPTIONS = {
  api: 'do everything that you may do',
  read_api: 'read everything that you may read',
  read_user: 'read your profile and those of others',
  create_runner: 'create runners',
  manage_runner: 'manage your runners',
  k8s_proxy: 'reach your Kubernetes clusters',
  self_rotate: 'renew its own token',
  read_repository: 'read your repositories',
  write_repository: 'read and change your repositories',
  read_registry: 'read your container images',
  write_registry: 'change your container images',
  read_virtual_registry: 'read your virtual registries',
  write_virtual_registry: 'change your virtual registries',
  read_observability: 'read your observability data',
  write_observability: 'change your observability data',
  ai_features: 'use AI features for you',
  sudo: 'act as any user, if you are an administrator',
  admin_mode: 'act as an administrator, if you are one',
  read_service_ping: 'read usage figures of this server',
} as const;
export type Scope = keyof typeof SCOPE_DESCRIPTIONS;
export const SCOPES = Object.keys(SCOPE_DESCRIPTIONS) as readonly Scope[];

/** The scopes that `api` does not include: they allow more than the API as the user of the token. */
const SCOPES_BEYOND_API: readonly string[] = ['sudo', 'admin_mode'];

/**
 * Returns a failure if the token of the request lacks one of these scopes, else null: a token cannot grant scopes that it
 * lacks. Callers without a token (sessions) may grant every scope.
 */
export function validateGrantedScopes(
  { token }: Pick<Caller, 'token'>,
  scopes: readonly string[],
): Failure<'missingScope'> | null {
  if (token === null) return null;
  const hasApi = token.scopes.includes('api');
  const missingScopes = scopes.filter(
    (scope) => !token.scopes.includes(scope) && !(hasApi && !SCOPES_BEYOND_API.includes(scope)),
  );
  return missingScopes.length === 0 ? null : fail('missingScope', { scope: [...new Set(missingScopes)].join(' ') });
}

/** Number of characters after the prefix. */
const SECRET_LENGTH = 20;
const MAX_LIFETIME_DAYS = 365;

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
const selectTokenById = prepare((db, value: Params<{ id: number }>) =>
  db.selectFrom('access_tokens').select(tokenColumns).where('id', '=', value('id')),
);

/** Returns the token with this id, revoked or not; null if it does not exist. */
export async function findAccessToken(db: Reader, id: number): Promise<AccessToken | null> {
  return (await selectTokenById.first(db, { id })) ?? null;
}

/** The settings that decide how long a token may live. */
interface TokenLifetimeSettings {
  readonly require_personal_access_token_expiry: boolean;
  readonly max_personal_access_token_lifetime: number | null;
}

/** Returns the latest expiry date of a token created today (contract/conventions.md §10); null: unlimited. */
export function getLatestExpiry(today: string, lifetime: TokenLifetimeSettings): string | null {
  const { max_personal_access_token_lifetime: maxDays, require_personal_access_token_expiry: requiresExpiry } =
    lifetime;
  if (maxDays !== null) return addDays(today, maxDays);
  return requiresExpiry ? addDays(today, MAX_LIFETIME_DAYS) : null;
}

/** Returns the expiry date of a token requested without one: the latest date, or null if expiry is not required. */
export function getDefaultExpiry(today: string, lifetime: TokenLifetimeSettings): string | null {
  return lifetime.require_personal_access_token_expiry ? getLatestExpiry(today, lifetime) : null;
}

export function exceedsLatestExpiry(expiresAt: string | null, latest: string | null): boolean {
  return expiresAt !== null && latest !== null && expiresAt > latest;
}

interface CreateTokenInput {
  readonly userId: number;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly expiresAt: string | null;
  readonly description?: string | null;
  readonly impersonation?: boolean;
  /** Prefix of the secret: the setting `personal_access_token_prefix`. */
  readonly prefix: string;
  /** The secret, if the administrator has chosen it. */
  readonly secret?: string | null;
}

/** Creates a token from validated input. */
export async function createToken(tx: Transaction, input: CreateTokenInput): Promise<IssuedToken> {
  return insertToken(tx, {
    ...input,
    scopes: JSON.stringify([...new Set(input.scopes)]),
    description: input.description ?? null,
    impersonation: input.impersonation ?? false,
    previousTokenId: null,
  });
}

interface TokenFields extends Omit<CreateTokenInput, 'scopes'> {
  readonly scopes: string;
  readonly previousTokenId: number | null;
}

async function insertToken(tx: Transaction, fields: TokenFields): Promise<IssuedToken> {
  const secret = fields.secret ?? generateToken(fields.prefix, SECRET_LENGTH);
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
      digest: hashToken(secret),
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning(tokenColumns)
    .executeTakeFirstOrThrow();
  return { tokenRow: token, secret };
}

/** Revokes a token. Returns false if it was revoked already. */
export async function revokeToken(tx: Transaction, id: number): Promise<boolean> {
  const revokedTokens = await tx
    .updateTable('access_tokens')
    .set({ revoked: true, updated_at: tx.now })
    .where('id', '=', id)
    .where('revoked', '=', false)
    .returning('id')
    .execute();
  return revokedTokens.length > 0;
}

/** Deletes the tokens of a user who is deleted. index: access_tokens_by_user */
export async function deleteTokensOfUser(tx: Transaction, userId: number): Promise<void> {
  await tx.deleteFrom('access_tokens').where('user_id', '=', userId).execute();
}

/**
 * Revokes a token and creates one with another secret. If two calls run at the same time, one fails with `alreadyRevoked`.
 */
export async function rotateToken(
  tx: Transaction,
  id: number,
  { expiresAt, prefix }: { readonly expiresAt: string | null; readonly prefix: string },
): Promise<IssuedToken | Failure<'alreadyRevoked'>> {
  if (!(await revokeToken(tx, id))) return fail('alreadyRevoked');
  const revokedToken = (await findAccessToken(tx, id))!;
  const { user_id: userId, name, description, scopes, impersonation } = revokedToken;
  return insertToken(tx, { userId, name, description, scopes, impersonation, expiresAt, prefix, previousTokenId: id });
}

/** Revokes all tokens created from this one by rotation, because its reuse shows that it was stolen. */
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

/** Returns whether the token is neither revoked nor expired. */
export function isActiveToken(
  { revoked, expires_at }: Pick<AccessToken, 'revoked' | 'expires_at'>,
  today: string,
): boolean {
  return !revoked && !isExpired(expires_at, today);
}

/** SQL condition equivalent to `isActiveToken`. */
export function activeTokenCondition(today: string) {
  return sql<boolean>`(access_tokens.revoked = ${sql.lit(false)} and (access_tokens.expires_at is null or access_tokens.expires_at > ${today}))`;
}

/** Scopes of OpenID Connect, which only OAuth applications have. They allow nothing else. */
export const IDENTITY_SCOPES: ReadonlyMap<string, string> = new Map([
  ['openid', 'know who you are'],
  ['profile', 'read your name and user name'],
  ['email', 'read your email address'],
]);

export function describeScope(scope: string): string {
  return IDENTITY_SCOPES.get(scope) ?? SCOPE_DESCRIPTIONS[scope as Scope];
}
