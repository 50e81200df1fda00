import type { Group } from '#domain/namespaces/groups.ts';
import { ancestorsAndSelf } from '#domain/namespaces/scope.ts';
import { type AccessCall, forbidOnFreeTier } from '#http/access/access.ts';
import { inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { INVALID, NOT_FOUND } from '#http/errors/error-messages.ts';
import { forbidden, genericNotFound } from '#http/errors/http-error.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { domainValidatedText, longText, searchExpression } from '#http/parameters/texts.ts';
import { boolean, commaSeparated, date, dateTime, integer, oneOf } from '#http/parameters/types.ts';
import {
  assertIterationsScheduled,
  iterationsLockKey,
  manageIterationsAccess,
  readIterationsAccess,
} from '../iteration-cadences/index.ts';
import * as changes from './changes.ts';
import { Iteration } from './entities.ts';
import { findIteration, ITERATION_STATES, listIterations } from './store.ts';

// Access to iterations, and the loading of the iteration of a path (contract/planning.md §2.4, §3.10).

/** Access to the iterations of a project; 403 on the free tier, and in a personal namespace, which has none. */
const readProjectIterationsAccess = () =>
  inProjectAllowingAnonymous('read_iteration')
    .require(forbidOnFreeTier)
    .require((_call, { project }) => {
      if (project.namespace_kind === 'user') throw forbidden();
    });

interface GroupContext {
  readonly group: Group;
}

type IterationCall = AccessCall<{ readonly iteration_id: number }>;

const iterationResource = {
  name: 'iteration',
  params: { iteration_id: describe(required(integer), 'Global ID of the iteration, not its `iid`.') },
  notFound: genericNotFound,
} as const;

/** Loads the iteration of the path from the group itself. */
const ownIteration = {
  ...iterationResource,
  load: ({ db, params }: IterationCall, { group }: GroupContext) => findIteration(db, [group.id], params.iteration_id),
} as const;

/** Loads the iteration of the path from the group or an ancestor. */
const iterationInScope = {
  ...iterationResource,
  load: async ({ db, params }: IterationCall, { group }: GroupContext) =>
    findIteration(db, (await ancestorsAndSelf(db, { group })).groupIds, params.iteration_id),
} as const;

const listParams = {
  state: describe(
    optional(oneOf(...ITERATION_STATES), 'all'),
    '`opened` is current or upcoming; `started` is an old name of `current`.',
  ),
  search: describe(optional(searchExpression), 'Text that the fields of `in` must contain, ignoring case.'),
  in: describe(
    optional(commaSeparated(oneOf('title', 'cadence_title'))),
    'Fields that are searched, `title` by default. It is sufficient that one contains the text.',
  ),
  include_ancestors: describe(optional(boolean, true), 'Also lists the iterations of the ancestor groups.'),
  include_descendants: describe(
    optional(boolean, false),
    'Also lists the iterations of the descendant groups that the caller can see.',
  ),
  updated_before: optional(dateTime),
  updated_after: optional(dateTime),
};

export const listProjectIterations = endpoint({
  get: '/projects/:id/iterations',
  summary: "List iterations of a project's ancestor groups",
  description:
    "Lists the iterations of the project's direct group and, by default, of the groups above it. They are ordered by due date, then title. Projects in a personal namespace get 403. Requires a tier with iterations.",
  access: readProjectIterationsAccess(),
  params: listParams,
  response: page(Iteration),
  async read(db, { project, caller, params, page }) {
    await assertIterationsScheduled(db, project.namespace_id);
    return listIterations(db, caller, project.namespace_id, params, page);
  },
});

export const listGroupIterations = endpoint({
  get: '/groups/:id/iterations',
  summary: 'List iterations of a group',
  description:
    'Lists the iterations of the group and, by default, of its ancestor groups, ordered by due date, then title. Requires a tier with iterations.',
  access: readIterationsAccess(),
  params: listParams,
  response: page(Iteration),
  async read(db, { group, caller, params, page }) {
    await assertIterationsScheduled(db, group.id);
    return listIterations(db, caller, group.id, params, page);
  },
});

// Single iterations (contract/planning.md §3.10). These endpoints are an extension of the reference's API.

export const getIteration = endpoint({
  get: '/groups/:id/iterations/:iteration_id',
  summary: 'Get an iteration of a group',
  description: 'Returns an iteration of the group or one of its ancestor groups.',
  access: readIterationsAccess().resource(iterationInScope),
  response: ok(Iteration),
  read: (_db, { iteration }) => iteration,
});

const CADENCE_IS_AUTOMATIC = 'Iterations cannot be manually added to cadences that use automatic scheduling';
const ONLY_DESCRIPTION_CHANGES = 'Only the description of an automatically scheduled iteration can be changed';

export const createIteration = endpoint({
  post: '/groups/:id/iterations',
  summary: 'Create an iteration',
  description:
    'Creates an iteration in a manual cadence of the group. Dates must not overlap with other iterations of the cadence.',
  access: manageIterationsAccess(),
  params: {
    start_date: required(date),
    due_date: describe(required(date), 'Last day; must be later than `start_date`.'),
    title: optional(domainValidatedText(changes.MAX_TITLE_LENGTH)),
    description: optional(longText),
    iterations_cadence_id: describe(
      optional(integer),
      "ID of a manual cadence; by default the group's first one, which is created if there is none.",
    ),
  },
  lock: ({ group }) => iterationsLockKey(group),
  errors: { notFound: NOT_FOUND, cadenceIsAutomatic: [400, CADENCE_IS_AUTOMATIC], invalid: INVALID },
  uniqueErrors: { iterations_by_title: changes.ITERATION_TITLE_TAKEN },
  response: created(Iteration),
  write: (uow, { group, params: { start_date, due_date, title = null, ...params } }) =>
    changes.createIteration(uow, group, {
      start_date,
      due_date,
      title,
      description: params.description ?? null,
      cadenceId: params.iterations_cadence_id ?? null,
    }),
});

export const updateIteration = endpoint({
  put: '/groups/:id/iterations/:iteration_id',
  summary: 'Update an iteration',
  description:
    'Updates the given attributes of an iteration of this very group. Of iterations in an automatic cadence, only the description can be changed.',
  access: manageIterationsAccess().resource(ownIteration),
  params: {
    title: optional(domainValidatedText(changes.MAX_TITLE_LENGTH)),
    description: optional(longText),
    start_date: optional(date),
    due_date: optional(date),
  },
  lock: ({ group }) => iterationsLockKey(group),
  errors: { notFound: NOT_FOUND, cadenceIsAutomatic: [400, ONLY_DESCRIPTION_CHANGES], invalid: INVALID },
  uniqueErrors: { iterations_by_title: changes.ITERATION_TITLE_TAKEN },
  response: ok(Iteration),
  write: (uow, { iteration, params }) => changes.updateIteration(uow, iteration, params),
});

export const deleteIteration = endpoint({
  delete: '/groups/:id/iterations/:iteration_id',
  summary: 'Delete an iteration',
  description:
    'Deletes the iteration and removes it from issues. A current or upcoming iteration can be deleted only if it is the last of its cadence. An automatic cadence creates a replacement immediately.',
  access: manageIterationsAccess().resource(ownIteration),
  errors: {
    notFound: NOT_FOUND,
    notLastOfCadence: [
      422,
      { message: ["upcoming/current iterations can't be deleted unless they are the last one in the cadence"] },
    ],
  },
  response: noContent,
  handle: ({ iteration, caller }, { runUnitOfWork }) => changes.deleteIteration(runUnitOfWork, caller, iteration),
});
