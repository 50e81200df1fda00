import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { INVALID, NOT_FOUND } from '#http/errors/error-messages.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { description, expression, ruledText } from '#http/parameters/texts.ts';
import { boolean, commaArray, date, dateTime, integer, oneOf } from '#http/parameters/types.ts';
import {
  iterationsAreThere,
  iterationsTurn,
  managingIterations,
  readingIterations,
} from '../iteration-cadences/index.ts';
import { iterationInReach, ownIteration, readingProjectIterations } from './access.ts';
import { createIteration as create } from './create.ts';
import { deleteIteration as remove } from './delete.ts';
import { Iteration } from './entities.ts';
import { ITERATION_STATES, listIterations } from './store.ts';
import { changeIteration } from './update.ts';
import { TITLE_TAKEN } from './validation.ts';

const listing = {
  state: optional(oneOf(...ITERATION_STATES), 'all'),
  search: optional(expression),
  in: optional(commaArray(oneOf('title', 'cadence_title'))),
  include_ancestors: optional(boolean, true),
  include_descendants: optional(boolean, false),
  updated_before: optional(dateTime),
  updated_after: optional(dateTime),
};

/** contract/planning.md §2.4 */
export const listProjectIterations = endpoint({
  get: '/projects/:id/iterations',
  summary: 'List the iterations of the groups that a project is in',
  access: readingProjectIterations(),
  params: listing,
  response: page(Iteration),
  async read(db, { project, caller, params, page }) {
    await iterationsAreThere(db, project.namespace_id);
    return listIterations(db, caller, project.namespace_id, params, page);
  },
});

export const listGroupIterations = endpoint({
  get: '/groups/:id/iterations',
  summary: 'List the iterations of a group and of those above it',
  access: readingIterations(),
  params: listing,
  response: page(Iteration),
  async read(db, { group, caller, params, page }) {
    await iterationsAreThere(db, group.id);
    return listIterations(db, caller, group.id, params, page);
  },
});

// contract/planning.md §3.10, an extension.

export const readIteration = endpoint({
  get: '/groups/:id/iterations/:iteration_id',
  summary: 'Read an iteration of a group or of one above it',
  access: readingIterations().resource(iterationInReach),
  response: ok(Iteration),
  read: (_db, { iteration }) => iteration,
});

const AUTOMATIC = 'Iterations cannot be manually added to cadences that use automatic scheduling';
const ONLY_DESCRIPTION = 'Only the description of an automatically scheduled iteration can be changed';

export const createIteration = endpoint({
  post: '/groups/:id/iterations',
  summary: 'Create an iteration',
  access: managingIterations(),
  params: {
    start_date: required(date),
    due_date: required(date),
    title: optional(ruledText(255)),
    description: optional(description),
    iterations_cadence_id: optional(integer),
  },
  lock: ({ group }) => iterationsTurn(group),
  errors: { notFound: NOT_FOUND, automatic: [400, AUTOMATIC], invalid: INVALID },
  uniqueErrors: { iterations_by_title: TITLE_TAKEN },
  response: created(Iteration),
  write: (uow, { group, params: { start_date, due_date, title = null, ...params } }) =>
    create(uow, group, {
      start_date,
      due_date,
      title,
      description: params.description ?? null,
      cadenceId: params.iterations_cadence_id ?? null,
    }),
});

export const updateIteration = endpoint({
  put: '/groups/:id/iterations/:iteration_id',
  summary: 'Change an iteration',
  access: managingIterations().resource(ownIteration),
  params: {
    title: optional(ruledText(255)),
    description: optional(description),
    start_date: optional(date),
    due_date: optional(date),
  },
  lock: ({ group }) => iterationsTurn(group),
  errors: { notFound: NOT_FOUND, automatic: [400, ONLY_DESCRIPTION], invalid: INVALID },
  uniqueErrors: { iterations_by_title: TITLE_TAKEN },
  response: ok(Iteration),
  write: (uow, { iteration, params }) => changeIteration(uow, iteration, params),
});

export const deleteIteration = endpoint({
  delete: '/groups/:id/iterations/:iteration_id',
  summary: 'Delete an iteration',
  access: managingIterations().resource(ownIteration),
  errors: {
    notFound: NOT_FOUND,
    inBetween: [
      422,
      { message: ["upcoming/current iterations can't be deleted unless they are the last one in the cadence"] },
    ],
  },
  response: noContent,
  handle: ({ iteration, caller }, { runUnitOfWork }) => remove(runUnitOfWork, caller, iteration),
});
