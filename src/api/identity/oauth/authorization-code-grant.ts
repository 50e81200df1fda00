import { hash } from 'node:crypto';
import { parseScopes } from '#authentication/oauth/applications.ts';
import {
  type OAuthGrant,
  recordIssuedToken,
  redeemGrant,
  revokeTokensOfReplayedCode,
} from '#authentication/oauth/authorization-codes.ts';
import { createOAuthToken } from '#authentication/oauth/tokens.ts';
import { getStateBlock } from '#authentication/sign-in-blocks.ts';
import { findUserById } from '#authentication/users/users.ts';
import { fail } from '#runtime/failure.ts';
import { secretsEqual } from '#security/tokens.ts';
import type { Grant } from './token-request.ts';

/**
 * Exchanges an authorization code for a token of the user, once. A failed attempt consumes the code too, because the code
 * may be stolen or guessed. A replayed code revokes the tokens that were issued for it.
 */
export const authorizationCodeGrant: Grant = async (
  uow,
  { code, redirect_uri, code_verifier },
  { client, startedAt },
) => {
  if (!code) return fail('notFound', { parameter: 'code' });
  const grant = await redeemGrant(uow, code);
  if (grant === null) await revokeTokensOfReplayedCode(uow, code, startedAt);
  if (typeof client === 'string') return fail('invalidClient');
  if (grant === null || grant.application_id !== client.id) return fail('invalidGrant');
  if (grant.redirect_uri !== redirect_uri || !isVerifierValid(grant, code_verifier ?? '')) return fail('invalidGrant');
  const user = await findUserById(uow, grant.user_id);
  if (user === null || getStateBlock(user) !== null) return fail('invalidGrant');
  const scopes = parseScopes(grant);
  const issuedToken = await createOAuthToken(uow, {
    applicationId: client.id,
    userId: user.id,
    scopes,
    renewable: true,
  });
  await recordIssuedToken(uow, grant.id, issuedToken.tokenRow.id);
  return issuedToken;
};

/** Checks PKCE (RFC 7636). A verifier without a challenge fails too: the challenge may have been stripped (RFC 9700 §2.1.1). */
function isVerifierValid({ challenge, challenge_method }: OAuthGrant, verifier: string): boolean {
  if (challenge === null || verifier === '') return challenge === null && verifier === '';
  return secretsEqual(challenge, challenge_method === 'plain' ? verifier : hash('sha256', verifier, 'base64url'));
}
