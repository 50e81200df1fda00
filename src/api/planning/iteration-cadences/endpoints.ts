import { Type } from 'typebox';
import { ancestorsAndSelf, selfOnly } from '#domain/namespaces/scope.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { created, date as dateSchema, dateTime, noContent, nullable, ok, page } from '#http/endpoint/responses.ts';
import { INVALID, NOT_FOUND } from '#http/errors/error-messages.ts';
import { atLeastOne, describe, optional, required } from '#http/parameters/declarations.ts';
import { domainValidatedText, searchExpression } from '#http/parameters/texts.ts';
import { boolean, date, integer } from '#http/parameters/types.ts';
import { cadenceInScope, manageIterationsAccess, ownCadence, readIterationsAccess } from './access.ts';
import { createCadence, deleteCadence, MAX_DESCRIPTION_LENGTH, MAX_TITLE_LENGTH, updateCadence } from './changes.ts';
import { iterationsLockKey } from './iteration-rows.ts';
import { assertIterationsScheduled } from './schedule.ts';
import { type CadenceRow, listCadences } from './store.ts';

/** An iteration cadence (contract/planning.md §1 "Cadence"). */
const Cadence = entity('IterationCadence', {
  id: Type.Integer(),
  group_id: Type.Integer(),
  title: Type.String(),
  description: nullable(Type.String()),
  active: Type.Boolean({ description: 'Whether iterations are created.' }),
  automatic: Type.Boolean({ description: 'Whether the server creates the iterations.' }),
  start_date: nullable(dateSchema),
  duration_in_weeks: nullable(Type.Integer()),
  iterations_in_advance: nullable(Type.Integer()),
  roll_over: Type.Boolean({ description: 'Whether open issues of a closing iteration move to the current one.' }),
  /** The day on which the next iteration is created. */
  next_run_date: nullable(dateSchema),
  created_at: dateTime,
  updated_at: dateTime,
}).from(({ rolled_over_until: _rolled, ...cadence }: CadenceRow) => cadence);

// Cadences of a group (contract/planning.md §3.10). The endpoints are an extension of the reference's API.

const attributes = {
  description: optional(domainValidatedText(MAX_DESCRIPTION_LENGTH)),
  active: describe(optional(boolean), 'Whether iterations are created; true for a new cadence.'),
  automatic: describe(
    optional(boolean),
    'Whether the server creates the iterations; true for a new cadence. Iterations of others are created by hand.',
  ),
  start_date: describe(optional(date), 'First day of the first iteration; required for automatic cadences.'),
  duration_in_weeks: describe(optional(integer), 'Length of an iteration, 1 to 4; required for automatic cadences.'),
  iterations_in_advance: describe(
    optional(integer),
    'How many upcoming iterations exist at any time, 1 to 10; required for automatic cadences.',
  ),
  roll_over: describe(
    optional(boolean),
    'Whether open issues of a closing iteration move to the current one. Automatic cadences only.',
  ),
};

export const listIterationCadences = endpoint({
  get: '/groups/:id/iteration_cadences',
  summary: 'List iteration cadences of a group',
  description:
    'Lists the cadences of the group and, by default, of its ancestor groups, ordered by title. Requires a tier with iterations.',
  access: readIterationsAccess(),
  params: {
    search: optional(searchExpression),
    include_ancestors: describe(optional(boolean, true), 'Also lists the cadences of the ancestor groups.'),
    active: describe(optional(boolean), 'Lists only active cadences, or only others.'),
    automatic: describe(optional(boolean), 'Lists only automatic cadences, or only manual ones.'),
    duration_in_weeks: describe(optional(integer), 'Lists only cadences with this length of iterations.'),
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
  description: 'Returns a cadence of the group or one of its ancestor groups.',
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
  description:
    'Creates a cadence in the group. If it is automatic, its current and upcoming iterations exist when the response is sent; later ones are created daily. The start date of an automatic cadence must not be so early that its first iteration would be over.',
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
  description:
    'Updates the given attributes; at least one is required. A new start date or duration changes the dates of upcoming iterations only. Missing iterations are created immediately. Cadences of ancestor groups are not found.',
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
  description:
    'Deletes the cadence with all its iterations, and removes these from issues. A failed or interrupted call can be repeated. Cadences of ancestor groups are not found.',
  access: manageIterationsAccess().resource(ownCadence),
  errors: { notFound: NOT_FOUND },
  response: noContent,
  handle: ({ cadence, caller }, { runUnitOfWork }) => deleteCadence(runUnitOfWork, caller, cadence),
});
