import { ANONYMOUS } from '#authentication/caller.ts';
import type { Services } from '#http/services.ts';
import { timestamp } from '#runtime/clock.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { exchangeCode } from './authorization-code-grant.ts';
import type { Client } from './client-authentication.ts';
import { grantToClient } from './client-credentials-grant.ts';
import { grantForPassword } from './password-grant.ts';
import { refresh } from './refresh-token-grant.ts';
import type { Grant, Granted, TokenRequest } from './token-request.ts';

/** The ways that need nothing but the database. */
const GRANTS = new Map<string, Grant>([
  ['authorization_code', exchangeCode],
  ['refresh_token', refresh],
  ['client_credentials', grantToClient],
]);

/** Issues a token by the way that the client has named. */
export async function grantToken(
  services: Pick<Services, 'database' | 'clock' | 'runUnitOfWork'>,
  request: TokenRequest,
  { client, address }: { readonly client: Client; readonly address: string },
): Promise<Granted | Failure<'unsupportedGrantType' | 'tooMany'>> {
  const { grant_type } = request;
  if (!grant_type) return fail('notFound', { parameter: 'grant_type' });
  if (grant_type === 'password') return grantForPassword(services, request, { client, address });
  const grant = GRANTS.get(grant_type);
  if (grant === undefined) return fail('unsupportedGrantType');
  const asking = { client, at: timestamp(services.clock) };
  // In an object, for a refusal as such would roll back: a code that was refused is used up.
  const { granted } = await services.runUnitOfWork(ANONYMOUS, async (uow) => ({
    granted: await grant(uow, request, asking),
  }));
  return granted;
}
