import type { EnvironmentProtection } from '#authorization/protected-environments/protected-environments.ts';
import { DEVELOPER, INSTANCE_ADMIN, MAINTAINER, REPORTER } from '#domain/members/roles.ts';
import type { AccessCall } from '#http/access/access.ts';
import { type ByParentType, forGroupAndProject, type Parent, type ParentContext } from '#http/access/parents.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page, type ResponseType } from '#http/endpoint/responses.ts';
import { NOT_FOUND } from '#http/errors/error-messages.ts';
import { genericNotFound } from '#http/errors/http-error.ts';
import { atLeastOne, describe, object, optional, type ParameterRule, required } from '#http/parameters/declarations.ts';
import { Problems } from '#http/parameters/parameter-type.ts';
import { domainValidatedText, string } from '#http/parameters/texts.ts';
import { arrayOf, boolean, integer, integerIn } from '#http/parameters/types.ts';
import { protectEnvironment, unprotectEnvironment, updateProtection } from './changes.ts';
import { ProtectedEnvironment } from './entities.ts';
import { findProtection, listProtections } from './store.ts';

// Parameters for deploy access levels and approval rules.

const principalParams = {
  access_level: describe(
    optional(integerIn([REPORTER, DEVELOPER, MAINTAINER, INSTANCE_ADMIN])),
    'The least role; each element names exactly one of role, user and group.',
  ),
  user_id: describe(optional(integer), 'A member with a sufficient role: Developer in projects, Maintainer in groups.'),
  group_id: describe(optional(integer), 'The group itself or one of its descendants; not possible in projects.'),
  /** 0: direct members of the group, 1: inherited members too. */
  group_inheritance_type: describe(
    optional(integerIn([0, 1])),
    '0 means direct members of the group, 1 inherited members too.',
  ),
};
const ruleParams = {
  ...principalParams,
  required_approvals: describe(optional(integer), 'From 1 to 5; by default 1.'),
};
/** Parameters that update or remove an existing element. */
const existingElementParams = {
  id: describe(optional(integer), 'The element to update or remove; without it, an element is added.'),
  _destroy: describe(optional(boolean), 'Whether to remove the element with this `id`.'),
};

const requirePrincipal = atLeastOne('access_level', 'user_id', 'group_id');

/** Requires a principal for new elements. Existing elements and elements to remove need none. */
const requirePrincipalOfNewElement: ParameterRule = (rawParams, problems, prefix) => {
  const { id, _destroy } = rawParams;
  // An invalid `_destroy` is reported by its own declaration, so its problems are discarded here.
  const hasId = id !== undefined && id !== null && id !== '';
  if (!hasId && boolean.read(_destroy ?? null, '_destroy', new Problems()) !== true)
    requirePrincipal(rawParams, problems, prefix);
};

/** Elements of a new protection. */
const NEW_ELEMENTS = {
  levels: arrayOf(object(principalParams)),
  rules: arrayOf(object(ruleParams, [requirePrincipal])),
};

/** Elements of an existing protection. */
const CHANGED_ELEMENTS = {
  levels: arrayOf(object({ ...existingElementParams, ...principalParams })),
  rules: arrayOf(object({ ...existingElementParams, ...ruleParams }, [requirePrincipalOfNewElement])),
};

// Groups and projects have the same endpoints (contract/environments.md Parts 2 and 3).

const MANAGE_PROTECTED_ENVIRONMENTS = {
  group: 'admin_protected_environment',
  project: 'admin_protected_environment',
} as const;

/** Resource: the protection with exactly the name in the path. */
const protectionResource = {
  name: 'protection',
  load: ({ db, path }: AccessCall, { parent }: ParentContext) => findProtection(db, parent, path.name ?? ''),
  notFound: genericNotFound,
} as const;

const INVALID = [422, { message: '{messages}' }] as const;

/** Returns the lock key for changing protections of a group or project, so that concurrent changes cannot remove the last level. */
const protectionLockKey = ({ type, id }: Parent) => `protected environments of ${type} ${id}`;

export const [listGroupProtectedEnvironments, listProjectProtectedEnvironments] = forGroupAndProject((parent) =>
  endpoint({
    get: `${parent.path}/protected_environments`,
    summary: 'List protected environments',
    description:
      'Returns the protections ordered by name. Protections of ancestor groups are not included, although they apply too.',
    access: parent.accessWith(MANAGE_PROTECTED_ENVIRONMENTS),
    stageOrder: 'accessBeforeParameters',
    response: page(ProtectedEnvironment),
    read: (db, { parent, page }) => listProtections(db, parent, page),
  }),
);

export const [getGroupProtectedEnvironment, getProjectProtectedEnvironment] = forGroupAndProject((parent) =>
  endpoint({
    get: `${parent.path}/protected_environments/:name`,
    summary: 'Get a protected environment',
    description:
      'Returns the protection with exactly this name. In a group the name is a tier, in a project the name of an environment.',
    access: parent.accessWith(MANAGE_PROTECTED_ENVIRONMENTS).resource(protectionResource),
    stageOrder: 'accessBeforeParameters',
    response: ok(ProtectedEnvironment),
    read: (_db, { protection }) => protection,
  }),
);

export const [createGroupProtectedEnvironment, createProjectProtectedEnvironment] = forGroupAndProject((parent) =>
  endpoint({
    post: `${parent.path}/protected_environments`,
    summary: parent.select({
      group: 'Protect environments of a tier in a group',
      project: 'Protect an environment of a project',
    }),
    description:
      'Restricts who may deploy to the environment, and who must approve first. In a group the name is a tier, in a project the name of an environment that need not exist yet. Deploy access levels of users and groups that are not eligible are left out; approval rules that name them are rejected. The free tier stores protections but does not enforce them.',
    access: parent.accessWith(MANAGE_PROTECTED_ENVIRONMENTS),
    stageOrder: 'accessBeforeParameters',
    params: {
      name: required(parent.select({ group: string, project: domainValidatedText(255) })),
      deploy_access_levels: required(NEW_ELEMENTS.levels),
      required_approval_count: describe(
        optional(integer),
        'From 0 to 5; it applies only if there are no approval rules.',
      ),
      approval_rules: optional(NEW_ELEMENTS.rules, []),
    },
    lock: ({ parent }) => protectionLockKey(parent),
    errors: {
      exists: parent.select({
        group: [409, "Protected environment '{name}' already exists"],
        project: [409, "Environment '{name}' is already protected"],
      } as const),
      invalid: INVALID,
    },
    uniqueErrors: { protected_environments_by_group: 'exists', protected_environments_by_project: 'exists' },
    activity: ['environment_protected'],
    response: created(ProtectedEnvironment),
    write: (uow, { parent, params }) => protectEnvironment(uow, parent, params.name, params),
  }),
);

export const [updateGroupProtectedEnvironment, updateProjectProtectedEnvironment] = forGroupAndProject((parent) =>
  endpoint({
    put: `${parent.path}/protected_environments/:name`,
    summary: 'Update a protected environment',
    description:
      'An element without `id` is added, one with `id` is updated, and one with `id` and `_destroy` is removed. Elements that the request does not name stay. All changes are made or none. At least one deploy access level must remain.',
    access: parent.accessWith(MANAGE_PROTECTED_ENVIRONMENTS),
    stageOrder: 'accessBeforeParameters',
    params: {
      deploy_access_levels: optional(CHANGED_ELEMENTS.levels, []),
      required_approval_count: describe(
        optional(integer),
        'From 0 to 5; it applies only if there are no approval rules.',
      ),
      approval_rules: optional(CHANGED_ELEMENTS.rules, []),
    },
    lock: ({ parent }) => protectionLockKey(parent),
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
    write: (uow, { parent, params }) => updateProtection(uow, parent, params.name, params),
  }),
);

/** Response to a deletion. For groups it contains the deleted protection. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler of a response without a body returns void
const DELETE_RESPONSE: ByParentType<ResponseType<EnvironmentProtection | void>> = {
  group: ok(ProtectedEnvironment),
  project: noContent,
};

export const [deleteGroupProtectedEnvironment, deleteProjectProtectedEnvironment] = forGroupAndProject((parent) =>
  endpoint({
    delete: `${parent.path}/protected_environments/:name`,
    summary: 'Unprotect an environment',
    description:
      'Deletes the protection with its deploy access levels and approval rules; it no longer applies to new deployments. Approvals that users have given stay. For a group the deleted protection is returned.',
    access: parent.accessWith(MANAGE_PROTECTED_ENVIRONMENTS).resource(protectionResource),
    stageOrder: 'accessBeforeParameters',
    lastModified: ({ protection }) => protection.updated_at,
    lock: ({ parent }) => protectionLockKey(parent),
    errors: { notFound: NOT_FOUND },
    activity: ['environment_unprotected'],
    response: parent.select(DELETE_RESPONSE),
    write: (uow, { parent, params }) => unprotectEnvironment(uow, parent, params.name),
  }),
);
