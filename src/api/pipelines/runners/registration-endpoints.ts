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
import { rawEntity } from '#http/endpoint/entity.ts';
import { created, Message, noContent, ok } from '#http/endpoint/responses.ts';
import { INVALID } from '#http/errors/error-messages.ts';
import { forbidden } from '#http/errors/http-error.ts';
import { describe, mutuallyExclusive, optional, required } from '#http/parameters/declarations.ts';
import { limitedText } from '#http/parameters/texts.ts';
import { boolean } from '#http/parameters/types.ts';
import type { Services } from '#http/services.ts';
import { fail } from '#runtime/failure.ts';
import { registrationTokenAccess, runnerAccess, runnerTokenAccess, runnerTokenHeaderAccess } from './access.ts';
import {
  deleteRunner as deleteRunnerAndRecord,
  registerRunner as registerRunnerForOwner,
  resetRunnerToken,
} from './changes.ts';
import { RegistrationToken, RunnerToken, RunnerWithToken } from './entities.ts';
import { deleteManager, MAX_SYSTEM_ID_LENGTH, machineParams, recordContact, registrationInfo } from './managers.ts';
import { contentParams } from './validation.ts';

// Endpoints that runners call. API credentials in the request are ignored.

/** contract/runners.md §1.8 */
export const registerRunner = endpoint({
  post: '/runners',
  summary: 'Register a runner with a registration token',
  description:
    'The registration token decides whether the runner belongs to the instance, a group or a project. Returns the authentication token of the runner, which cannot be read later. Answers 410 if registration with tokens is switched off.',
  access: registrationTokenAccess(),
  stageOrder: 'clientToken',
  params: {
    ...contentParams,
    info: optional(registrationInfo),
    active: describe(optional(boolean), 'Deprecated: the opposite of `paused`.'),
    maintainer_note: describe(contentParams.maintenance_note, 'Deprecated: use `maintenance_note`.'),
  },
  rules: [mutuallyExclusive('maintainer_note', 'maintenance_note'), mutuallyExclusive('active', 'paused')],
  errors: { invalid: INVALID },
  activity: ['ci_runner_registered'],
  response: created(RunnerWithToken),
  write: (uow, { runnerOwner, params: { active, maintainer_note, ...params } }) =>
    registerRunnerForOwner(uow, runnerOwner, {
      ...params,
      paused: params.paused ?? (active == null ? null : !active),
      maintenance_note: params.maintenance_note ?? maintainer_note,
      name: params.info?.name,
    }),
});

/** contract/runners.md §3.1 */
export const verifyRunner = endpoint({
  post: '/runners/verify',
  summary: 'Verify a runner authentication token',
  description:
    'Answers 403 if the token is unknown or expired. Records the contact of the machine `system_id`, and creates its manager at the first contact.',
  access: runnerTokenAccess(),
  stageOrder: 'clientToken',
  params: machineParams,
  response: ok(RunnerWithToken),
  async write(uow, { caller, runner, params: { token, system_id, info } }) {
    await recordContact(uow, runner, { systemId: system_id, address: caller.address, info });
    return { ...runner, token };
  },
});

/** contract/runners.md §2.2 */
export const resetOwnAuthenticationToken = endpoint({
  post: '/runners/reset_authentication_token',
  summary: 'Reset the token of the calling runner',
  description: 'Returns the new token; the former one is rejected from then on.',
  access: runnerTokenAccess(),
  stageOrder: 'clientToken',
  response: created(RunnerToken),
  write: (uow, { runner }) => resetRunnerToken(uow, runner),
});

/** contract/runners.md §3.2 */
export const unregisterRunner = endpoint({
  delete: '/runners',
  summary: 'Delete the calling runner',
  description: 'Deletes the runner that the token authenticates, with its managers. Its running jobs continue.',
  access: runnerTokenAccess(),
  stageOrder: 'clientToken',
  lastModified: ({ runner }) => runner.updated_at,
  activity: ['ci_runner_unregistered'],
  response: noContent,
  write: (uow, { runner }) => deleteRunnerAndRecord(uow, runner),
});

/** contract/runners.md §3.2 */
export const unregisterManager = endpoint({
  delete: '/runners/managers',
  summary: 'Delete a manager of the calling runner',
  description: 'Deletes the machine `system_id`; the runner stays.',
  access: runnerTokenAccess(),
  stageOrder: 'clientToken',
  params: { system_id: required(limitedText(MAX_SYSTEM_ID_LENGTH)) },
  errors: { notFound: [404, '404 Runner manager not found Not Found'] },
  response: noContent,
  async write(uow, { runner, params }) {
    if (!(await deleteManager(uow, runner.id, params.system_id))) return fail('notFound');
  },
});

/** contract/runners.md §3.8 */
export const discoverRouter = endpoint({
  get: '/runners/router/discovery',
  summary: 'Get the job router address',
  description: 'Always answers 501, because the server has no job router.',
  access: runnerTokenHeaderAccess(),
  stageOrder: 'clientToken',
  response: { ...ok(rawEntity(Message)), status: 501 },
  handle: () => ({ message: 'Job Router is not available. Please contact your administrator.' }),
});

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
  description:
    'Returns the new registration token; the former one is rejected from then on. Registered runners stay. Answers 403 if registration with tokens is switched off.',
  access: requireRegistrationAllowed(administratorAfterParameters(), () => ({ type: 'instance' })),
  response: created(RegistrationToken),
  handle: ({ caller }, services) => resetOwnerToken({ type: 'instance' }, caller, services),
});

export const [resetGroupRegistrationToken, resetProjectRegistrationToken] = forGroupAndProject((parent) =>
  endpoint({
    post: `${parent.path}/runners/reset_registration_token`,
    summary: `Reset the registration token of a ${parent.type}`,
    description:
      'Returns the new registration token; the former one is rejected from then on. Registered runners stay. Answers 403 if registration with tokens is switched off.',
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
  description:
    'Returns the new token; the former one is rejected from then on, so that the runner must be configured with the new one.',
  access: runnerAccess(mayUpdateRunner, 'update'),
  scopes: ['manage_runner'],
  response: created(RunnerToken),
  write: (uow, { runner }) => resetRunnerToken(uow, runner),
});
