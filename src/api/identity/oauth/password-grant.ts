import { ANONYMOUS } from '#authentication/caller.ts';
import { isRegistered, scopesOf } from '#authentication/oauth/applications.ts';
import { createOAuthToken } from '#authentication/oauth/tokens.ts';
import { checkPassword } from '#authentication/sessions/password-sign-in.ts';
import { stateBar } from '#authentication/sign-in-blocks.ts';
import { SCOPES } from '#authentication/tokens/access-tokens.ts';
import { readUser } from '#authentication/users/users.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { limitFailures } from '#rate-limits/failed-sign-ins.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { readSettings } from '#settings/settings.ts';
import type { Client } from './client-authentication.ts';
import { askedScopes } from './requested-scopes.ts';
import type { Granted, TokenRequest } from './token-request.ts';

const DEFAULT_SCOPES = ['api'];

/** A user's name and password for a token that acts for him. It needs no client while the setting says so. */
export async function grantForPassword(
  { database, clock, runUnitOfWork }: Pick<Services, 'database' | 'clock' | 'runUnitOfWork'>,
  { username, password, scope }: TokenRequest,
  { client, address }: { readonly client: Client; readonly address: string },
): Promise<Granted | Failure<'tooMany'>> {
  const { ropc_without_client_credentials } = await readSettings(database.reader);
  if (client === 'wrong' || (client === 'none' && !ropc_without_client_credentials)) return fail('invalidClient');
  const [allowed, usual] = client === 'none' ? [SCOPES, DEFAULT_SCOPES] : [scopesOf(client), scopesOf(client)];
  const scopes = askedScopes(scope, { allowed, usual });
  if (isFailure(scopes)) return scopes;
  const proof = { login: username ?? '', password: password ?? '' };
  const checked = await limitFailures({ database, clock }, address, () => checkPassword({ database }, proof));
  if (isFailure(checked)) return checked.code === 'tooMany' ? checked : fail('invalidGrant');
  const applicationId = client === 'none' ? null : client.id;
  return runUnitOfWork(ANONYMOUS, (uow) => issue(uow, { applicationId, userId: checked.user.id, scopes }));
}

interface Proven {
  readonly applicationId: number | null;
  readonly userId: number;
  readonly scopes: readonly string[];
}

/** The check of a password takes its time: client and user may be gone. */
async function issue(uow: UnitOfWork, { applicationId, userId, scopes }: Proven): Promise<Granted> {
  if (applicationId !== null && !(await isRegistered(uow, applicationId))) return fail('invalidClient');
  const user = await readUser(uow, userId);
  if (user === null || stateBar(user) !== null) return fail('invalidGrant');
  return createOAuthToken(uow, { applicationId, userId, scopes, renewable: true });
}
