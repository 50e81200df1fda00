import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { instanceVariableAccess, instanceVariablesAccess } from './access.ts';
import { createVariable, deleteVariableAndRecord, updateVariableAndRecord } from './changes.ts';
import { CiInstanceVariable } from './entities.ts';
import { VARIABLE_ERRORS, variableNotFound } from './errors.ts';
import { CREATE_PARAMS, UPDATE_PARAMS } from './parameters.ts';
import { listVariables } from './store.ts';

/** Instance variables: for all jobs and environments, managed by administrators (contract/runners.md §4.5). */

const VARIABLE_UNIQUE_ERRORS = { ci_variables_of_instance: 'taken' } as const;

export const listInstanceVariables = endpoint({
  get: '/admin/ci/variables',
  summary: 'List the CI/CD variables of the instance',
  access: instanceVariablesAccess(),
  response: page(CiInstanceVariable),
  read: (db, { owner, page }) => listVariables(db, owner, page),
});

export const getInstanceVariable = endpoint({
  get: '/admin/ci/variables/:key',
  summary: 'Get an instance CI/CD variable',
  access: instanceVariableAccess(),
  response: ok(CiInstanceVariable),
  read: (_db, { variable }) => variable,
});

export const createInstanceVariable = endpoint({
  post: '/admin/ci/variables',
  summary: 'Create an instance CI/CD variable',
  access: instanceVariablesAccess(),
  params: CREATE_PARAMS,
  errors: VARIABLE_ERRORS,
  uniqueErrors: VARIABLE_UNIQUE_ERRORS,
  activity: ['ci_instance_variable_created'],
  response: created(CiInstanceVariable),
  handle: ({ owner, caller, params }, services) =>
    createVariable(services, caller, owner, { ...params, hidden: false, environment_scope: '*' }),
});

export const updateInstanceVariable = endpoint({
  put: '/admin/ci/variables/:key',
  summary: 'Update an instance CI/CD variable',
  access: instanceVariableAccess(),
  params: UPDATE_PARAMS,
  errors: { ...VARIABLE_ERRORS, notFound: variableNotFound('instance') },
  uniqueErrors: VARIABLE_UNIQUE_ERRORS,
  activity: ['ci_instance_variable_updated'],
  response: ok(CiInstanceVariable),
  handle: ({ owner, caller, variable, params }, services) =>
    updateVariableAndRecord(services, caller, owner, variable, params),
});

export const deleteInstanceVariable = endpoint({
  delete: '/admin/ci/variables/:key',
  summary: 'Delete an instance CI/CD variable',
  access: instanceVariableAccess(),
  errors: { notFound: variableNotFound('instance') },
  activity: ['ci_instance_variable_deleted'],
  response: noContent,
  write: (uow, { owner, variable }) => deleteVariableAndRecord(uow, owner, variable),
});
