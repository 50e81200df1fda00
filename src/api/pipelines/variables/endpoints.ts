import { Type } from 'typebox';
import { type ByParentType, forGroupAndProject, type ParentKind } from '#http/access/parents.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { created, noContent, nullable, ok, page } from '#http/endpoint/responses.ts';
import { INVALID } from '#http/errors/error-messages.ts';
import { describe, onTiers, optional, type Parameter, required } from '#http/parameters/declarations.ts';
import { domainValidatedText } from '#http/parameters/texts.ts';
import { boolean, oneOf } from '#http/parameters/types.ts';
import {
  environmentScope,
  instanceVariableAccess,
  instanceVariablesAccess,
  type VariableContext,
  variableAccess,
  variablesAccess,
} from './access.ts';
import { createVariable, deleteVariableAndRecord, updateVariableAndRecord } from './changes.ts';
import { OWNER_TYPES, type VariableOwner } from './owner.ts';
import { type CiVariableRow, decryptValue, listVariables } from './store.ts';
import { MAX_TEXT_LENGTH, MAX_VALUE_LENGTH } from './validation.ts';

// Parameters of variables; `validation.ts` validates them.

const variableType = oneOf('env_var', 'file');
const value = domainValidatedText(MAX_VALUE_LENGTH.file);

const description = optional(domainValidatedText(MAX_TEXT_LENGTH));

/** Descriptions of the parameters that creation and update share. */
const DESCRIPTIONS = {
  value: 'At most 10,000 characters, or 50,000 for a file.',
  variable_type: '`file`: jobs get the path of a file with the value.',
  protected: 'Whether only jobs of protected branches and tags get the variable.',
  masked: 'Whether runners mask the value in logs; it must be one line of at least 8 characters.',
  raw: 'Whether references such as `$NAME` in the value are not replaced.',
  environment_scope: 'Environments whose jobs get the variable: a name, which can contain the wildcard `*`.',
} as const;

const CREATE_PARAMS = {
  key: describe(required(domainValidatedText(MAX_TEXT_LENGTH)), 'Name of the variable: letters, digits and `_`.'),
  value: describe(required(value), DESCRIPTIONS.value),
  variable_type: describe(optional(variableType, 'env_var'), DESCRIPTIONS.variable_type),
  protected: describe(optional(boolean, false), DESCRIPTIONS.protected),
  masked: describe(optional(boolean, false), DESCRIPTIONS.masked),
  raw: describe(optional(boolean, false), DESCRIPTIONS.raw),
  description,
};

const UPDATE_PARAMS = {
  value: describe(optional(value), DESCRIPTIONS.value),
  variable_type: describe(optional(variableType), DESCRIPTIONS.variable_type),
  protected: describe(optional(boolean), DESCRIPTIONS.protected),
  masked: describe(optional(boolean), DESCRIPTIONS.masked),
  raw: describe(optional(boolean), DESCRIPTIONS.raw),
  description,
};

// CI variables of groups and projects (contract/runners.md §4.5).

// Serialized forms. They include values, so they are only for callers who manage the variables.

const fields = {
  variable_type: Type.Enum(['env_var', 'file']),
  key: Type.String(),
  value: nullable(Type.String()),
  protected: Type.Boolean(),
  masked: Type.Boolean(),
  raw: Type.Boolean(),
  description: nullable(Type.String()),
};

const loadSecretKey = async (_rows: readonly CiVariableRow[], context: SerializationContext) => ({
  secretKey: await context.secretKey(),
});

function serializeFields(row: CiVariableRow, { secretKey }: Awaited<ReturnType<typeof loadSecretKey>>) {
  return {
    variable_type: row.variable_type,
    key: row.key,
    value: row.hidden ? null : decryptValue(secretKey, row),
    protected: Boolean(row.protected),
    masked: Boolean(row.masked),
    raw: Boolean(row.raw),
    description: row.description,
  };
}

/** A variable of a project or group. */
const CiVariable = entity('CiVariable', {
  ...fields,
  hidden: Type.Boolean(),
  environment_scope: Type.String(),
}).from(loadSecretKey, (row: CiVariableRow, _context, relations) => ({
  ...serializeFields(row, relations),
  hidden: Boolean(row.hidden),
  environment_scope: row.environment_scope,
}));

/** A variable of the instance: never hidden, and for all environments. */
const CiInstanceVariable = entity('CiInstanceVariable', fields).from(
  loadSecretKey,
  (row: CiVariableRow, _context, relations) => serializeFields(row, relations),
);

/** Errors of variables, for all kinds of owners. */
const VARIABLE_ERRORS = {
  invalid: INVALID,
  taken: [400, { message: { key: ['({key}) has already been taken'] } }],
} as const;

const VARIABLE_UNIQUE_ERRORS = {
  ci_variables_by_project: 'taken',
  ci_variables_by_group: 'taken',
  ci_variables_of_instance: 'taken',
} as const;

/** Returns the 404 error for a variable that was deleted meanwhile. */
const variableNotFound = (type: VariableOwner['type']) => [404, `404 ${OWNER_TYPES[type].title} Not Found`] as const;

/** Returns the parameter; for groups it requires the tier premium. */
function premiumForGroups<P extends Parameter<string>>(parent: ParentKind, parameter: P): P {
  return parent.select({ group: onTiers(parameter, 'premium', 'ultimate'), project: parameter });
}

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
    description: 'Returns the variables with their values, oldest first. `value` is null for hidden variables.',
    access: variablesAccess(parent),
    response: page(CiVariable),
    read: (db, { owner, page }) => listVariables(db, owner, page),
  }),
);

export const [getGroupVariable, getProjectVariable] = forGroupAndProject((parent) =>
  endpoint({
    get: `${parent.path}/variables/:key`,
    summary: 'Get a CI/CD variable',
    description:
      'Returns the variable with its value, or null for a hidden one. Answers 409 if several variables have the key and `filter[environment_scope]` is missing.',
    access: variableAccess(parent),
    response: ok(CiVariable),
    read: (_db, { variable }) => variable,
  }),
);

export const [createGroupVariable, createProjectVariable] = forGroupAndProject((parent) =>
  endpoint({
    post: `${parent.path}/variables`,
    summary: 'Create a CI/CD variable',
    description: `Jobs that start later get the variable. A variable of a project overrides that of a group, and the nearest group that of its ancestors. The value is stored encrypted. A ${parent.type} has at most ${OWNER_TYPES[parent.type].maxVariables} variables.`,
    access: variablesAccess(parent),
    params: {
      ...CREATE_PARAMS,
      masked_and_hidden: describe(
        optional(boolean, false),
        'Masks the variable and hides its value: it is never returned again, which cannot be changed.',
      ),
      environment_scope: premiumForGroups(
        parent,
        describe(optional(environmentScope, '*'), DESCRIPTIONS.environment_scope),
      ),
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
    description:
      'Changes the given attributes; the key cannot be changed. Jobs that start later get the new value. Answers 409 if several variables have the key and `filter[environment_scope]` is missing.',
    access: variableAccess(parent),
    params: {
      ...UPDATE_PARAMS,
      environment_scope: premiumForGroups(parent, describe(optional(environmentScope), DESCRIPTIONS.environment_scope)),
    },
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
    description:
      'Jobs that start later no longer get the variable. Answers 409 if several variables have the key and `filter[environment_scope]` is missing.',
    access: variableAccess(parent),
    lastModified: parent.select(LAST_MODIFIED),
    errors: { notFound: variableNotFound(parent.type) },
    activity: toAuditEventNames(parent, 'deleted'),
    response: noContent,
    write: (uow, { owner, variable }) => deleteVariableAndRecord(uow, owner, variable),
  }),
);

// Instance variables: for all jobs and environments, managed by administrators (contract/runners.md §4.5).

export const listInstanceVariables = endpoint({
  get: '/admin/ci/variables',
  summary: 'List the CI/CD variables of the instance',
  description: 'Returns the variables with their values, oldest first. Jobs of all projects get them.',
  access: instanceVariablesAccess(),
  response: page(CiInstanceVariable),
  read: (db, { owner, page }) => listVariables(db, owner, page),
});

export const getInstanceVariable = endpoint({
  get: '/admin/ci/variables/:key',
  summary: 'Get an instance CI/CD variable',
  description: 'Returns the variable with its value.',
  access: instanceVariableAccess(),
  response: ok(CiInstanceVariable),
  read: (_db, { variable }) => variable,
});

export const createInstanceVariable = endpoint({
  post: '/admin/ci/variables',
  summary: 'Create an instance CI/CD variable',
  description:
    'Jobs that start later get the variable; variables of groups and projects override it. The value is stored encrypted. The instance has at most 25 variables.',
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
  description: 'Changes the given attributes; the key cannot be changed. Jobs that start later get the new value.',
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
  description: 'Jobs that start later no longer get the variable.',
  access: instanceVariableAccess(),
  errors: { notFound: variableNotFound('instance') },
  activity: ['ci_instance_variable_deleted'],
  response: noContent,
  write: (uow, { owner, variable }) => deleteVariableAndRecord(uow, owner, variable),
});
