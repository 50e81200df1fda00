import type { Selectable } from 'kysely';
import type { Database, Transaction } from '#database/database.ts';
import type { Schema } from '#database/schema.ts';
import { defineJob, deleteInBatches, type JobDefinition } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { generateHexToken, hashToken } from '#security/tokens.ts';
import {
  deleteAbandonedTokens,
  deleteRevokedTokens,
  deleteUnrenewableTokens,
  RETENTION_MS,
  revokeTokenFamily,
} from './tokens.ts';

// Authorization codes: a user authorizes an application, which exchanges the code for a token once (RFC 6749 §4.1).

const CODE_LIFETIME_MS = 600_000;

/** PKCE challenge of the authorization request; the verifier comes with the exchange (RFC 7636). */
export interface CodeChallenge {
  readonly challenge: string;
  readonly method: 'S256' | 'plain';
}

/** A row of an authorization code, without the code's digest. */
export type OAuthGrant = Omit<Selectable<Schema['oauth_grants']>, 'digest' | 'token_id'>;

interface CreateGrantInput {
  readonly applicationId: number;
  readonly userId: number;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly challenge: CodeChallenge | null;
}

/** Creates a code that is valid for ten minutes, and returns it. */
export async function createGrant(tx: Transaction, input: CreateGrantInput): Promise<string> {
  const code = generateHexToken();
  await tx
    .insertInto('oauth_grants')
    .values({
      digest: hashToken(code),
      application_id: input.applicationId,
      user_id: input.userId,
      scopes: JSON.stringify(input.scopes),
      redirect_uri: input.redirectUri,
      challenge: input.challenge?.challenge ?? null,
      challenge_method: input.challenge?.method ?? null,
      created_at: tx.now,
      expires_at: addMilliseconds(tx.now, CODE_LIFETIME_MS),
    })
    .execute();
  return code;
}

/**
 * Marks a code as used and returns its grant; null if it is unknown, expired or used. If two requests run at the same time,
 * one gets null. The code must stay used: callers that fail later must not roll back.
 */
export async function redeemGrant(tx: Transaction, code: string): Promise<OAuthGrant | null> {
  // index: oauth_grants_by_digest
  const grant = await tx
    .updateTable('oauth_grants')
    .set({ used_at: tx.now })
    .where('digest', '=', hashToken(code))
    .where('used_at', 'is', null)
    .where('expires_at', '>', tx.now)
    .returning([
      'id',
      'application_id',
      'user_id',
      'scopes',
      'redirect_uri',
      'challenge',
      'challenge_method',
      'created_at',
      'expires_at',
      'used_at',
    ])
    .executeTakeFirst();
  return grant ?? null;
}

/** Stores the token that a code was exchanged for, to revoke it if the code is replayed. */
export async function recordIssuedToken(tx: Transaction, grantId: number, tokenId: number): Promise<void> {
  await tx.updateTable('oauth_grants').set({ token_id: tokenId }).where('id', '=', grantId).execute();
}

/**
 * Revokes the tokens issued for this code if it was used before this request arrived at `requestedAt`: then someone else
 * has the code too (RFC 6749 §4.1.2). Two concurrent requests are not a replay.
 */
export async function revokeTokensOfReplayedCode(tx: Transaction, code: string, requestedAt: string): Promise<void> {
  // index: oauth_grants_by_digest
  const replayedGrant = await tx
    .selectFrom('oauth_grants')
    .select('token_id')
    .where('digest', '=', hashToken(code))
    .where('used_at', '<', requestedAt)
    .executeTakeFirst();
  // The token issued for the code is the first of its family, and the family has its id.
  if (replayedGrant && replayedGrant.token_id !== null)
    await revokeTokenFamily(tx, { familyId: replayedGrant.token_id });
}

/** Deletes up to `limit` codes that expired a month ago; returns how many. */
async function deleteOldGrants(tx: Transaction, limit: number): Promise<number> {
  // index: oauth_grants_by_expiry
  const oldGrants = tx
    .selectFrom('oauth_grants')
    .select('id')
    .where('expires_at', '<=', addMilliseconds(tx.now, -RETENTION_MS))
    .limit(limit);
  const deleteResult = await tx.deleteFrom('oauth_grants').where('id', 'in', oldGrants).executeTakeFirst();
  return Number(deleteResult.numDeletedRows);
}

const NAME = 'clean_up_oauth';
const BATCH_SIZE = 1_000;

type CleanupServices = { readonly database: Database };

/** Deletes expired codes, and revoked, expired and unused tokens, after their retention time. */
export const cleanUpOAuthJob: JobDefinition<CleanupServices, Record<string, never>> = defineJob({
  kind: NAME,
  async handle({ database }) {
    for (const deleteBatch of [deleteOldGrants, deleteRevokedTokens, deleteUnrenewableTokens, deleteAbandonedTokens])
      await deleteInBatches(database, BATCH_SIZE, deleteBatch);
  },
});

export const cleanUpOAuthDaily: Schedule<CleanupServices> = { name: NAME, cron: '50 4 * * *', job: cleanUpOAuthJob };
