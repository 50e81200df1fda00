import { ANONYMOUS } from '#authentication/caller.ts';
import type { Services } from '#http/services.ts';
import type { SignInClient } from '#rate-limits/failed-sign-ins.ts';
import { timestamp } from '#runtime/clock.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { authorizationCodeGrant } from './authorization-code-grant.ts';
import type { ClientStatus } from './client-authentication.ts';
import { clientCredentialsGrant } from './client-credentials-grant.ts';
import { passwordGrant } from './password-grant.ts';
import { refreshTokenGrant } from './refresh-token-grant.ts';
import type { Grant, GrantResult, TokenRequest } from './token-request.ts';

/** Grants by grant type, except `password`, which needs more than the database. */
const GRANTS = new Map<string, Grant>([
  ['authorization_code', authorizationCodeGrant],
  ['refresh_token', refreshTokenGrant],
  ['client_credentials', clientCredentialsGrant],
]);

/** Issues a token by the grant type of the request. */
export async function issueToken(
  services: Pick<Services, 'database' | 'clock' | 'runUnitOfWork'>,
  request: TokenRequest,
  { client, requester }: { readonly client: ClientStatus; readonly requester: SignInClient },
): Promise<GrantResult | Failure<'unsupportedGrantType' | 'tooMany'>> {
  const { grant_type } = request;
  if (!grant_type) return fail('notFound', { parameter: 'grant_type' });
  if (grant_type === 'password') return passwordGrant(services, request, { client, requester });
  const grantHandler = GRANTS.get(grant_type);
  if (grantHandler === undefined) return fail('unsupportedGrantType');
  const context = { client, startedAt: timestamp(services.clock) };
  // A returned failure would roll back, but a rejected code must stay consumed. So the result is wrapped in an object.
  const { grantResult } = await services.runUnitOfWork(ANONYMOUS, async (uow) => ({
    grantResult: await grantHandler(uow, request, context),
  }));
  return grantResult;
}
