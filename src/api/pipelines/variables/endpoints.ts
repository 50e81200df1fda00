import { type ByParentType, forGroupAndProject, type ParentKind } from '#http/access/parents.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { onTiers, optional, type Parameter } from '#http/parameters/declarations.ts';
import { boolean } from '#http/parameters/types.ts';
import { type VariableContext, variableAccess, variablesAccess } from './access.ts';
import { createVariable, deleteVariableAndRecord, updateVariableAndRecord } from './changes.ts';
import { CiVariable } from './entities.ts';
import { VARIABLE_ERRORS, variableNotFound } from './errors.ts';
import { OWNER_TYPES } from './owner.ts';
import { CREATE_PARAMS, environmentScope, UPDATE_PARAMS } from './parameters.ts';
import { listVariables } from './store.ts';

// CI variables of groups and projects (contract/runners.md §4.5).

/** Returns the parameter; for groups it requires the tier premium. */
function premiumForGroups<P extends Parameter<string>>(parent: ParentKind, parameter: P): P {
  return parent.select({ group: onTiers(parameter, 'premium', 'ultimate'), project: parameter });
}

const VARIABLE_UNIQUE_ERRORS = { ci_variables_by_project: 'taken', ci_variables_by_group: 'taken' } as const;

/** Returns the names of audit events, which differ between groups and projects. */
const toAuditEventNames = <const Action extends string>({ type }: ParentKind, action: Action) =>
  [`${OWNER_TYPES[type].auditEventPrefix}_${action}`] as const;

export const [listGroupVariables, listProjectVariables] = forGroupAndProject((parent) =>
  endpoint({
    get: `${parent.path}/variables`,
    summary: parent.select({
      group: 'List the CI/CD variables of a group',
      project: 'List the CI/CD variables of a project',
    }),
    access: variablesAccess(parent),
    response: page(CiVariable),
    read: (db, { owner, page }) => listVariables(db, owner, page),
  }),
);

export const [getGroupVariable, getProjectVariable] = forGroupAndProject((parent) =>
  endpoint({
    get: `${parent.path}/variables/:key`,
    summary: 'Get a CI/CD variable',
    access: variableAccess(parent),
    response: ok(CiVariable),
    read: (_db, { variable }) => variable,
  }),
);

export const [createGroupVariable, createProjectVariable] = forGroupAndProject((parent) =>
  endpoint({
    post: `${parent.path}/variables`,
    summary: 'Create a CI/CD variable',
    access: variablesAccess(parent),
    params: {
      ...CREATE_PARAMS,
      masked_and_hidden: optional(boolean, false),
      environment_scope: premiumForGroups(parent, optional(environmentScope, '*')),
    },
    errors: VARIABLE_ERRORS,
    uniqueErrors: VARIABLE_UNIQUE_ERRORS,
    activity: toAuditEventNames(parent, 'created'),
    response: created(CiVariable),
    handle: ({ owner, caller, params: { masked_and_hidden: maskedAndHidden, ...input } }, services) =>
      createVariable(services, caller, owner, { ...input, hidden: maskedAndHidden }),
  }),
);

export const [updateGroupVariable, updateProjectVariable] = forGroupAndProject((parent) =>
  endpoint({
    put: `${parent.path}/variables/:key`,
    summary: 'Update a CI/CD variable',
    access: variableAccess(parent),
    params: { ...UPDATE_PARAMS, environment_scope: premiumForGroups(parent, optional(environmentScope)) },
    errors: { ...VARIABLE_ERRORS, notFound: variableNotFound(parent.type) },
    uniqueErrors: VARIABLE_UNIQUE_ERRORS,
    activity: toAuditEventNames(parent, 'updated'),
    response: ok(CiVariable),
    handle: ({ owner, caller, variable, params }, services) =>
      updateVariableAndRecord(services, caller, owner, variable, params),
  }),
);

/** Only group variables support `If-Unmodified-Since`. */
const LAST_MODIFIED: ByParentType<((context: VariableContext) => string) | undefined> = {
  group: ({ variable }) => variable.updated_at,
  project: undefined,
};

export const [deleteGroupVariable, deleteProjectVariable] = forGroupAndProject((parent) =>
  endpoint({
    delete: `${parent.path}/variables/:key`,
    summary: 'Delete a CI/CD variable',
    access: variableAccess(parent),
    lastModified: parent.select(LAST_MODIFIED),
    errors: { notFound: variableNotFound(parent.type) },
    activity: toAuditEventNames(parent, 'deleted'),
    response: noContent,
    write: (uow, { owner, variable }) => deleteVariableAndRecord(uow, owner, variable),
  }),
);

export * from './instance-endpoints.ts';
