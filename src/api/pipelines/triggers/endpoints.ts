import { isAdministrator } from '#authentication/caller.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { NOT_FOUND } from '#http/errors/error-messages.ts';
import { forbidden, genericNotFound } from '#http/errors/http-error.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { longText } from '#http/parameters/texts.ts';
import { dateTime, integer } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { createTrigger as createTriggerForUser, triggersLockKey } from './changes.ts';
import { Trigger } from './entities.ts';
import {
  deleteTrigger as deleteStoredTrigger,
  findTrigger,
  generateEncryptedToken,
  listTriggers as listTriggersOfProject,
  updateTriggerDescription,
} from './store.ts';

// Pipeline trigger tokens (contract/runners.md §4.6).

const triggerResource = {
  name: 'trigger',
  params: { trigger_id: describe(required(integer), 'ID of the trigger token.') },
  load: ({ db, params }: AccessCall<{ readonly trigger_id: number }>, { project }: { readonly project: Project }) =>
    findTrigger(db, project.id, params.trigger_id),
  notFound: genericNotFound,
} as const;

const triggerAccess = () => inProject('admin_trigger').resource(triggerResource);

export const listTriggers = endpoint({
  get: '/projects/:id/triggers',
  summary: 'List the pipeline trigger tokens of a project',
  description:
    'Returns the tokens oldest first. `token` is complete only for its owner and administrators; others get its first characters.',
  access: inProject('admin_trigger'),
  response: page(Trigger),
  read: (db, { project, page }) => listTriggersOfProject(db, project.id, page),
});

export const createTrigger = endpoint({
  post: '/projects/:id/triggers',
  summary: 'Create a pipeline trigger token',
  description:
    'Whoever knows the token can start pipelines, as the user who created it. The owner can read the token again later. A project has at most 25000 tokens.',
  access: inProject('admin_trigger'),
  params: {
    description: required(longText),
    expires_at: describe(optional(dateTime), 'At most 365 days from now; absent: the token never expires.'),
  },
  errors: { invalid: [400, '400 Bad request - {errors}'] },
  response: created(Trigger),
  async handle({ project, caller, params }, { runUnitOfWork, secretKey }) {
    const encryptedToken = generateEncryptedToken(await secretKey());
    return runUnitOfWork(caller, (uow) => createTriggerForUser(uow, project, params, encryptedToken), {
      lock: triggersLockKey(project),
    });
  },
});

export const getTrigger = endpoint({
  get: '/projects/:id/triggers/:trigger_id',
  summary: 'Get a pipeline trigger token',
  description: '`token` is complete only for its owner and administrators; others get its first characters.',
  access: triggerAccess(),
  response: ok(Trigger),
  read: (_db, { trigger }) => trigger,
});

const NOT_OWNER = 'The current user is not authorized to update the pipeline trigger token';

export const updateTrigger = endpoint({
  put: '/projects/:id/triggers/:trigger_id',
  summary: 'Update a pipeline trigger token',
  description: 'Changes the description. Only the owner of the token and administrators may do this.',
  access: triggerAccess()
    .require(({ caller }, { trigger }) => {
      if (trigger.owner_id !== caller.user?.id && !isAdministrator(caller)) throw forbidden(NOT_OWNER);
    })
    .withLabel('project:admin_trigger + its owner'),
  params: { description: optional(longText) },
  errors: { notFound: NOT_FOUND },
  response: ok(Trigger),
  write: async (uow, { trigger, params }) =>
    params.description == null
      ? trigger
      : ((await updateTriggerDescription(uow, trigger.id, params.description)) ?? fail('notFound')),
});

export const deleteTrigger = endpoint({
  delete: '/projects/:id/triggers/:trigger_id',
  summary: 'Delete a pipeline trigger token',
  description: 'The token can no longer start pipelines. Its pipelines stay.',
  access: triggerAccess(),
  lastModified: ({ trigger }) => trigger.updated_at,
  response: noContent,
  write: (uow, { trigger }) => deleteStoredTrigger(uow, trigger.id),
});

export * from './trigger-endpoints.ts';
