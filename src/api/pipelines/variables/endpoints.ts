import { forBoth, type Pair, type ParentKind } from '#http/access/parents.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { onTiers, optional, type Parameter } from '#http/parameters/declarations.ts';
import { boolean } from '#http/parameters/types.ts';
import { type Managed, managing, managingOne } from './access.ts';
import { createVariable } from './create.ts';
import { removeVariable } from './delete.ts';
import { CiVariable } from './entities.ts';
import { gone, REFUSED } from './errors.ts';
import { KINDS } from './owner.ts';
import { CHANGED, NEW, scope } from './parameters.ts';
import { listVariables } from './store.ts';
import { changeVariable } from './update.ts';

// What groups and projects give to their jobs (contract/runners.md §4.5).

/** Those of groups are for single environments from premium on. */
function scoped<P extends Parameter<string>>(parent: ParentKind, parameter: P): P {
  return parent.own({ group: onTiers(parameter, 'premium', 'ultimate'), project: parameter });
}

const TAKEN = { ci_variables_by_project: 'taken', ci_variables_by_group: 'taken' } as const;

/** Two kinds of names in the audit log. */
const records = <const Deed extends string>({ type }: ParentKind, deed: Deed) =>
  [`${KINDS[type].event}_${deed}`] as const;

export const [listGroupVariables, listProjectVariables] = forBoth((parent) =>
  endpoint({
    get: `${parent.path}/variables`,
    summary: parent.own({
      group: 'List the variables that a group gives to its jobs',
      project: 'List the variables that a project gives to its jobs',
    }),
    access: managing(parent),
    response: page(CiVariable),
    read: (db, { owner, page }) => listVariables(db, owner, page),
  }),
);

export const [readGroupVariable, readProjectVariable] = forBoth((parent) =>
  endpoint({
    get: `${parent.path}/variables/:key`,
    summary: 'Read a variable',
    access: managingOne(parent),
    response: ok(CiVariable),
    read: (_db, { variable }) => variable,
  }),
);

export const [createGroupVariable, createProjectVariable] = forBoth((parent) =>
  endpoint({
    post: `${parent.path}/variables`,
    summary: 'Give a variable to jobs',
    access: managing(parent),
    params: {
      ...NEW,
      masked_and_hidden: optional(boolean, false),
      environment_scope: scoped(parent, optional(scope, '*')),
    },
    errors: REFUSED,
    uniqueErrors: TAKEN,
    activity: records(parent, 'created'),
    response: created(CiVariable),
    handle: ({ owner, caller, params: { masked_and_hidden: hidden, ...wish } }, services) =>
      createVariable(services, caller, owner, { ...wish, hidden }),
  }),
);

export const [updateGroupVariable, updateProjectVariable] = forBoth((parent) =>
  endpoint({
    put: `${parent.path}/variables/:key`,
    summary: 'Change a variable',
    access: managingOne(parent),
    params: { ...CHANGED, environment_scope: scoped(parent, optional(scope)) },
    errors: { ...REFUSED, gone: gone(parent.type) },
    uniqueErrors: TAKEN,
    activity: records(parent, 'updated'),
    response: ok(CiVariable),
    handle: ({ owner, caller, variable, params }, services) =>
      changeVariable(services, caller, owner, variable, params),
  }),
);

/** Groups' alone look at `If-Unmodified-Since`. */
const CONDITIONS: Pair<((found: Managed) => string) | undefined> = {
  group: ({ variable }) => variable.updated_at,
  project: undefined,
};

export const [deleteGroupVariable, deleteProjectVariable] = forBoth((parent) =>
  endpoint({
    delete: `${parent.path}/variables/:key`,
    summary: 'Give a variable to jobs no more',
    access: managingOne(parent),
    lastModified: parent.own(CONDITIONS),
    errors: { gone: gone(parent.type) },
    activity: records(parent, 'deleted'),
    response: noContent,
    write: (uow, { owner, variable }) => removeVariable(uow, owner, variable),
  }),
);

export * from './instance-endpoints.ts';
