import type { Selectable, SelectQueryBuilder } from 'kysely';
import type { Reader, Schema, Transaction } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import type { OAuthTokensTable } from '#database/tables/oauth.ts';
import { DAY_MS, momentAfter } from '#runtime/clock.ts';
import { digestToken, newHexToken } from '#security/tokens.ts';
import { type IdentifiedUser, identifiedUserColumns } from '../identified-user.ts';

// Access tokens of OAuth and the refresh tokens that replace them (contract/conventions.md §10 "OAuth 2.0").

/** Seconds that an access token lives. */
const LIFE_SECONDS = 7200;

/** What both secrets look like: nothing else is looked up as one. */
const SECRET = /^[0-9a-f]{64}$/;

export function isOAuthSecret(text: string): boolean {
  return SECRET.test(text);
}

function withOwner(db: Reader) {
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
const ownedByDigest = prepare((db, value: Params<{ digest: string }>) =>
  withOwner(db).where('oauth_tokens.digest', '=', value('digest')),
);

// index: oauth_tokens primary key, users primary key
const ownedById = prepare((db, value: Params<{ id: number }>) =>
  withOwner(db).where('oauth_tokens.id', '=', value('id')),
);

/** What identification reads of a token. */
interface OAuthToken {
  readonly id: number;
  /** JSON array. */
  readonly scopes: string;
  readonly created_at: string;
  readonly revoked_at: string | null;
  /** Seconds. */
  readonly expires_in: number;
  /** null: of client credentials. */
  readonly user: IdentifiedUser | null;
}

/** The token of this digest with its user, for whoever presents it. */
export async function findOAuthToken(db: Reader, digest: string): Promise<OAuthToken | null> {
  return ownedToken(await ownedByDigest.first(db, { digest }));
}

/** The same by its id, for whoever has presented it before. */
export async function oauthTokenById(db: Reader, id: number): Promise<OAuthToken | null> {
  return ownedToken(await ownedById.first(db, { id }));
}

function ownedToken(row: Awaited<ReturnType<typeof ownedById.first>>): OAuthToken | null {
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

/** A token's row; what is kept of its secrets stays behind. */
export type OAuthTokenRow = Omit<Selectable<OAuthTokensTable>, 'digest' | 'refresh_digest'>;

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

/** A token with the `client_id` of its application; null: it belongs to none. */
export type OAuthTokenOfClient = OAuthTokenRow & { readonly uid: string | null };

const withClient = (db: Reader) =>
  db
    .selectFrom('oauth_tokens')
    .leftJoin('oauth_applications', 'oauth_applications.id', 'oauth_tokens.application_id')
    .select([...tokenColumns, 'oauth_applications.uid']);

/** The token whose access token this is. */
export async function readOAuthToken(db: Reader, secret: string): Promise<OAuthTokenOfClient | null> {
  if (!isOAuthSecret(secret)) return null;
  // index: oauth_tokens_by_digest
  return (await withClient(db).where('oauth_tokens.digest', '=', digestToken(secret)).executeTakeFirst()) ?? null;
}

/** The token whose refresh token this is. */
export async function readByRefreshToken(db: Reader, secret: string): Promise<OAuthTokenOfClient | null> {
  if (!isOAuthSecret(secret)) return null;
  // index: oauth_tokens_by_refresh_digest
  const token = await withClient(db).where('oauth_tokens.refresh_digest', '=', digestToken(secret)).executeTakeFirst();
  return token ?? null;
}

export type DeadCode = 'expired' | 'revoked';

/** Why an access token counts no more; null: it does. Expiry is told first (contract/conventions.md §7). */
export function deadCode(
  { created_at, expires_in, revoked_at }: Pick<OAuthTokenRow, 'created_at' | 'expires_in' | 'revoked_at'>,
  now: string,
): DeadCode | null {
  if (momentAfter(created_at, expires_in * 1000) <= now) return 'expired';
  return revoked_at === null ? null : 'revoked';
}

interface NewOAuthToken {
  readonly applicationId: number | null;
  readonly userId: number | null;
  readonly scopes: readonly string[];
  /** With a refresh token. */
  readonly renewable: boolean;
  /** The token that it takes the place of. */
  readonly previous?: Pick<OAuthTokenRow, 'id' | 'family_id'>;
}

/** The one time that a token's secrets are known. */
export interface IssuedOAuthToken {
  readonly token: OAuthTokenRow;
  readonly secret: string;
  readonly refreshSecret: string | null;
}

export async function createOAuthToken(tx: Transaction, given: NewOAuthToken): Promise<IssuedOAuthToken> {
  const secret = newHexToken();
  const refreshSecret = given.renewable ? newHexToken() : null;
  const token = await tx
    .insertInto('oauth_tokens')
    .values({
      digest: digestToken(secret),
      refresh_digest: refreshSecret === null ? null : digestToken(refreshSecret),
      application_id: given.applicationId,
      user_id: given.userId,
      scopes: JSON.stringify([...new Set(given.scopes)]),
      expires_in: LIFE_SECONDS,
      created_at: tx.now,
      family_id: given.previous === undefined ? null : firstOf(given.previous),
    })
    .returning(tokenColumns)
    .executeTakeFirstOrThrow();
  return { token, secret, refreshSecret };
}

/** Ends an access token and its refresh token for good; true when they were still there to be ended. */
export async function revokeOAuthToken(tx: Transaction, id: number): Promise<boolean> {
  const revoked = await tx
    .updateTable('oauth_tokens')
    .set({ revoked_at: tx.now })
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return revoked !== undefined;
}

/** How long the loser of a race, or a client that heard no answer, may come again with a refresh token. */
const PATIENCE_MS = 60_000;

/**
 * Ends the tokens that came of this one by its refresh token, if that had been exchanged more than a minute before this
 * request with it came in, `asked`: somebody else has it too (RFC 9700 §4.14.2).
 */
export async function endReplayed(tx: Transaction, token: OAuthTokenRow, asked: string): Promise<void> {
  const { id, revoked_at } = token;
  if (revoked_at === null || momentAfter(revoked_at, PATIENCE_MS) >= asked) return;
  await endFamily(tx, { first: firstOf(token), after: id });
}

/** Ends a token and all that came of it by refresh tokens; with `after`, only those that are younger than that one. */
export async function endFamily(
  tx: Transaction,
  { first, after = 0 }: { readonly first: number; readonly after?: number },
): Promise<void> {
  // index: oauth_tokens primary key, oauth_tokens_by_family
  await tx
    .updateTable('oauth_tokens')
    .set({ revoked_at: tx.now })
    .where((eb) => eb.or([eb('id', '=', first), eb('family_id', '=', first)]))
    .where('id', '>', after)
    .where('revoked_at', 'is', null)
    .execute();
}

function firstOf({ id, family_id }: Pick<OAuthTokenRow, 'id' | 'family_id'>): number {
  return family_id ?? id;
}

/** For the end of a user: tokens, and codes that nobody has exchanged. index: oauth_tokens_by_user, oauth_grants_by_user */
export async function deleteOAuthOf(tx: Transaction, userId: number): Promise<void> {
  await tx.deleteFrom('oauth_tokens').where('user_id', '=', userId).execute();
  await tx.deleteFrom('oauth_grants').where('user_id', '=', userId).execute();
}

/** How long whoever presents a dead token is told what became of it, and a used code or refresh token gives a theft away. */
export const REMEMBERED_MS = 30 * DAY_MS;
/** A pair that nobody has renewed for so long is forgotten: else each sign-in by a script would stay for ever. */
const RENEWABLE_MS = 365 * DAY_MS;

/** Deletes tokens that have been revoked for a month, so many at most, and tells how many. */
export function deleteRevokedTokens(tx: Transaction, most: number): Promise<number> {
  // index: oauth_tokens_by_revocation
  const before = momentAfter(tx.now, -REMEMBERED_MS);
  return deleteTokens(tx, tx.selectFrom('oauth_tokens').select('id').where('revoked_at', '<=', before).limit(most));
}

/** The same with those that are a month old and that nothing can renew. */
export function deleteUnrenewableTokens(tx: Transaction, most: number): Promise<number> {
  // index: oauth_tokens_unrenewable
  const old = tx.selectFrom('oauth_tokens').select('id').where('refresh_digest', 'is', null);
  return deleteTokens(tx, old.where('created_at', '<=', momentAfter(tx.now, -REMEMBERED_MS)).limit(most));
}

/** The same with those that nobody has renewed for a year. */
export function deleteAbandonedTokens(tx: Transaction, most: number): Promise<number> {
  // index: oauth_tokens_by_creation
  const before = momentAfter(tx.now, -RENEWABLE_MS);
  return deleteTokens(tx, tx.selectFrom('oauth_tokens').select('id').where('created_at', '<=', before).limit(most));
}

type Ids = SelectQueryBuilder<Schema, 'oauth_tokens', { id: number }>;

async function deleteTokens(tx: Transaction, ids: Ids): Promise<number> {
  const deleted = await tx.deleteFrom('oauth_tokens').where('id', 'in', ids).executeTakeFirst();
  return Number(deleted.numDeletedRows);
}
