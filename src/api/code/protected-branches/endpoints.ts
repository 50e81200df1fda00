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
import { optional, required } from '#http/parameters/declarations.ts';
import { domainValidatedText, refName, searchExpression } from '#http/parameters/texts.ts';
import { boolean, integerIn, notBlank } from '#http/parameters/types.ts';
import { type AccessLevelInput, ALLOWED_LEVELS, createAccessLevelsParam } from './access-levels.ts';
import { CREATE_RULE_ERRORS, createRule, deleteRuleIfAdmitted, mayUnprotect, updateRule } from './changes.ts';
import { ProtectedBranch } from './entities.ts';

/** Loads the rule with exactly this name, which may contain wildcards. */
const ruleResource = {
  name: 'rule',
  params: { name: required(refName) },
  load: (
    { db, params }: AccessCall<{ readonly name: string }>,
    { project }: { readonly project: { readonly id: number } },
  ) => findProtectionRuleByName(db, project.id, params.name),
  notFound: genericNotFound,
} as const;

/** As `ruleResource`; callers who may not unprotect the branch get 403 before `If-Unmodified-Since` is checked. */
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
  allowed_to_push: createAccessLevelsParam('push'),
  allowed_to_merge: createAccessLevelsParam('merge'),
  allowed_to_unprotect: createAccessLevelsParam('unprotect'),
};

export const listProtectedBranches = endpoint({
  get: '/projects/:id/protected_branches',
  summary: 'List protected branches',
  access: inProjectAllowingAnonymous('read_code'),
  params: { search: optional(searchExpression) },
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
  access: inProjectAllowingAnonymous('read_code').resource(ruleResource),
  response: ok(ProtectedBranch),
  read: (_db, { rule }) => rule,
});

export const createProtectedBranch = endpoint({
  post: '/projects/:id/protected_branches',
  summary: 'Create a protected branch or wildcard rule',
  access: inProjectRepository('admin_protected_branch'),
  params: {
    name: required(domainValidatedText(1024)),
    push_access_level: optional(integerIn(ALLOWED_LEVELS.push)),
    merge_access_level: optional(integerIn(ALLOWED_LEVELS.merge)),
    unprotect_access_level: optional(integerIn(ALLOWED_LEVELS.unprotect)),
    allow_force_push: optional(boolean, false),
    code_owner_approval_required: optional(boolean, false),
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
  access: inProjectRepository('admin_protected_branch').resource(ruleResource),
  params: {
    allow_force_push: optional(notBlank(boolean)),
    code_owner_approval_required: optional(boolean),
    unprotect_access_level: optional(integerIn(ALLOWED_LEVELS.unprotect)),
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
  access: inProjectRepository('admin_protected_branch').resource(deletableRuleResource),
  lastModified: ({ rule }) => rule.updated_at,
  errors: { unprotectNotAllowed: FORBIDDEN, notFound: NOT_FOUND },
  activity: ['protected_branch_removed'],
  response: noContent,
  write: (uow, { project, rule }) => deleteRuleIfAdmitted(uow, project, rule),
});

interface RoleParams {
  readonly push_access_level?: number | null | undefined;
  readonly merge_access_level?: number | null | undefined;
  readonly unprotect_access_level?: number | null | undefined;
}

function toRolesByKind({ push_access_level, merge_access_level, unprotect_access_level }: RoleParams) {
  return { push: push_access_level, merge: merge_access_level, unprotect: unprotect_access_level };
}

interface LevelParams {
  readonly allowed_to_push: readonly AccessLevelInput[];
  readonly allowed_to_merge: readonly AccessLevelInput[];
  readonly allowed_to_unprotect: readonly AccessLevelInput[];
}

function toLevelsByKind({ allowed_to_push, allowed_to_merge, allowed_to_unprotect }: LevelParams) {
  return { push: allowed_to_push, merge: allowed_to_merge, unprotect: allowed_to_unprotect };
}

/** `unprotect_access_level` adds an entry for that role. */
function toAddedLevelsByKind({ unprotect_access_level: level, ...params }: LevelParams & RoleParams) {
  const { unprotect, ...others } = toLevelsByKind(params);
  return { ...others, unprotect: level == null ? unprotect : [{ access_level: level }, ...unprotect] };
}
