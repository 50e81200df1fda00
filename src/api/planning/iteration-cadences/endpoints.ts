import { ownReach, reachOf } from '#domain/namespaces/scope.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { INVALID, NOT_FOUND } from '#http/errors/error-messages.ts';
import { atLeastOne, optional, required } from '#http/parameters/declarations.ts';
import { expression, ruledText } from '#http/parameters/texts.ts';
import { boolean, date, integer } from '#http/parameters/types.ts';
import { cadenceInReach, managingIterations, ownCadence, readingIterations } from './access.ts';
import { createCadence } from './create.ts';
import { deleteCadence } from './delete.ts';
import { Cadence } from './entities.ts';
import { iterationsTurn } from './iteration-rows.ts';
import { iterationsAreThere } from './schedule.ts';
import { listCadences } from './store.ts';
import { changeCadence } from './update.ts';

// contract/planning.md §3.10, an extension.

const attributes = {
  description: optional(ruledText(5000)),
  active: optional(boolean),
  automatic: optional(boolean),
  start_date: optional(date),
  duration_in_weeks: optional(integer),
  iterations_in_advance: optional(integer),
  roll_over: optional(boolean),
};

export const listIterationCadences = endpoint({
  get: '/groups/:id/iteration_cadences',
  summary: 'List a group’s iteration cadences',
  access: readingIterations(),
  params: {
    search: optional(expression),
    include_ancestors: optional(boolean, true),
    active: optional(boolean),
    automatic: optional(boolean),
    duration_in_weeks: optional(integer),
  },
  response: page(Cadence),
  async read(db, { group, params, page }) {
    await iterationsAreThere(db, group.id);
    const reach = params.include_ancestors ? await reachOf(db, { group }) : ownReach({ group });
    return listCadences(db, reach.groupIds, params, page);
  },
});

export const readIterationCadence = endpoint({
  get: '/groups/:id/iteration_cadences/:cadence_id',
  summary: 'Read an iteration cadence',
  access: readingIterations().resource(cadenceInReach),
  response: ok(Cadence),
  async read(db, { group, cadence }) {
    await iterationsAreThere(db, group.id);
    return cadence;
  },
});

export const createIterationCadence = endpoint({
  post: '/groups/:id/iteration_cadences',
  summary: 'Create an iteration cadence, with the iterations of an automatic one',
  access: managingIterations(),
  params: { title: required(ruledText(255)), ...attributes },
  lock: ({ group }) => iterationsTurn(group),
  errors: { invalid: INVALID },
  response: created(Cadence),
  write: (uow, { group, params }) =>
    createCadence(uow, group, {
      title: params.title,
      description: params.description ?? null,
      active: params.active ?? true,
      automatic: params.automatic ?? true,
      start_date: params.start_date ?? null,
      duration_in_weeks: params.duration_in_weeks ?? null,
      iterations_in_advance: params.iterations_in_advance ?? null,
      roll_over: params.roll_over ?? false,
    }),
});

export const updateIterationCadence = endpoint({
  put: '/groups/:id/iteration_cadences/:cadence_id',
  summary: 'Change an iteration cadence',
  access: managingIterations().resource(ownCadence),
  params: { title: optional(ruledText(255)), ...attributes },
  rules: [atLeastOne('title', ...Object.keys(attributes))],
  lock: ({ group }) => iterationsTurn(group),
  errors: { invalid: INVALID, notFound: NOT_FOUND },
  response: ok(Cadence),
  write: (uow, { cadence, params }) => changeCadence(uow, cadence, params),
});

export const deleteIterationCadence = endpoint({
  delete: '/groups/:id/iteration_cadences/:cadence_id',
  summary: 'Delete an iteration cadence with its iterations',
  access: managingIterations().resource(ownCadence),
  errors: { notFound: NOT_FOUND },
  response: noContent,
  handle: ({ cadence, caller }, { runUnitOfWork }) => deleteCadence(runUnitOfWork, caller, cadence),
});
