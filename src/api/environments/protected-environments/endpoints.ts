import type { Protection } from '#authorization/protected-environments/protected-environments.ts';
import type { AccessCall } from '#http/access/access.ts';
import { forBoth, type InParent, type Pair, type Parent } from '#http/access/parents.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page, type ResponseType } from '#http/endpoint/responses.ts';
import { NOT_FOUND } from '#http/errors/error-messages.ts';
import { nestedNotFound } from '#http/errors/http-error.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { ruledText, string } from '#http/parameters/texts.ts';
import { integer } from '#http/parameters/types.ts';
import { ProtectedEnvironment } from './entities.ts';
import { CHANGED, NEW } from './parameters.ts';
import { protect } from './protect.ts';
import { listProtections, protectionNamed } from './store.ts';
import { unprotect } from './unprotect.ts';
import { changeProtection } from './update.ts';

// Groups and projects have the same endpoints (contract/environments.md Parts 2 and 3).

const MANAGING = { group: 'admin_protected_environment', project: 'admin_protected_environment' } as const;

/** The protection of exactly the name in the path. */
const protection = {
  name: 'protection',
  load: ({ db, path }: AccessCall, { parent }: InParent) => protectionNamed(db, parent, path.name ?? ''),
  notFound: nestedNotFound,
} as const;

const INVALID = [422, { message: '{texts}' }] as const;

/** Changes of what one group or project protects come one after another: none may take the last level from another. */
const turnIn = ({ type, id }: Parent) => `protected environments of ${type} ${id}`;

export const [listGroupProtectedEnvironments, listProjectProtectedEnvironments] = forBoth((parent) =>
  endpoint({
    get: `${parent.path}/protected_environments`,
    summary: 'List protected environments',
    access: parent.may(MANAGING),
    stageOrder: 'accessBeforeParameters',
    response: page(ProtectedEnvironment),
    read: (db, { parent, page }) => listProtections(db, parent, page),
  }),
);

export const [readGroupProtectedEnvironment, readProjectProtectedEnvironment] = forBoth((parent) =>
  endpoint({
    get: `${parent.path}/protected_environments/:name`,
    summary: 'Read a protected environment',
    access: parent.may(MANAGING).resource(protection),
    stageOrder: 'accessBeforeParameters',
    response: ok(ProtectedEnvironment),
    read: (_db, { protection }) => protection,
  }),
);

export const [createGroupProtectedEnvironment, createProjectProtectedEnvironment] = forBoth((parent) =>
  endpoint({
    post: `${parent.path}/protected_environments`,
    summary: parent.own({
      group: 'Protect the environments of a tier in all projects of a group',
      project: 'Protect an environment of a project',
    }),
    access: parent.may(MANAGING),
    stageOrder: 'accessBeforeParameters',
    params: {
      name: required(parent.own({ group: string, project: ruledText(255) })),
      deploy_access_levels: required(NEW.levels),
      required_approval_count: optional(integer),
      approval_rules: optional(NEW.rules, []),
    },
    lock: ({ parent }) => turnIn(parent),
    errors: {
      exists: parent.own({
        group: [409, "Protected environment '{name}' already exists"],
        project: [409, "Environment '{name}' is already protected"],
      } as const),
      invalid: INVALID,
    },
    uniqueErrors: { protected_environments_by_group: 'exists', protected_environments_by_project: 'exists' },
    activity: ['environment_protected'],
    response: created(ProtectedEnvironment),
    write: (uow, { parent, params }) => protect(uow, parent, params.name, params),
  }),
);

export const [updateGroupProtectedEnvironment, updateProjectProtectedEnvironment] = forBoth((parent) =>
  endpoint({
    put: `${parent.path}/protected_environments/:name`,
    summary: 'Change a protected environment',
    access: parent.may(MANAGING),
    stageOrder: 'accessBeforeParameters',
    params: {
      deploy_access_levels: optional(CHANGED.levels, []),
      required_approval_count: optional(integer),
      approval_rules: optional(CHANGED.rules, []),
    },
    lock: ({ parent }) => turnIn(parent),
    errors: { notFound: NOT_FOUND, invalid: INVALID },
    activity: [
      'protected_environment_updated',
      'protected_environment_deploy_access_level_added',
      'protected_environment_deploy_access_level_updated',
      'protected_environment_deploy_access_level_deleted',
      'protected_environment_approval_rule_added',
      'protected_environment_approval_rule_updated',
      'protected_environment_approval_rule_deleted',
    ],
    response: ok(ProtectedEnvironment),
    write: (uow, { parent, params }) => changeProtection(uow, parent, params.name, params),
  }),
);

/** A group's is shown once more. */
// biome-ignore lint/suspicious/noConfusingVoidType: what an answer without a body is given is called so
const LIFTED: Pair<ResponseType<Protection | void>> = { group: ok(ProtectedEnvironment), project: noContent };

export const [deleteGroupProtectedEnvironment, deleteProjectProtectedEnvironment] = forBoth((parent) =>
  endpoint({
    delete: `${parent.path}/protected_environments/:name`,
    summary: 'Lift the protection of an environment',
    access: parent.may(MANAGING).resource(protection),
    stageOrder: 'accessBeforeParameters',
    lastModified: ({ protection }) => protection.updated_at,
    lock: ({ parent }) => turnIn(parent),
    errors: { notFound: NOT_FOUND },
    activity: ['environment_unprotected'],
    response: parent.own(LIFTED),
    write: (uow, { parent, params }) => unprotect(uow, parent, params.name),
  }),
);
