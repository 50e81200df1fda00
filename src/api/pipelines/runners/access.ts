import { ANONYMOUS, type Caller, isAdministrator, type SignedInCaller } from '#authentication/caller.ts';
import { findRunner, findRunnerByToken, mayDeleteRunner, type Runner } from '#authorization/runners.ts';
import type { Reader } from '#database/database.ts';
import {
  allowsRegistrationTokens,
  findRunnerOwnerByToken,
  type RunnerOwner,
} from '#domain/runners/registration-tokens.ts';
import { type Access, type AccessCall, access, signedIn } from '#http/access/access.ts';
import { forbidden, genericNotFound, HttpError } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { integer } from '#http/parameters/types.ts';
import { firstHeader } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { timestamp } from '#runtime/clock.ts';
import { loadSettings } from '#settings/settings.ts';
import { isInSeveralProjects } from './store.ts';

// Access to runners: for users by the path, and for runners by their token.

type RunnerAbility = (db: Reader, caller: SignedInCaller, runner: Runner) => Promise<boolean>;

/** Requires a signed-in caller with this ability for the runner in the path; `label` is its name in api.txt. */
export function runnerAccess(ability: RunnerAbility, label: string) {
  return signedIn()
    .resource({
      name: 'runner',
      params: { id: required(integer) },
      load: ({ db, params }: AccessCall<{ readonly id: number }>) => findRunner(db, params.id),
      notFound: genericNotFound,
      async authorize({ db }, { caller, runner }) {
        if (!(await ability(db, caller, runner))) throw forbidden('No access granted');
      },
    })
    .withLabel(`runner:${label}`);
}

/**
 * Returns whether the caller may delete the runner. Throws 403 if the runner has several projects and the caller is not
 * an administrator.
 */
export async function mayDeleteRunnerOrThrow(db: Reader, caller: SignedInCaller, runner: Runner): Promise<boolean> {
  if (!isAdministrator(caller) && (await isInSeveralProjects(db, runner.id))) {
    throw forbidden('Runner associated with more than one project');
  }
  return mayDeleteRunner(db, caller, runner);
}

/** Access by a runner or registration token; API credentials in the request are ignored. */
function clientTokenAccess(label: string): Access<{ caller: Caller }> {
  return access({
    audience: 'tokenHolder',
    label,
    authenticate: () => {},
    load: async ({ request }) => ({ caller: { ...ANONYMOUS, address: request.clientAddress } }),
    authorize: () => {},
  });
}

/** Authenticates a runner by its token parameter, for endpoints with the stage order `clientToken`. */
export function runnerTokenAccess() {
  return clientTokenAccess('runner token').resource({
    name: 'runner',
    params: { token: required(string) },
    load: ({ db, services, params }: AccessCall<{ readonly token: string }>) =>
      findRunnerByToken(db, params.token, timestamp(services.clock)),
    notFound: () => forbidden(),
  });
}

/** Authenticates a runner by the header `Runner-Token`. */
export function runnerTokenHeaderAccess() {
  return clientTokenAccess('runner token').require(async ({ db, services, request }) => {
    const token = firstHeader(request.headers['runner-token']);
    if (!token || !(await findRunnerByToken(db, token, timestamp(services.clock)))) throw forbidden();
  });
}

const REGISTRATION_DISALLOWED = '410 Gone - runner registration disallowed';

/** Authenticates by a registration token, for endpoints with the stage order `clientToken`. */
export function registrationTokenAccess() {
  return clientTokenAccess('registration token')
    .resource({
      name: 'runnerOwner',
      params: { token: required(string) },
      load: ({ db, services, params }: AccessCall<{ readonly token: string }>) =>
        findRunnerOwner(db, params.token, services),
      notFound: () => forbidden('invalid token supplied'),
    })
    .withErrors({ disallowed: [410, REGISTRATION_DISALLOWED] });
}

/** Returns the owner that the registration token belongs to, or null. Throws 410 if registration is disabled. */
async function findRunnerOwner(
  db: Reader,
  token: string,
  { config, secretKey }: Pick<Services, 'config' | 'secretKey'>,
): Promise<RunnerOwner | null> {
  const { allow_runner_registration_token: isRegistrationAllowed, valid_runner_registrars: allowedOwnerTypes } =
    await loadSettings(db);
  if (token === '') return null;
  if (!isRegistrationAllowed) throw createRegistrationDisallowedError();
  const owner = await findRunnerOwnerByToken(db, token, secretKey, config);
  if (owner === null) return null;
  if (owner.type !== 'instance' && !allowedOwnerTypes.includes(owner.type)) return null;
  if (!(await allowsRegistrationTokens(db, owner))) throw createRegistrationDisallowedError();
  return owner;
}

const createRegistrationDisallowedError = () => new HttpError(410, { message: REGISTRATION_DISALLOWED });
