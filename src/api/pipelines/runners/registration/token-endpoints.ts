import type { SignedInCaller } from '#authentication/caller.ts';
import { mayUpdateRunner } from '#authorization/runners.ts';
import {
  allowsRegistrationTokens,
  buildRegistrationTokenLockKey,
  type RunnerOwner,
  resetRegistrationToken,
} from '#domain/runners/registration-tokens.ts';
import { type Access, administratorAfterParameters } from '#http/access/access.ts';
import { forGroupAndProject } from '#http/access/parents.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created } from '#http/endpoint/responses.ts';
import { forbidden } from '#http/errors/http-error.ts';
import type { Services } from '#http/services.ts';
import { runnerAccess } from '../access.ts';
import { RegistrationToken, RunnerToken } from '../entities.ts';
import { resetRunnerToken } from './tokens.ts';

// contract/runners.md §2.2

/** Adds a check to `access` that responds with 403 if the owner does not allow registration by token. */
function requireRegistrationAllowed<Provided extends { readonly caller: SignedInCaller }>(
  access: Access<Provided>,
  toOwner: (context: Provided) => RunnerOwner,
): Access<Provided> {
  return access.require(async ({ db }, context) => {
    if (!(await allowsRegistrationTokens(db, toOwner(context)))) throw forbidden();
  });
}

async function resetOwnerToken(
  owner: RunnerOwner,
  caller: SignedInCaller,
  { runUnitOfWork, secretKey }: Pick<Services, 'runUnitOfWork' | 'secretKey'>,
) {
  const encryptionKey = await secretKey();
  const lock = buildRegistrationTokenLockKey(owner);
  return { token: await runUnitOfWork(caller, (uow) => resetRegistrationToken(uow, encryptionKey, owner), { lock }) };
}

export const resetInstanceRegistrationToken = endpoint({
  post: '/runners/reset_registration_token',
  summary: 'Reset the registration token of the instance',
  access: requireRegistrationAllowed(administratorAfterParameters(), () => ({ type: 'instance' })),
  response: created(RegistrationToken),
  handle: ({ caller }, services) => resetOwnerToken({ type: 'instance' }, caller, services),
});

export const [resetGroupRegistrationToken, resetProjectRegistrationToken] = forGroupAndProject((parent) =>
  endpoint({
    post: `${parent.path}/runners/reset_registration_token`,
    summary: `Reset the registration token of a ${parent.type}`,
    access: requireRegistrationAllowed(
      parent.accessWith({ group: 'admin_runner', project: 'admin_runner' }),
      ({ parent }) => parent,
    ),
    response: created(RegistrationToken),
    handle: ({ parent, caller }, services) => resetOwnerToken(parent, caller, services),
  }),
);

export const resetRunnerAuthenticationToken = endpoint({
  post: '/runners/:id/reset_authentication_token',
  summary: 'Reset the authentication token of a runner',
  access: runnerAccess(mayUpdateRunner, 'update'),
  scopes: ['manage_runner'],
  response: created(RunnerToken),
  write: (uow, { runner }) => resetRunnerToken(uow, runner),
});
