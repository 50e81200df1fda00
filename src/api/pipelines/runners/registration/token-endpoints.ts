import type { SignedInCaller } from '#authentication/caller.ts';
import { mayUpdateRunner } from '#authorization/runners.ts';
import {
  allowsRegistrationTokens,
  type Registrar,
  renewRegistrationToken,
  turnOfRegistrationToken,
} from '#domain/runners/registration-tokens.ts';
import { type Access, administratorLate } from '#http/access/access.ts';
import { forBoth } from '#http/access/parents.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created } from '#http/endpoint/responses.ts';
import { forbidden } from '#http/errors/http-error.ts';
import type { Services } from '#http/services.ts';
import { inRunner } from '../access.ts';
import { RegistrationToken, RunnerToken } from '../entities.ts';
import { resetRunnerToken } from './tokens.ts';

// contract/runners.md §2.2

/** Nobody gets a registration token where nobody may register by one. */
function whereAllowed<Provided extends { readonly caller: SignedInCaller }>(
  access: Access<Provided>,
  of: (provided: Provided) => Registrar,
): Access<Provided> {
  return access.require(async ({ db }, provided) => {
    if (!(await allowsRegistrationTokens(db, of(provided)))) throw forbidden();
  });
}

async function renew(
  of: Registrar,
  caller: SignedInCaller,
  { runUnitOfWork, secretKey }: Pick<Services, 'runUnitOfWork' | 'secretKey'>,
) {
  const key = await secretKey();
  const turn = turnOfRegistrationToken(of);
  return { token: await runUnitOfWork(caller, (uow) => renewRegistrationToken(uow, key, of), { turn }) };
}

export const resetInstanceRegistrationToken = endpoint({
  post: '/runners/reset_registration_token',
  summary: 'Replace the registration token of the instance',
  access: whereAllowed(administratorLate(), () => ({ type: 'instance' })),
  response: created(RegistrationToken),
  handle: ({ caller }, services) => renew({ type: 'instance' }, caller, services),
});

export const [resetGroupRegistrationToken, resetProjectRegistrationToken] = forBoth((parent) =>
  endpoint({
    post: `${parent.path}/runners/reset_registration_token`,
    summary: `Replace the registration token of a ${parent.type}`,
    access: whereAllowed(parent.may({ group: 'admin_runner', project: 'admin_runner' }), ({ parent }) => parent),
    response: created(RegistrationToken),
    handle: ({ parent, caller }, services) => renew(parent, caller, services),
  }),
);

export const resetRunnerAuthenticationToken = endpoint({
  post: '/runners/:id/reset_authentication_token',
  summary: 'Replace the token of a runner',
  access: inRunner(mayUpdateRunner, 'update'),
  scopes: ['manage_runner'],
  response: created(RunnerToken),
  write: (uow, { runner }) => resetRunnerToken(uow, runner),
});
