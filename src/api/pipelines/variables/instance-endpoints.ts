import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { managingInstance, managingOneOfInstance } from './access.ts';
import { createVariable } from './create.ts';
import { removeVariable } from './delete.ts';
import { CiInstanceVariable } from './entities.ts';
import { gone, REFUSED } from './errors.ts';
import { CHANGED, NEW } from './parameters.ts';
import { listVariables } from './store.ts';
import { changeVariable } from './update.ts';

/** What the instance gives to all jobs (contract/runners.md §4.5): to whatever environment, and shown to administrators. */

const TAKEN = { ci_variables_of_instance: 'taken' } as const;

export const listInstanceVariables = endpoint({
  get: '/admin/ci/variables',
  summary: 'List the variables that all jobs are given',
  access: managingInstance(),
  response: page(CiInstanceVariable),
  read: (db, { owner, page }) => listVariables(db, owner, page),
});

export const readInstanceVariable = endpoint({
  get: '/admin/ci/variables/:key',
  summary: 'Read a variable that all jobs are given',
  access: managingOneOfInstance(),
  response: ok(CiInstanceVariable),
  read: (_db, { variable }) => variable,
});

export const createInstanceVariable = endpoint({
  post: '/admin/ci/variables',
  summary: 'Give a variable to all jobs',
  access: managingInstance(),
  params: NEW,
  errors: REFUSED,
  uniqueErrors: TAKEN,
  activity: ['ci_instance_variable_created'],
  response: created(CiInstanceVariable),
  handle: ({ owner, caller, params }, services) =>
    createVariable(services, caller, owner, { ...params, hidden: false, environment_scope: '*' }),
});

export const updateInstanceVariable = endpoint({
  put: '/admin/ci/variables/:key',
  summary: 'Change a variable that all jobs are given',
  access: managingOneOfInstance(),
  params: CHANGED,
  errors: { ...REFUSED, gone: gone('instance') },
  uniqueErrors: TAKEN,
  activity: ['ci_instance_variable_updated'],
  response: ok(CiInstanceVariable),
  handle: ({ owner, caller, variable, params }, services) => changeVariable(services, caller, owner, variable, params),
});

export const deleteInstanceVariable = endpoint({
  delete: '/admin/ci/variables/:key',
  summary: 'Give a variable to all jobs no more',
  access: managingOneOfInstance(),
  errors: { gone: gone('instance') },
  activity: ['ci_instance_variable_deleted'],
  response: noContent,
  write: (uow, { owner, variable }) => removeVariable(uow, owner, variable),
});
