import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, nothing, pageOf, shown } from '#http/endpoint/responses.ts';
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
  answer: pageOf(CiInstanceVariable),
  read: (db, { owner, page }) => listVariables(db, owner, page),
});

export const readInstanceVariable = endpoint({
  get: '/admin/ci/variables/:key',
  summary: 'Read a variable that all jobs are given',
  access: managingOneOfInstance(),
  answer: shown(CiInstanceVariable),
  read: (_db, { variable }) => variable,
});

export const createInstanceVariable = endpoint({
  post: '/admin/ci/variables',
  summary: 'Give a variable to all jobs',
  access: managingInstance(),
  params: NEW,
  refuses: REFUSED,
  taken: TAKEN,
  records: ['ci_instance_variable_created'],
  answer: created(CiInstanceVariable),
  handle: ({ owner, caller, params }, services) =>
    createVariable(services, caller, owner, { ...params, hidden: false, environment_scope: '*' }),
});

export const updateInstanceVariable = endpoint({
  put: '/admin/ci/variables/:key',
  summary: 'Change a variable that all jobs are given',
  access: managingOneOfInstance(),
  params: CHANGED,
  refuses: { ...REFUSED, gone: gone('instance') },
  taken: TAKEN,
  records: ['ci_instance_variable_updated'],
  answer: shown(CiInstanceVariable),
  handle: ({ owner, caller, variable, params }, services) => changeVariable(services, caller, owner, variable, params),
});

export const deleteInstanceVariable = endpoint({
  delete: '/admin/ci/variables/:key',
  summary: 'Give a variable to all jobs no more',
  access: managingOneOfInstance(),
  refuses: { gone: gone('instance') },
  records: ['ci_instance_variable_deleted'],
  answer: nothing,
  write: (uow, { owner, variable }) => removeVariable(uow, owner, variable),
});
