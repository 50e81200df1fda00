import { ANONYMOUS } from '#authentication/caller.ts';
import { applicationExists, parseScopes } from '#authentication/oauth/applications.ts';
import { createOAuthToken } from '#authentication/oauth/tokens.ts';
import { checkPassword } from '#authentication/sessions/password-sign-in.ts';
import { getStateBlock } from '#authentication/sign-in-blocks.ts';
import { SCOPES } from '#authentication/tokens/access-tokens.ts';
import { findUserById } from '#authentication/users/users.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { limitFailedSignIns, type SignInClient } from '#rate-limits/failed-sign-ins.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { loadSettings } from '#settings/settings.ts';
import type { ClientStatus } from './client-authentication.ts';
import { parseRequestedScopes } from './requested-scopes.ts';
import type { GrantResult, TokenRequest } from './token-request.ts';

const DEFAULT_SCOPES = ['api'];

/** Issues a token for a user name and password. Requires no client if the setting `ropc_without_client_credentials` allows it. */
export async function passwordGrant(
  { database, clock, runUnitOfWork }: Pick<Services, 'database' | 'clock' | 'runUnitOfWork'>,
  { username, password, scope }: TokenRequest,
  { client, requester }: { readonly client: ClientStatus; readonly requester: SignInClient },
): Promise<GrantResult | Failure<'tooMany'>> {
  const { ropc_without_client_credentials } = await loadSettings(database.reader);
  if (client === 'invalid' || (client === 'none' && !ropc_without_client_credentials)) return fail('invalidClient');
  const [allowedScopes, defaultScopes] =
    client === 'none' ? [SCOPES, DEFAULT_SCOPES] : [parseScopes(client), parseScopes(client)];
  const scopes = parseRequestedScopes(scope, { allowed: allowedScopes, defaults: defaultScopes });
  if (isFailure(scopes)) return scopes;
  const credentials = { login: username ?? '', password: password ?? '' };
  const passwordCheck = await limitFailedSignIns({ database, clock }, requester, (waiter) =>
    checkPassword({ database }, credentials, waiter),
  );
  if (isFailure(passwordCheck)) return passwordCheck.code === 'tooMany' ? passwordCheck : fail('invalidGrant');
  const applicationId = client === 'none' ? null : client.id;
  return runUnitOfWork(ANONYMOUS, (uow) => issueForUser(uow, { applicationId, userId: passwordCheck.user.id, scopes }));
}

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
