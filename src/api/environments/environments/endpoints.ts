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
import { describe, mutuallyExclusive, optional, type ParameterRule, required } from '#http/parameters/declarations.ts';
import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { domainValidatedText, searchExpression, shortText, string } from '#http/parameters/texts.ts';
import { absentIfBlank, anyValue, boolean, dateTime, integer, integerIn, oneOf } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { ENVIRONMENT_TIERS, environmentLockKeys } from '../environment-model/index.ts';
import { mayDeleteEnvironment, mayStopEnvironment } from './access.ts';
import * as changes from './changes.ts';
import { requestStaleStop, scheduleReviewAppDeletion } from './cleanup.ts';
import {
  Environment,
  EnvironmentDetails,
  EnvironmentInList,
  ReviewAppsScheduledForDeletion,
  StoppedEnvironment,
} from './entities.ts';
import * as store from './store.ts';

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
  tier: describe(optional(oneOf(...ENVIRONMENT_TIERS)), 'Absent or null means a guess by the name.'),
  description: optional(domainValidatedText(10_000)),
  auto_stop_setting: describe(
    optional(oneOf('always', 'with_action')),
    '`with_action` lets only a stop job stop the environment automatically; `always` needs none.',
  ),
  slug: describe(optional(anyValue), 'Rejected, because the slug is derived from the name.'),
  cluster_agent_id: describe(optional(integer), 'Rejected unless null, because cluster agents are not supported.'),
  kubernetes_namespace: describe(optional(string), 'Rejected unless empty, because cluster agents are not supported.'),
  flux_resource_path: describe(optional(string), 'Rejected unless empty, because cluster agents are not supported.'),
};

/** Rejects `slug`, which is derived from the name. */
const rejectSlugRule: ParameterRule = (rawParams, problems) => {
  if (rawParams.slug !== undefined) problems.add('slug is automatically generated and cannot be changed');
};

/** Filters of a list. */
const listEnvironmentParams = {
  name: describe(optional(absentIfBlank(shortText)), 'The exact name; upper and lower case differ.'),
  search: describe(
    optional(absentIfBlank(searchExpression)),
    'The beginning of the name, or of its part after the first folder; at least 3 characters.',
  ),
  states: describe(optional(absentIfBlank(oneOf('available', 'stopping', 'stopped'))), 'A single state.'),
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
  description:
    'Returns the environments ordered by id. `name` is an exact match; `search` matches the beginning of the name, or of the part after its first folder, without regard to case.',
  access: inProject('read_environment'),
  allowJobToken: true,
  params: listEnvironmentParams,
  rules: [nameOrSearchRule],
  errors: { searchTooShort: [400, '400 Bad request - Search query is less than 3 characters'] },
  response: page(EnvironmentInList),
  read: (db, { project, params, page }) =>
    params.search != null && [...params.search].length < MIN_SEARCH_LENGTH
      ? fail('searchTooShort')
      : store.listEnvironments(db, project.id, params, page),
});

export const getEnvironment = endpoint({
  get: '/projects/:id/environments/:environment_id',
  summary: 'Get an environment',
  description:
    'Returns the environment with its last deployment, the successful one that finished last. `last_deployment` is null if no deployment has succeeded.',
  access: inProject('read_environment').resource(environmentResource),
  allowJobToken: true,
  response: ok(EnvironmentDetails),
  read: (_db, { environment }) => environment,
});

export const createEnvironment = endpoint({
  post: '/projects/:id/environments',
  summary: 'Create an environment',
  description:
    'Creates an environment in state `available`. The slug is derived from the name and never changes. Name and slug must be unique in the project. Cluster agents are not supported.',
  access: inProject('create_environment'),
  allowJobToken: true,
  params: {
    name: describe(
      required(domainValidatedText(255)),
      'Letters, digits, spaces and the characters `-`, `_`, `/`, `$`, `{`, `}` and `.`; text before the first `/` is the folder of the environment.',
    ),
    ...environmentParams,
  },
  rules: [rejectSlugRule],
  errors: { agentUnsupported: NO_AGENT, fieldsInvalid: [400, { message: '{texts}' }] },
  response: created(Environment),
  write: (uow, { project, params }) => changes.createEnvironment(uow, project, params),
});

export const updateEnvironment = endpoint({
  put: '/projects/:id/environments/:environment_id',
  summary: 'Update an environment',
  description:
    'Changes the attributes that the request contains; `name` is ignored and `slug` is rejected. An empty `external_url` or `description` is stored as null. Protection of the environment does not restrict updates. A new tier places the environment under the protections of that tier immediately.',
  access: inProject('update_environment').resource(environmentResource),
  allowJobToken: true,
  params: environmentParams,
  rules: [rejectSlugRule],
  errors: { agentUnsupported: NO_AGENT, invalid: INVALID, notFound: NOT_FOUND },
  response: ok(Environment),
  write: (uow, { environment, params }) => changes.updateEnvironment(uow, environment, params),
});

export const deleteReviewApps = endpoint({
  delete: '/projects/:id/environments/review_apps',
  summary: 'Schedule deletion of stopped review apps',
  description:
    'Selects the oldest stopped environments in the folder `review` that are not yet scheduled, and schedules their deletion a week later. If none matches, or the caller may not deploy to one of them, the request fails with 400 and schedules nothing. Callers who may only read environments get 401.',
  access: deleteReviewAppsAccess(),
  allowJobToken: true,
  params: {
    before: describe(optional(dateTime), 'Selects environments created before this time; by default, 30 days ago.'),
    limit: describe(
      optional(integerIn({ min: 1, max: 1000 }), 100),
      'The maximum number of environments that one request selects.',
    ),
    dry_run: describe(
      optional(boolean, true),
      'Whether to return the selected environments without scheduling their deletion.',
    ),
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
  response: ok(ReviewAppsScheduledForDeletion),
  write: (uow, { project, params }) => scheduleReviewAppDeletion(uow, project, params),
});

export const deleteEnvironment = endpoint({
  delete: '/projects/:id/environments/:environment_id',
  summary: 'Delete a stopped environment',
  description:
    'Deletes the environment and its deployments; the jobs that deployed to it remain. An environment that is not stopped cannot be deleted: the response is 403. If the environment is protected, the caller must be allowed to deploy to it.',
  access: inProject('read_environment').resource(deletableEnvironment),
  allowJobToken: true,
  lastModified: ({ environment }) => environment.updated_at,
  errors: { notStopped: FORBIDDEN, notFound: NOT_FOUND },
  response: noContent,
  handle: ({ environment, caller }, { runUnitOfWork }) => changes.deleteEnvironment(runUnitOfWork, caller, environment),
});

export const stopStaleEnvironments = endpoint({
  post: '/projects/:id/environments/stop_stale',
  summary: 'Stop stale environments',
  description:
    'Enqueues a job and answers immediately, whether or not an environment matches. The job stops available environments that were neither updated nor deployed to since `before`. It skips protected environments, and those that only a stop job may stop but that have none.',
  access: inProject('stop_stale_environments'),
  allowJobToken: true,
  params: {
    before: describe(
      required(flexibleDateTime),
      'Stops environments without a change or deployment since this time, between ten years and one week ago; days such as `31/12/2025` are accepted.',
    ),
  },
  errors: { invalidDate: [400, '400 Bad request - Invalid Date'] },
  response: ok(rawEntity(Message)),
  write: (uow, { project, params }) => requestStaleStop(uow, project.id, params.before),
});

export const stopEnvironment = endpoint({
  post: '/projects/:id/environments/:environment_id/stop',
  summary: 'Stop an environment',
  description:
    'Without stop jobs the environment becomes `stopped`. Otherwise it becomes `stopping`, and each stop job runs on behalf of its own user; its success stops the environment. An environment that is already `stopping` or `stopped` is returned unchanged. If the environment is protected, the caller must be allowed to deploy to it.',
  access: inProject('read_environment').resource(stoppableEnvironment),
  allowJobToken: true,
  params: {
    force: describe(optional(boolean, false), 'Whether to stop the environment without running its stop jobs.'),
  },
  lock: ({ environment }) => environmentLockKeys(environment.project_id, environment.id),
  errors: {
    hasNoStopAction: [400, '400 Bad request - Attempted to stop the environment but failed to change the status'],
    forbidden: FORBIDDEN,
    notFound: NOT_FOUND,
  },
  response: ok(StoppedEnvironment),
  write: (uow, { environment, params }) => changes.stopEnvironment(uow, environment, params),
});
