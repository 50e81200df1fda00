import { hash } from 'node:crypto';
import { scopesOf } from '#authentication/oauth/applications.ts';
import {
  endReplayedCode,
  noteExchange,
  type OAuthGrant,
  takeGrant,
} from '#authentication/oauth/authorization-codes.ts';
import { createOAuthToken } from '#authentication/oauth/tokens.ts';
import { stateBar } from '#authentication/sign-in-blocks.ts';
import { readUser } from '#authentication/users/users.ts';
import { fail } from '#runtime/failure.ts';
import { sameSecret } from '#security/tokens.ts';
import type { Grant } from './token-request.ts';

/**
 * A code that a user has let the client have, once, for a token that acts for this user. Whoever fails with it has used it
 * up: it has come into the wrong hands, or somebody tries what would do. One that comes again ends the tokens that came of it.
 */
export const exchangeCode: Grant = async (uow, { code, redirect_uri, code_verifier }, { client, at }) => {
  if (!code) return fail('notFound', { parameter: 'code' });
  const grant = await takeGrant(uow, code);
  if (grant === null) await endReplayedCode(uow, code, at);
  if (typeof client === 'string') return fail('invalidClient');
  if (grant === null || grant.application_id !== client.id) return fail('invalidGrant');
  if (grant.redirect_uri !== redirect_uri || !isProven(grant, code_verifier ?? '')) return fail('invalidGrant');
  const user = await readUser(uow, grant.user_id);
  if (user === null || stateBar(user) !== null) return fail('invalidGrant');
  const scopes = scopesOf(grant);
  const issued = await createOAuthToken(uow, { applicationId: client.id, userId: user.id, scopes, renewable: true });
  await noteExchange(uow, grant.id, issued.token.id);
  return issued;
};

/** PKCE (RFC 7636). A verifier without a challenge is refused too: somebody has taken the challenge away (RFC 9700 §2.1.1). */
function isProven({ challenge, challenge_method }: OAuthGrant, verifier: string): boolean {
  if (challenge === null || verifier === '') return challenge === null && verifier === '';
  return sameSecret(challenge, challenge_method === 'plain' ? verifier : hash('sha256', verifier, 'base64url'));
}
