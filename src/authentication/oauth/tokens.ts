import type { Selectable, SelectQueryBuilder } from 'kysely';
import type { Columns, Reader, Schema, Transaction } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import { addMilliseconds, type Clock, DAY_MS } from '#runtime/clock.ts';
import { generateHexToken, hashToken } from '#security/tokens.ts';
import { getSignInBlock, type IdentifiedUser, identifiedUserColumns } from '../caller.ts';

// OAuth access tokens and refresh tokens (contract/conventions.md §10 "OAuth 2.0").

const ACCESS_TOKEN_LIFETIME_SECONDS = 7200;

/** Format of access tokens and refresh tokens: other texts are never looked up. */
const TOKEN_PATTERN = /^[0-9a-f]{64}$/;

/** Returns whether a text has the format of an OAuth access token or refresh token. */
export function isOAuthTokenFormat(text: string): boolean {
  return TOKEN_PATTERN.test(text);
}

function selectTokensWithUser(db: Reader) {
  return db
    .selectFrom('oauth_tokens')
    .leftJoin('users', 'users.id', 'oauth_tokens.user_id')
    .select([
      'oauth_tokens.id as token_id',
      'oauth_tokens.scopes',
      'oauth_tokens.created_at',
      'oauth_tokens.revoked_at',
      'oauth_tokens.expires_in',
      ...identifiedUserColumns,
    ]);
}

// index: oauth_tokens_by_digest, users primary key
const selectTokenByDigest = prepare((db, value: Params<{ digest: string }>) =>
  selectTokensWithUser(db).where('oauth_tokens.digest', '=', value('digest')),
);

// index: oauth_tokens primary key, users primary key
const selectTokenById = prepare((db, value: Params<{ id: number }>) =>
  selectTokensWithUser(db).where('oauth_tokens.id', '=', value('id')),
);

/** The columns of a token that identification reads. */
interface OAuthToken extends Columns<'oauth_tokens', 'id' | 'created_at' | 'revoked_at'> {
  /** JSON array. */
  readonly scopes: string;
  /** Seconds. */
  readonly expires_in: number;
  /** null: a token of client credentials. */
  readonly user: IdentifiedUser | null;
}

/** Returns the token with this digest, with its user. */
export async function findOAuthToken(db: Reader, digest: string): Promise<OAuthToken | null> {
  return toOAuthToken(await selectTokenByDigest.first(db, { digest }));
}

/** Returns the token with this id, with its user; used to check the caller again in a later transaction of the request. */
export async function findOAuthTokenById(db: Reader, id: number): Promise<OAuthToken | null> {
  return toOAuthToken(await selectTokenById.first(db, { id }));
}

function toOAuthToken(row: Awaited<ReturnType<typeof selectTokenById.first>>): OAuthToken | null {
  if (row === undefined) return null;
  const { token_id, scopes, created_at, revoked_at, expires_in, ...user } = row;
  return {
    id: token_id,
    scopes,
    created_at,
    revoked_at,
    expires_in,
    user: user.id === null ? null : (user as IdentifiedUser),
  };
}

/** A row of an access token and its refresh token, without their digests. */
export type OAuthTokenRow = Omit<Selectable<Schema['oauth_tokens']>, 'digest' | 'refresh_digest'>;

const tokenColumns = [
  'oauth_tokens.id',
  'oauth_tokens.application_id',
  'oauth_tokens.user_id',
  'oauth_tokens.scopes',
  'oauth_tokens.expires_in',
  'oauth_tokens.created_at',
  'oauth_tokens.family_id',
  'oauth_tokens.revoked_at',
] as const;

/** A token with the `client_id` of its application; null: no application. */
export type OAuthTokenWithClient = OAuthTokenRow & { readonly uid: string | null };

const selectTokensWithClient = (db: Reader) =>
  db
    .selectFrom('oauth_tokens')
    .leftJoin('oauth_applications', 'oauth_applications.id', 'oauth_tokens.application_id')
    .select([...tokenColumns, 'oauth_applications.uid']);

/** Returns the row of this access token, or null. */
export async function findOAuthTokenByAccessToken(db: Reader, secret: string): Promise<OAuthTokenWithClient | null> {
  if (!isOAuthTokenFormat(secret)) return null;
  // index: oauth_tokens_by_digest
  return (
    (await selectTokensWithClient(db).where('oauth_tokens.digest', '=', hashToken(secret)).executeTakeFirst()) ?? null
  );
}

/** Returns the row of this refresh token, or null. */
export async function findOAuthTokenByRefreshToken(db: Reader, secret: string): Promise<OAuthTokenWithClient | null> {
  if (!isOAuthTokenFormat(secret)) return null;
  // index: oauth_tokens_by_refresh_digest
  const token = await selectTokensWithClient(db)
    .where('oauth_tokens.refresh_digest', '=', hashToken(secret))
    .executeTakeFirst();
  return token ?? null;
}

export type InvalidTokenCode = 'expired' | 'revoked';

/** Returns why an access token is invalid; null: it is valid. Expiry takes precedence (contract/conventions.md §7). */
export function getInvalidTokenCode(
  { created_at, expires_in, revoked_at }: Pick<OAuthTokenRow, 'created_at' | 'expires_in' | 'revoked_at'>,
  now: string,
): InvalidTokenCode | null {
  if (addMilliseconds(created_at, expires_in * 1000) <= now) return 'expired';
  return revoked_at === null ? null : 'revoked';
}

/** Returns whether the user of a token cannot sign in, so that the API rejects the token. */
export async function hasBlockedUser(
  db: Reader,
  { id, user_id }: Pick<OAuthTokenRow, 'id' | 'user_id'>,
  clock: Clock,
): Promise<boolean> {
  if (user_id === null) return false;
  const user = (await findOAuthTokenById(db, id))?.user ?? null;
  return user === null || getSignInBlock(user, clock) !== null;
}

interface CreateOAuthTokenInput {
  readonly applicationId: number | null;
  readonly userId: number | null;
  readonly scopes: readonly string[];
  /** Whether to issue a refresh token. */
  readonly renewable: boolean;
  /** The token that the new one replaces. */
  readonly previous?: Pick<OAuthTokenRow, 'id' | 'family_id'>;
}

/** A new access token and refresh token in clear text; only their digests are stored. */
export interface IssuedOAuthToken {
  readonly tokenRow: OAuthTokenRow;
  readonly accessToken: string;
  readonly refreshToken: string | null;
}

/** Creates an access token, with a refresh token if `renewable`, and stores their digests. */
export async function createOAuthToken(tx: Transaction, input: CreateOAuthTokenInput): Promise<IssuedOAuthToken> {
  const secret = generateHexToken();
  const refreshSecret = input.renewable ? generateHexToken() : null;
  const token = await tx
    .insertInto('oauth_tokens')
    .values({
      digest: hashToken(secret),
      refresh_digest: refreshSecret === null ? null : hashToken(refreshSecret),
      application_id: input.applicationId,
      user_id: input.userId,
      scopes: JSON.stringify([...new Set(input.scopes)]),
      expires_in: ACCESS_TOKEN_LIFETIME_SECONDS,
      created_at: tx.now,
      family_id: input.previous === undefined ? null : getFamilyId(input.previous),
    })
    .returning(tokenColumns)
    .executeTakeFirstOrThrow();
  return { tokenRow: token, accessToken: secret, refreshToken: refreshSecret };
}

/** Revokes an access token and its refresh token. Returns false if they were revoked already. */
export async function revokeOAuthToken(tx: Transaction, id: number): Promise<boolean> {
  const revokedToken = await tx
    .updateTable('oauth_tokens')
    .set({ revoked_at: tx.now })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return revokedToken !== undefined;
}

/**
 * Grace period in which a refresh token may be used again, by a concurrent request or a client that got no response.
 */
const REPLAY_GRACE_MS = 60_000;

/**
 * Revokes the tokens issued for this refresh token if it was exchanged more than a minute before `requestedAt`, the
 * arrival of this request. Then someone else has the refresh token too (RFC 9700 §4.14.2).
 */
export async function revokeFamilyOfReplayedToken(
  tx: Transaction,
  token: OAuthTokenRow,
  requestedAt: string,
): Promise<void> {
  const { id, revoked_at } = token;
  if (revoked_at === null || addMilliseconds(revoked_at, REPLAY_GRACE_MS) >= requestedAt) return;
  await revokeTokenFamily(tx, { familyId: getFamilyId(token), afterId: id });
}

/**
 * Revokes a token and all tokens issued from it by refresh tokens; with `afterId`, only tokens with larger ids.
 */
export async function revokeTokenFamily(
  tx: Transaction,
  { familyId, afterId = 0 }: { readonly familyId: number; readonly afterId?: number },
): Promise<void> {
  // index: oauth_tokens primary key, oauth_tokens_by_family
  await tx
    .updateTable('oauth_tokens')
    .set({ revoked_at: tx.now })
    .where((eb) => eb.or([eb('id', '=', familyId), eb('family_id', '=', familyId)]))
    .where('id', '>', afterId)
    .where('revoked_at', 'is', null)
    .execute();
}

/** Returns the id of the family of a token: the id of its first token, whose own `family_id` is null. */
function getFamilyId({ id, family_id }: Pick<OAuthTokenRow, 'id' | 'family_id'>): number {
  return family_id ?? id;
}

/** Deletes the tokens and unused codes of a user who is deleted. index: oauth_tokens_by_user, oauth_grants_by_user */
export async function deleteOAuthCredentialsOfUser(tx: Transaction, userId: number): Promise<void> {
  await tx.deleteFrom('oauth_tokens').where('user_id', '=', userId).execute();
  await tx.deleteFrom('oauth_grants').where('user_id', '=', userId).execute();
}

/**
 * Time for which revoked tokens and used codes are kept, so that their use gets a specific error and is detected as a
 * replay.
 */
export const RETENTION_MS = 30 * DAY_MS;
/** Age after which a token that was not renewed is deleted: scripts that sign in again would otherwise accumulate tokens. */
const MAX_UNRENEWED_MS = 365 * DAY_MS;

/** Deletes up to `limit` tokens that were revoked a month ago; returns how many. */
export function deleteRevokedTokens(tx: Transaction, limit: number): Promise<number> {
  // index: oauth_tokens_by_revocation
  const revokedBefore = addMilliseconds(tx.now, -RETENTION_MS);
  return deleteTokens(
    tx,
    tx.selectFrom('oauth_tokens').select('id').where('revoked_at', '<=', revokedBefore).limit(limit),
  );
}

/** Deletes up to `limit` tokens that are a month old and have no refresh token; returns how many. */
export function deleteUnrenewableTokens(tx: Transaction, limit: number): Promise<number> {
  // index: oauth_tokens_unrenewable
  const unrenewable = tx.selectFrom('oauth_tokens').select('id').where('refresh_digest', 'is', null);
  return deleteTokens(tx, unrenewable.where('created_at', '<=', addMilliseconds(tx.now, -RETENTION_MS)).limit(limit));
}

/** Deletes up to `limit` tokens that have not been renewed for a year; returns how many. */
export function deleteAbandonedTokens(tx: Transaction, limit: number): Promise<number> {
  // index: oauth_tokens_by_creation
  const createdBefore = addMilliseconds(tx.now, -MAX_UNRENEWED_MS);
  return deleteTokens(
    tx,
    tx.selectFrom('oauth_tokens').select('id').where('created_at', '<=', createdBefore).limit(limit),
  );
}

type TokenIdQuery = SelectQueryBuilder<Schema, 'oauth_tokens', { id: number }>;

async function deleteTokens(tx: Transaction, ids: TokenIdQuery): Promise<number> {
  const deleteResult = await tx.deleteFrom('oauth_tokens').where('id', 'in', ids).executeTakeFirst();
  return Number(deleteResult.numDeletedRows);
}
