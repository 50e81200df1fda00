import { Type } from 'typebox';
import { ancestorsAndSelf, selfOnly } from '#domain/namespaces/scope.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { created, date as dateSchema, dateTime, noContent, nullable, ok, page } from '#http/endpoint/responses.ts';
import { INVALID, NOT_FOUND } from '#http/errors/error-messages.ts';
import { atLeastOne, optional, required } from '#http/parameters/declarations.ts';
import { domainValidatedText, searchExpression } from '#http/parameters/texts.ts';
import { boolean, date, integer } from '#http/parameters/types.ts';
import { cadenceInScope, manageIterationsAccess, ownCadence, readIterationsAccess } from './access.ts';
import { createCadence, deleteCadence, updateCadence } from './changes.ts';
import { iterationsLockKey } from './iteration-rows.ts';
import { assertIterationsScheduled } from './schedule.ts';
import { type CadenceRow, listCadences } from './store.ts';

/** An iteration cadence (contract/planning.md §1 "Cadence"). */
const Cadence = entity('IterationCadence', {
  id: Type.Integer(),
  group_id: Type.Integer(),
  title: Type.String(),
  description: nullable(Type.String()),
  active: Type.Boolean(),
  automatic: Type.Boolean(),
  start_date: nullable(dateSchema),
  duration_in_weeks: nullable(Type.Integer()),
  iterations_in_advance: nullable(Type.Integer()),
  roll_over: Type.Boolean(),
  /** The day on which the next iteration is created. */
  next_run_date: nullable(dateSchema),
  created_at: dateTime,
  updated_at: dateTime,
}).from(({ rolled_over_until: _rolled, ...cadence }: CadenceRow) => cadence);

// contract/planning.md §3.10, an extension.

/** Maximum lengths in characters. */
const MAX_TITLE_LENGTH = 255;
const MAX_DESCRIPTION_LENGTH = 5000;

const attributes = {
  description: optional(domainValidatedText(MAX_DESCRIPTION_LENGTH)),
  active: optional(boolean),
  automatic: optional(boolean),
  start_date: optional(date),
  duration_in_weeks: optional(integer),
  iterations_in_advance: optional(integer),
  roll_over: optional(boolean),
};

export const listIterationCadences = endpoint({
  get: '/groups/:id/iteration_cadences',
  summary: 'List iteration cadences of a group',
  access: readIterationsAccess(),
  params: {
    search: optional(searchExpression),
    include_ancestors: optional(boolean, true),
    active: optional(boolean),
    automatic: optional(boolean),
    duration_in_weeks: optional(integer),
  },
  response: page(Cadence),
  async read(db, { group, params, page }) {
    await assertIterationsScheduled(db, group.id);
    const scope = params.include_ancestors ? await ancestorsAndSelf(db, { group }) : selfOnly({ group });
    return listCadences(db, scope.groupIds, params, page);
  },
});

export const getIterationCadence = endpoint({
  get: '/groups/:id/iteration_cadences/:cadence_id',
  summary: 'Get an iteration cadence',
  access: readIterationsAccess().resource(cadenceInScope),
  response: ok(Cadence),
  async read(db, { group, cadence }) {
    await assertIterationsScheduled(db, group.id);
    return cadence;
  },
});

export const createIterationCadence = endpoint({
  post: '/groups/:id/iteration_cadences',
  summary: 'Create an iteration cadence',
  access: manageIterationsAccess(),
  params: { title: required(domainValidatedText(MAX_TITLE_LENGTH)), ...attributes },
  lock: ({ group }) => iterationsLockKey(group),
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
  summary: 'Update an iteration cadence',
  access: manageIterationsAccess().resource(ownCadence),
  params: { title: optional(domainValidatedText(MAX_TITLE_LENGTH)), ...attributes },
  rules: [atLeastOne('title', ...Object.keys(attributes))],
  lock: ({ group }) => iterationsLockKey(group),
  errors: { invalid: INVALID, notFound: NOT_FOUND },
  response: ok(Cadence),
  write: (uow, { cadence, params }) => updateCadence(uow, cadence, params),
});

export const deleteIterationCadence = endpoint({
  delete: '/groups/:id/iteration_cadences/:cadence_id',
  summary: 'Delete an iteration cadence and its iterations',
  access: manageIterationsAccess().resource(ownCadence),
  errors: { notFound: NOT_FOUND },
  response: noContent,
  handle: ({ cadence, caller }, { runUnitOfWork }) => deleteCadence(runUnitOfWork, caller, cadence),
});
