import { hash } from 'node:crypto';
import { ANONYMOUS, getStateBlock } from '#authentication/caller.ts';
import { applicationExists, parseScopes } from '#authentication/oauth/applications.ts';
import {
  type OAuthGrant,
  recordIssuedToken,
  redeemGrant,
  revokeTokensOfReplayedCode,
} from '#authentication/oauth/authorization-codes.ts';
import {
  createOAuthToken,
  findOAuthTokenByRefreshToken,
  revokeFamilyOfReplayedToken,
  revokeOAuthToken,
} from '#authentication/oauth/tokens.ts';
import { checkPassword } from '#authentication/sessions/password-sign-in.ts';
import { SCOPES } from '#authentication/tokens/access-tokens.ts';
import { findUserById } from '#authentication/users/users.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { limitFailedSignIns, type SignInClient } from '#rate-limits/failed-sign-ins.ts';
import { timestamp } from '#runtime/clock.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { secretsEqual } from '#security/tokens.ts';
import { loadSettings } from '#settings/settings.ts';
import { toPasswordCheckServices } from '../users/index.ts';
import { parseRequestedScopes } from './authorization-request.ts';
import type { ClientStatus, Grant, GrantResult, TokenRequest } from './client-authentication.ts';

/**
 * Exchanges an authorization code for a token of the user, once. A failed attempt consumes the code too, because a thief may have
 * sent it. A code that is sent again revokes the tokens that were issued for it.
 */
const authorizationCodeGrant: Grant = async (uow, { code, redirect_uri, code_verifier }, { client, startedAt }) => {
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

/**
 * Checks PKCE (RFC 7636). A verifier without a challenge fails too, because an attacker may have removed the challenge from the
 * authorization request (RFC 9700 §2.1.1).
 */
function isVerifierValid({ challenge, challenge_method }: OAuthGrant, verifier: string): boolean {
  if (challenge === null) return verifier === '';
  if (verifier === '') return false;
  return secretsEqual(challenge, challenge_method === 'plain' ? verifier : hash('sha256', verifier, 'base64url'));
}

/**
 * Issues a new pair of tokens for a refresh token and revokes the old pair in the same transaction; of two concurrent
 * requests one fails. A later replay of the refresh token revokes the tokens issued for it.
 */
const refreshTokenGrant: Grant = async (uow, { refresh_token }, { client, startedAt }) => {
  if (!refresh_token) return fail('notFound', { parameter: 'refresh_token' });
  const refreshedToken = await findOAuthTokenByRefreshToken(uow, refresh_token);
  if (refreshedToken === null) return fail(client === 'invalid' ? 'invalidClient' : 'invalidGrant');
  await revokeFamilyOfReplayedToken(uow, refreshedToken, startedAt);
  const { application_id: applicationId, user_id: userId } = refreshedToken;
  if (client === 'invalid' || (client === 'none' && applicationId !== null)) return fail('invalidClient');
  if (client !== 'none' && client.id !== applicationId) return fail('invalidGrant');
  const user = userId === null ? null : await findUserById(uow, userId);
  if (user === null || getStateBlock(user) !== null) return fail('invalidGrant');
  if (!(await revokeOAuthToken(uow, refreshedToken.id))) return fail('invalidGrant');
  const input = { applicationId, userId: user.id, scopes: parseScopes(refreshedToken), renewable: true };
  return createOAuthToken(uow, { ...input, previous: refreshedToken });
};

/** Issues a token of the application itself, without a user. Only confidential applications can authenticate. */
const clientCredentialsGrant: Grant = async (uow, { scope }, { client }) => {
  if (typeof client === 'string' || !client.confidential) return fail('invalidClient');
  const clientScopes = parseScopes(client);
  const scopes = parseRequestedScopes(scope, { allowed: clientScopes, defaults: clientScopes });
  if (isFailure(scopes)) return scopes;
  if (!(await applicationExists(uow, client.id))) return fail('invalidClient');
  return createOAuthToken(uow, { applicationId: client.id, userId: null, scopes, renewable: false });
};

/** Grants by grant type, except `password`, which needs more than the database. */
const GRANTS = new Map<string, Grant>([
  ['authorization_code', authorizationCodeGrant],
  ['refresh_token', refreshTokenGrant],
  ['client_credentials', clientCredentialsGrant],
]);

/** Issues a token by the grant type of the request. */
export async function issueToken(
  services: Pick<Services, 'database' | 'clock' | 'config' | 'log' | 'runUnitOfWork'>,
  request: TokenRequest,
  { client, requester }: { readonly client: ClientStatus; readonly requester: SignInClient },
): Promise<GrantResult | Failure<'unsupportedGrantType' | 'tooMany'>> {
  const { grant_type } = request;
  if (!grant_type) return fail('notFound', { parameter: 'grant_type' });
  if (grant_type === 'password') return passwordGrant(services, request, { client, requester });
  const grantHandler = GRANTS.get(grant_type);
  if (grantHandler === undefined) return fail('unsupportedGrantType');
  const context = { client, startedAt: timestamp(services.clock) };
  // A unit of work that returns a failure is rolled back, but a rejected code must stay consumed. The object around the result hides
  // a failure.
  const { grantResult } = await services.runUnitOfWork(ANONYMOUS, async (uow) => ({
    grantResult: await grantHandler(uow, request, context),
  }));
  return grantResult;
}

/** Scopes of a password grant without an application, if the request names none. */
const DEFAULT_SCOPES = ['api'];

/** Issues a token for a user name and password. Requires no client if the setting `ropc_without_client_credentials` allows it. */
async function passwordGrant(
  services: Pick<Services, 'database' | 'clock' | 'config' | 'log' | 'runUnitOfWork'>,
  { username, password, scope }: TokenRequest,
  { client, requester }: { readonly client: ClientStatus; readonly requester: SignInClient },
): Promise<GrantResult | Failure<'tooMany'>> {
  const { database, clock, runUnitOfWork } = services;
  const { ropc_without_client_credentials } = await loadSettings(database.reader);
  if (client === 'invalid' || (client === 'none' && !ropc_without_client_credentials)) return fail('invalidClient');
  const [allowedScopes, defaultScopes] =
    client === 'none' ? [SCOPES, DEFAULT_SCOPES] : [parseScopes(client), parseScopes(client)];
  const scopes = parseRequestedScopes(scope, { allowed: allowedScopes, defaults: defaultScopes });
  if (isFailure(scopes)) return scopes;
  const credentials = { login: username ?? '', password: password ?? '' };
  const passwordCheck = await limitFailedSignIns({ database, clock }, requester, (waiter) =>
    checkPassword(toPasswordCheckServices(services, requester.clientAddress), credentials, waiter),
  );
  if (isFailure(passwordCheck)) return passwordCheck.code === 'tooMany' ? passwordCheck : fail('invalidGrant');
  const applicationId = client === 'none' ? null : client.id;
  return runUnitOfWork(ANONYMOUS, (uow) => issueForUser(uow, { applicationId, userId: passwordCheck.user.id, scopes }));
}

/** The values of a token for a user whose password was checked. */
interface VerifiedGrant {
  readonly applicationId: number | null;
  readonly userId: number;
  readonly scopes: readonly string[];
}

/** Checks client and user again, because they may have been deleted during the slow password check. */
async function issueForUser(uow: UnitOfWork, { applicationId, userId, scopes }: VerifiedGrant): Promise<GrantResult> {
  if (applicationId !== null && !(await applicationExists(uow, applicationId))) return fail('invalidClient');
  const user = await findUserById(uow, userId);
  if (user === null || getStateBlock(user) !== null) return fail('invalidGrant');
  return createOAuthToken(uow, { applicationId, userId, scopes, renewable: true });
}
