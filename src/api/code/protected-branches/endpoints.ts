import { protectionRules, ruleNamed, type StoredRule } from '#authorization/protected-branches/protected-branches.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { AccessCall } from '#http/access/access.ts';
import { inPublicProject, inRepositoryOf } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page } from '#http/endpoint/responses.ts';
import { FORBIDDEN, NOT_FOUND } from '#http/errors/error-messages.ts';
import { forbidden, nestedNotFound } from '#http/errors/http-error.ts';
import { slice } from '#http/lists/in-memory-page.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { expression, refName, ruledText } from '#http/parameters/texts.ts';
import { boolean, integerIn, notBlank } from '#http/parameters/types.ts';
import { ALLOWED, type GivenLevel, levelsOf } from './access-levels.ts';
import { protect } from './create.ts';
import { ProtectedBranch } from './entities.ts';
import { mayUnprotect, unprotect } from './unprotect.ts';
import { changeRule } from './update.ts';

/** The rule that the path names exactly, wildcard rules included. */
const rule = {
  name: 'rule',
  params: { name: required(refName) },
  load: (
    { db, params }: AccessCall<{ readonly name: string }>,
    { project }: { readonly project: { readonly id: number } },
  ) => ruleNamed(db, project.id, params.name),
  notFound: nestedNotFound,
} as const;

/** Whom its unprotect entries don't admit hears so before `If-Unmodified-Since` is looked at. */
const removableRule = {
  ...rule,
  allow({ services, caller }: AccessCall, found: { readonly project: Project; readonly rule: StoredRule }) {
    if (!mayUnprotect({ actor: caller, tier: services.config.tier }, found.project, found.rule)) throw forbidden();
  },
} as const;

const allowedLevels = {
  allowed_to_push: levelsOf('push'),
  allowed_to_merge: levelsOf('merge'),
  allowed_to_unprotect: levelsOf('unprotect'),
};
const INVALID_LEVELS = [422, { message: '{texts}' }] as const;

export const listProtectedBranches = endpoint({
  get: '/projects/:id/protected_branches',
  summary: 'List protection rules',
  access: inPublicProject('read_code'),
  params: { search: optional(expression) },
  response: page(ProtectedBranch),
  async read(db, { project, params, page }) {
    const term = params.search?.toLowerCase() ?? '';
    const rules = await protectionRules(db, project.id);
    const found = rules.filter(({ name }) => name.toLowerCase().includes(term));
    return slice(found, page);
  },
});

export const readProtectedBranch = endpoint({
  get: '/projects/:id/protected_branches/:name',
  summary: 'Read a protection rule',
  access: inPublicProject('read_code').resource(rule),
  response: ok(ProtectedBranch),
  read: (_db, { rule }) => rule,
});

export const createProtectedBranch = endpoint({
  post: '/projects/:id/protected_branches',
  summary: 'Protect a branch or a pattern of branches',
  access: inRepositoryOf('admin_protected_branch'),
  params: {
    name: required(ruledText(1024)),
    push_access_level: optional(integerIn(ALLOWED.push)),
    merge_access_level: optional(integerIn(ALLOWED.merge)),
    unprotect_access_level: optional(integerIn(ALLOWED.unprotect)),
    allow_force_push: optional(boolean, false),
    code_owner_approval_required: optional(boolean, false),
    ...allowedLevels,
  },
  errors: {
    nameBlank: [422, { message: ["Name can't be blank"] }],
    nameTooLong: [422, { message: ['Name is too long (maximum is {longest} bytes)'] }],
    exists: [409, "Protected branch '{name}' already exists"],
    levelsInvalid: INVALID_LEVELS,
  },
  uniqueErrors: { protected_branches_by_name: 'exists' },
  activity: ['protected_branch_created'],
  response: created(ProtectedBranch),
  write: (uow, { project, params }) =>
    protect(uow, project, { ...params, roles: rolesOf(params), allowed: allowedOf(params) }),
});

export const updateProtectedBranch = endpoint({
  patch: '/projects/:id/protected_branches/:name',
  summary: 'Change a protection rule',
  access: inRepositoryOf('admin_protected_branch').resource(rule),
  params: {
    allow_force_push: optional(notBlank(boolean)),
    code_owner_approval_required: optional(boolean),
    ...allowedLevels,
  },
  errors: { levelsInvalid: INVALID_LEVELS, gone: NOT_FOUND, notAdmitted: FORBIDDEN },
  response: ok(ProtectedBranch),
  write: (uow, { project, rule, params }) => changeRule(uow, project, rule, { ...params, allowed: allowedOf(params) }),
});

export const deleteProtectedBranch = endpoint({
  delete: '/projects/:id/protected_branches/:name',
  summary: 'Remove a protection rule',
  access: inRepositoryOf('admin_protected_branch').resource(removableRule),
  lastModified: ({ rule }) => rule.updated_at,
  errors: { notAdmitted: FORBIDDEN, gone: NOT_FOUND },
  activity: ['protected_branch_removed'],
  response: noContent,
  write: (uow, { project, rule }) => unprotect(uow, project, rule),
});

interface Roles {
  readonly push_access_level?: number | null | undefined;
  readonly merge_access_level?: number | null | undefined;
  readonly unprotect_access_level?: number | null | undefined;
}

function rolesOf({ push_access_level, merge_access_level, unprotect_access_level }: Roles) {
  return { push: push_access_level, merge: merge_access_level, unprotect: unprotect_access_level };
}

interface Allowed {
  readonly allowed_to_push: readonly GivenLevel[];
  readonly allowed_to_merge: readonly GivenLevel[];
  readonly allowed_to_unprotect: readonly GivenLevel[];
}

function allowedOf({ allowed_to_push, allowed_to_merge, allowed_to_unprotect }: Allowed) {
  return { push: allowed_to_push, merge: allowed_to_merge, unprotect: allowed_to_unprotect };
}
