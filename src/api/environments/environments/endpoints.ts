import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { rawEntity } from '#http/endpoint/entity.ts';
import { created, Message, noContent, ok, page } from '#http/endpoint/responses.ts';
import { FORBIDDEN, INVALID, NOT_FOUND } from '#http/errors/error-messages.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { domainValidatedText } from '#http/parameters/texts.ts';
import { boolean, dateTime, integerIn } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { environmentLockKeys } from '../environment-model/index.ts';
import { deletableEnvironment, deleteReviewAppsAccess, environmentResource, stoppableEnvironment } from './access.ts';
import { createEnvironment as create } from './create.ts';
import { deleteEnvironment as remove } from './delete.ts';
import {
  Environment,
  EnvironmentAlone,
  EnvironmentInList,
  ScheduledReviewApps,
  StoppedEnvironment,
} from './entities.ts';
import {
  environmentParams,
  flexibleDateTime,
  listEnvironmentParams,
  nameOrSearchRule,
  rejectSlugRule,
} from './parameters.ts';
import { scheduleReviewAppDeletion } from './stopping/review-apps.ts';
import { stopEnvironment as stop } from './stopping/stop.ts';
import { requestStaleStop } from './stopping/stop-stale.ts';
import { listEnvironments as list } from './store.ts';
import { updateEnvironment as update } from './update.ts';

// Environments of a project (contract/environments.md Part 1).

const NO_AGENT = [
  400,
  "400 Bad request - cluster agent doesn't exist or cannot be associated with this environment",
] as const;

/** In characters. */
const MIN_SEARCH_LENGTH = 3;

export const listEnvironments = endpoint({
  get: '/projects/:id/environments',
  summary: 'List environments of a project',
  access: inProject('read_environment'),
  allowJobToken: true,
  params: listEnvironmentParams,
  rules: [nameOrSearchRule],
  errors: { searchTooShort: [400, '400 Bad request - Search query is less than 3 characters'] },
  response: page(EnvironmentInList),
  read: (db, { project, params, page }) =>
    params.search != null && [...params.search].length < MIN_SEARCH_LENGTH
      ? fail('searchTooShort')
      : list(db, project.id, params, page),
});

export const getEnvironment = endpoint({
  get: '/projects/:id/environments/:environment_id',
  summary: 'Get an environment',
  access: inProject('read_environment').resource(environmentResource),
  allowJobToken: true,
  response: ok(EnvironmentAlone),
  read: (_db, { environment }) => environment,
});

export const createEnvironment = endpoint({
  post: '/projects/:id/environments',
  summary: 'Create an environment',
  access: inProject('create_environment'),
  allowJobToken: true,
  params: { name: required(domainValidatedText(255)), ...environmentParams },
  rules: [rejectSlugRule],
  errors: { agentUnsupported: NO_AGENT, fieldsInvalid: [400, { message: '{texts}' }] },
  response: created(Environment),
  write: (uow, { project, params }) => create(uow, project, params),
});

export const updateEnvironment = endpoint({
  put: '/projects/:id/environments/:environment_id',
  summary: 'Update an environment',
  access: inProject('update_environment').resource(environmentResource),
  allowJobToken: true,
  params: environmentParams,
  rules: [rejectSlugRule],
  errors: { agentUnsupported: NO_AGENT, invalid: INVALID, notFound: NOT_FOUND },
  response: ok(Environment),
  write: (uow, { environment, params }) => update(uow, environment, params),
});

export const deleteReviewApps = endpoint({
  delete: '/projects/:id/environments/review_apps',
  summary: 'Schedule deletion of stopped review apps',
  access: deleteReviewAppsAccess(),
  allowJobToken: true,
  params: {
    before: optional(dateTime),
    limit: optional(integerIn({ min: 1, max: 1000 }), 100),
    dry_run: optional(boolean, true),
  },
  lock: ({ project }) => `review apps ${project.id}`,
  errors: {
    nothingToDelete: [
      400,
      {
        message: {
          scheduled_entries: [],
          unprocessable_entries: '{unprocessable}',
          message:
            'No environments found for scheduled deletion. Either your query did not match any environments (default parameters match environments that are 30 days or older), or you have insufficient permissions to delete matching environments.',
        },
      },
    ],
  },
  response: ok(ScheduledReviewApps),
  write: (uow, { project, params }) => scheduleReviewAppDeletion(uow, project, params),
});

export const deleteEnvironment = endpoint({
  delete: '/projects/:id/environments/:environment_id',
  summary: 'Delete a stopped environment',
  access: inProject('read_environment').resource(deletableEnvironment),
  allowJobToken: true,
  lastModified: ({ environment }) => environment.updated_at,
  errors: { notStopped: FORBIDDEN, notFound: NOT_FOUND },
  response: noContent,
  handle: ({ environment, caller }, { runUnitOfWork }) => remove(runUnitOfWork, caller, environment),
});

export const stopStaleEnvironments = endpoint({
  post: '/projects/:id/environments/stop_stale',
  summary: 'Stop stale environments',
  access: inProject('stop_stale_environments'),
  allowJobToken: true,
  params: { before: required(flexibleDateTime) },
  errors: { invalidDate: [400, '400 Bad request - Invalid Date'] },
  response: ok(rawEntity(Message)),
  write: (uow, { project, params }) => requestStaleStop(uow, project.id, params.before),
});

export const stopEnvironment = endpoint({
  post: '/projects/:id/environments/:environment_id/stop',
  summary: 'Stop an environment',
  access: inProject('read_environment').resource(stoppableEnvironment),
  allowJobToken: true,
  params: { force: optional(boolean, false) },
  lock: ({ environment }) => environmentLockKeys(environment.project_id, environment.id),
  errors: {
    hasNoStopAction: [400, '400 Bad request - Attempted to stop the environment but failed to change the status'],
    forbidden: FORBIDDEN,
    notFound: NOT_FOUND,
  },
  response: ok(StoppedEnvironment),
  write: (uow, { environment, params }) => stop(uow, environment, params),
});
