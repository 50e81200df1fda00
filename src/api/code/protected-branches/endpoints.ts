import {
  findProtectionRuleByName,
  listProtectionRules,
  type ProtectionRuleRow,
} from '#authorization/protected-branches/protected-branches.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inProjectAllowingAnonymous, inProjectRepository } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { FORBIDDEN, NOT_FOUND } from '#http/errors/error-messages.ts';
import { forbidden, genericNotFound } from '#http/errors/http-error.ts';
import { paginateInMemory } from '#http/lists/pagination.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { domainValidatedText, refName, searchExpression } from '#http/parameters/texts.ts';
import { boolean, integerIn, notBlank } from '#http/parameters/types.ts';
import { type AccessLevelInput, ALLOWED_LEVELS, createAccessLevelsParam } from './access-levels.ts';
import { CREATE_RULE_ERRORS, createRule, deleteRuleIfAdmitted, mayUnprotect, updateRule } from './changes.ts';
import { ProtectedBranch } from './entities.ts';

/** Resource: the rule with exactly the name in the path, which may contain wildcards. */
const ruleResource = {
  name: 'rule',
  params: { name: describe(required(refName), 'Exact name or pattern of the rule.') },
  load: (
    { db, params }: AccessCall<{ readonly name: string }>,
    { project }: { readonly project: { readonly id: number } },
  ) => findProtectionRuleByName(db, project.id, params.name),
  notFound: genericNotFound,
} as const;

/**
 * The same resource for deletion. Callers who may not delete the rule get 403 here, before `If-Unmodified-Since` is checked, so that
 * they do not learn when it was changed.
 */
const deletableRuleResource = {
  ...ruleResource,
  authorize(
    { services, caller }: AccessCall,
    context: { readonly project: Project; readonly rule: ProtectionRuleRow },
  ) {
    if (!mayUnprotect({ actor: caller, tier: services.config.tier }, context.project, context.rule)) throw forbidden();
  },
} as const;

const allowedLevels = {
  allowed_to_push: describe(createAccessLevelsParam('push'), 'Roles and users who may push.'),
  allowed_to_merge: describe(createAccessLevelsParam('merge'), 'Roles and users who may merge.'),
  allowed_to_unprotect: describe(
    createAccessLevelsParam('unprotect'),
    'Roles and users who may change or delete the rule.',
  ),
};

export const listProtectedBranches = endpoint({
  get: '/projects/:id/protected_branches',
  summary: 'List protected branches',
  description:
    'Returns the protection rules of the project in the order of their creation. Rules name a branch or contain `*` ' +
    'as a wildcard. On the free tier, entries show roles only.',
  access: inProjectAllowingAnonymous('read_code'),
  params: { search: describe(optional(searchExpression), 'Part of the name, ignoring case.') },
  response: page(ProtectedBranch),
  async read(db, { project, params, page }) {
    const term = params.search?.toLowerCase() ?? '';
    const rules = await listProtectionRules(db, project.id);
    const matchedRules = rules.filter(({ name }) => name.toLowerCase().includes(term));
    return paginateInMemory(matchedRules, page);
  },
});

export const getProtectedBranch = endpoint({
  get: '/projects/:id/protected_branches/:name',
  summary: 'Get a protected branch',
  description:
    'Returns the rule with exactly this name. A wildcard rule is found by its pattern, not by the name of a branch ' +
    'that it matches.',
  access: inProjectAllowingAnonymous('read_code').resource(ruleResource),
  response: ok(ProtectedBranch),
  read: (_db, { rule }) => rule,
});

export const createProtectedBranch = endpoint({
  post: '/projects/:id/protected_branches',
  summary: 'Create a protected branch or wildcard rule',
  description:
    'Creates a rule for a branch, or for all branches that match a wildcard. The branch need not exist. Without ' +
    'roles and without entries, Maintainers may push and merge. If several rules match a branch, an entry of any of ' +
    'them is sufficient.',
  access: inProjectRepository('admin_protected_branch'),
  params: {
    name: describe(required(domainValidatedText(1024)), 'Name of a branch, or a pattern in which `*` is any text.'),
    push_access_level: describe(
      optional(integerIn(ALLOWED_LEVELS.push)),
      'Lowest role that may push; 0 admits nobody.',
    ),
    merge_access_level: describe(
      optional(integerIn(ALLOWED_LEVELS.merge)),
      'Lowest role that may merge; 0 admits nobody.',
    ),
    unprotect_access_level: describe(
      optional(integerIn(ALLOWED_LEVELS.unprotect)),
      'Lowest role that may change or delete the rule.',
    ),
    allow_force_push: describe(optional(boolean, false), 'Whether those who may push may discard commits, too.'),
    code_owner_approval_required: describe(optional(boolean, false), 'Stored and returned, but has no effect.'),
    ...allowedLevels,
  },
  errors: CREATE_RULE_ERRORS,
  uniqueErrors: { protected_branches_by_name: 'exists' },
  activity: ['protected_branch_created'],
  response: created(ProtectedBranch),
  write: (uow, { project, params }) =>
    createRule(uow, project, { ...params, roles: toRolesByKind(params), allowed: toLevelsByKind(params) }),
});

export const updateProtectedBranch = endpoint({
  patch: '/projects/:id/protected_branches/:name',
  summary: 'Update a protected branch',
  description:
    'Changes the sent values of the rule. An element of `allowed_to_push` or a similar list changes the entry with ' +
    'its `id`, deletes that entry with `_destroy`, or adds an entry. Either all changes are stored or none. Callers ' +
    'must satisfy the unprotect entries of the rule.',
  access: inProjectRepository('admin_protected_branch').resource(ruleResource),
  params: {
    allow_force_push: describe(optional(notBlank(boolean)), 'Whether those who may push may discard commits, too.'),
    code_owner_approval_required: describe(optional(boolean), 'Stored and returned, but has no effect.'),
    unprotect_access_level: describe(
      optional(integerIn(ALLOWED_LEVELS.unprotect)),
      'Adds an entry for this role, which may change or delete the rule.',
    ),
    ...allowedLevels,
  },
  errors: { levelsInvalid: CREATE_RULE_ERRORS.levelsInvalid, notFound: NOT_FOUND, unprotectNotAllowed: FORBIDDEN },
  response: ok(ProtectedBranch),
  write: (uow, { project, rule, params }) =>
    updateRule(uow, project, rule, { ...params, allowed: toAddedLevelsByKind(params) }),
});

export const deleteProtectedBranch = endpoint({
  delete: '/projects/:id/protected_branches/:name',
  summary: 'Delete a protected branch',
  description: 'Deletes the rule; the branch stays. Callers must satisfy the unprotect entries of the rule.',
  access: inProjectRepository('admin_protected_branch').resource(deletableRuleResource),
  lastModified: ({ rule }) => rule.updated_at,
  errors: { unprotectNotAllowed: FORBIDDEN, notFound: NOT_FOUND },
  activity: ['protected_branch_removed'],
  response: noContent,
  write: (uow, { project, rule }) => deleteRuleIfAdmitted(uow, project, rule),
});

/** The parameters that name one role for each kind of entry. */
interface RoleParams {
  readonly push_access_level?: number | null | undefined;
  readonly merge_access_level?: number | null | undefined;
  readonly unprotect_access_level?: number | null | undefined;
}

function toRolesByKind({ push_access_level, merge_access_level, unprotect_access_level }: RoleParams) {
  return { push: push_access_level, merge: merge_access_level, unprotect: unprotect_access_level };
}

/** The parameters that list entries. */
interface LevelParams {
  readonly allowed_to_push: readonly AccessLevelInput[];
  readonly allowed_to_merge: readonly AccessLevelInput[];
  readonly allowed_to_unprotect: readonly AccessLevelInput[];
}

function toLevelsByKind({ allowed_to_push, allowed_to_merge, allowed_to_unprotect }: LevelParams) {
  return { push: allowed_to_push, merge: allowed_to_merge, unprotect: allowed_to_unprotect };
}

/** Returns the entries by kind, with an entry for the role in `unprotect_access_level`. */
function toAddedLevelsByKind({ unprotect_access_level: level, ...params }: LevelParams & RoleParams) {
  const { unprotect, ...others } = toLevelsByKind(params);
  return { ...others, unprotect: level == null ? unprotect : [{ access_level: level }, ...unprotect] };
}
