import type { Caller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import type { Tier } from '#config.ts';
import type { Reader } from '#database/database.ts';
import { type EnvironmentRow, findEnvironment } from '#domain/environments.ts';
import { DEVELOPER } from '#domain/members/roles.ts';
import { getProjectRole, type Project } from '#domain/namespaces/projects.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { rawEntity } from '#http/endpoint/entity.ts';
import { created, Message, noContent, ok, page } from '#http/endpoint/responses.ts';
import { FORBIDDEN, INVALID, NOT_FOUND } from '#http/errors/error-messages.ts';
import { forbidden, genericNotFound, HttpError } from '#http/errors/http-error.ts';
import { mutuallyExclusive, optional, type ParameterRule, required } from '#http/parameters/declarations.ts';
import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { domainValidatedText, searchExpression, shortText, string } from '#http/parameters/texts.ts';
import { absentIfBlank, anyValue, boolean, dateTime, integer, integerIn, oneOf } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { ENVIRONMENT_TIERS, environmentLockKeys } from '../environment-model/index.ts';
import { mayDeleteEnvironment, mayStopEnvironment } from './access.ts';
import {
  createEnvironment as create,
  deleteEnvironment as remove,
  stopEnvironment as stop,
  updateEnvironment as update,
} from './changes.ts';
import { requestStaleStop, scheduleReviewAppDeletion } from './cleanup.ts';
import {
  Environment,
  EnvironmentAlone,
  EnvironmentInList,
  ScheduledReviewApps,
  StoppedEnvironment,
} from './entities.ts';
import { listEnvironments as list } from './store.ts';

type ProjectContext = { readonly project: Project };

/** Loads the environment of the path. */
const environmentResource = {
  name: 'environment',
  params: { environment_id: required(integer) },
  load: ({ db, params }: AccessCall<{ readonly environment_id: number }>, { project }: ProjectContext) =>
    findEnvironment(db, project.id, params.environment_id),
  notFound: genericNotFound,
} as const;

type EnvironmentCheck = (
  db: Reader,
  tier: Tier,
  caller: Caller,
  project: Project,
  environment: EnvironmentRow,
) => Promise<boolean> | boolean;

/** Loads the environment in the path. Callers who do not pass the check get 403. */
function environmentResourceFor(check: EnvironmentCheck) {
  return {
    ...environmentResource,
    async authorize(
      { db, services, caller }: AccessCall,
      { project, environment }: ProjectContext & { readonly environment: EnvironmentRow },
    ) {
      if (!(await check(db, services.config.tier, caller, project, environment))) throw forbidden();
    },
  } as const;
}

/** The caller must have the right to stop the environment. */
const stoppableEnvironment = environmentResourceFor(mayStopEnvironment);

/** The environment must be stopped, and the caller must have the right to delete it. */
const deletableEnvironment = environmentResourceFor(
  async (db, tier, caller, project, environment) =>
    environment.state === 'stopped' && (await mayDeleteEnvironment(db, tier, caller, project, environment)),
);

const NOT_PERMITTED = {
  message: {
    scheduled_entries: [],
    unprocessable_entries: [],
    message: 'You do not have permission to destroy environments in this project',
  },
};

/** Admits callers who may delete environments. Others get the 401 that clients expect; in an archived project Developers get 403. */
function deleteReviewAppsAccess() {
  return inProject('read_environment')
    .require(({ caller }, { project }) => {
      if (mayInProject(caller, 'destroy_environment', project)) return;
      throw project.archived && getProjectRole(caller, project) >= DEVELOPER
        ? forbidden()
        : new HttpError(401, NOT_PERMITTED);
    })
    .withLabel('project:destroy_environment (401)')
    .withErrors({ notPermitted: [401, NOT_PERMITTED] });
}

/** Parameters for creating and updating an environment. */
const environmentParams = {
  external_url: optional(domainValidatedText(255)),
  tier: optional(oneOf(...ENVIRONMENT_TIERS)),
  description: optional(domainValidatedText(10_000)),
  auto_stop_setting: optional(oneOf('always', 'with_action')),
  slug: optional(anyValue),
  cluster_agent_id: optional(integer),
  kubernetes_namespace: optional(string),
  flux_resource_path: optional(string),
};

/** Rejects `slug`, which is derived from the name. */
const rejectSlugRule: ParameterRule = (rawParams, problems) => {
  if (rawParams.slug !== undefined) problems.add('slug is automatically generated and cannot be changed');
};

/** Filters of a list. */
const listEnvironmentParams = {
  name: optional(absentIfBlank(shortText)),
  search: optional(absentIfBlank(searchExpression)),
  states: optional(absentIfBlank(oneOf('available', 'stopping', 'stopped'))),
};

const nameOrSearchRule = mutuallyExclusive('name', 'search', { text: 'name, search cannot be used together' });

const DAY_MONTH_YEAR = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/;

/** Accepts `dateTime` values and days such as `31/12/2025`. */
const flexibleDateTime: ParameterType<string> = {
  ...dateTime,
  read(raw, name, problems) {
    const parts = typeof raw === 'string' && raw.length <= 20 ? DAY_MONTH_YEAR.exec(raw.trim()) : null;
    if (parts === null) return dateTime.read(raw, name, problems);
    const [, day = '', month = '', year = ''] = parts;
    return dateTime.read(`${year}-${month}-${day}`, name, problems);
  },
};

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
