import { protectionRules, type StoredRule } from '../../../access/protected-branches.ts';
import type { AccessCall } from '../../../http/access/access.ts';
import { inPublicProject, inRepositoryOf } from '../../../http/access/project-access.ts';
import { created, entity, mapPage, nothing, page } from '../../../http/endpoint/answers.ts';
import { endpoint } from '../../../http/endpoint/endpoint.ts';
import { nestedNotFound } from '../../../http/endpoint/refusal.ts';
import { slice } from '../../../http/lists/slice.ts';
import { hash, optional, required } from '../../../http/parameters/declarations.ts';
import { arrayOf, boolean, integer, integerIn, notBlank, text } from '../../../http/parameters/types.ts';
import { isRefused } from '../../../refused.ts';
import { changeRule } from './change.ts';
import { protect } from './create.ts';
import { ProtectedBranch, protectedBranchEntities } from './entities.ts';
import { entryNames } from './store.ts';
import { unprotect } from './unprotect.ts';

/** The rule that the path names exactly, wildcard rules included. */
const rule = {
  name: 'rule' as const,
  find: async ({ db, path }: AccessCall, { project }: { project: { id: number } }): Promise<StoredRule | null> =>
    (await protectionRules(db, project.id)).find(({ name }) => name === path.name) ?? null,
  missing: nestedNotFound,
};

const levels = optional(
  arrayOf(
    hash({
      id: optional(integer),
      access_level: optional(integer),
      user_id: optional(integer),
      group_id: optional(integer),
      _destroy: optional(boolean),
    }),
  ),
  [],
);
const allowedLevels = { allowed_to_push: levels, allowed_to_merge: levels, allowed_to_unprotect: levels };
const GONE = [404, '404 Not found'] as const;
const INVALID_LEVELS = [422, { message: '{texts}' }] as const;

export const listProtectedBranches = endpoint({
  get: '/projects/:id/protected_branches',
  summary: 'List protection rules',
  access: inPublicProject('read_code'),
  params: { search: optional(text) },
  answer: page(ProtectedBranch),
  async handle({ db, config, project, params, page }) {
    const term = params.search?.toLowerCase() ?? '';
    const rules = await protectionRules(db, project.id);
    const found = slice(
      rules.filter(({ name }) => name.toLowerCase().includes(term)),
      page,
    );
    const names = await entryNames(db, found.items);
    return mapPage(found, (items) => protectedBranchEntities(items, names, config.tier));
  },
});

export const readProtectedBranch = endpoint({
  get: '/projects/:id/protected_branches/:name',
  summary: 'Read a protection rule',
  access: inPublicProject('read_code').record(rule),
  answer: entity(ProtectedBranch),
  handle: async ({ db, config, rule }) =>
    protectedBranchEntities([rule], await entryNames(db, [rule]), config.tier)[0]!,
});

export const createProtectedBranch = endpoint({
  post: '/projects/:id/protected_branches',
  summary: 'Protect a branch or a pattern of branches',
  access: inRepositoryOf('admin_protected_branch'),
  params: {
    name: required(text),
    push_access_level: optional(integerIn([0, 30, 40, 60])),
    merge_access_level: optional(integerIn([0, 30, 40, 60])),
    unprotect_access_level: optional(integerIn([30, 40, 60])),
    allow_force_push: optional(boolean, false),
    code_owner_approval_required: optional(boolean, false),
    ...allowedLevels,
  },
  refuses: {
    nameBlank: [422, { message: ["Name can't be blank"] }],
    nameTooLong: [422, { message: ['Name is too long (maximum is {longest} bytes)'] }],
    exists: [409, "Protected branch '{name}' already exists"],
    levelsInvalid: INVALID_LEVELS,
  },
  records: ['protected_branch_created'],
  answer: created(ProtectedBranch),
  async handle(call) {
    const { db, config, params } = call;
    const roles = {
      push: params.push_access_level,
      merge: params.merge_access_level,
      unprotect: params.unprotect_access_level,
    };
    const made = await protect(call, call, { ...params, roles, allowed: allowedOf(params) });
    if (isRefused(made)) return made;
    return protectedBranchEntities([made], await entryNames(db, [made]), config.tier)[0]!;
  },
});

export const updateProtectedBranch = endpoint({
  patch: '/projects/:id/protected_branches/:name',
  summary: 'Change a protection rule',
  access: inRepositoryOf('admin_protected_branch').record(rule),
  params: {
    allow_force_push: optional(notBlank(boolean)),
    code_owner_approval_required: optional(boolean),
    ...allowedLevels,
  },
  refuses: { levelsInvalid: INVALID_LEVELS, gone: GONE },
  answer: entity(ProtectedBranch),
  async handle(call) {
    const { db, config, project, rule, params } = call;
    const changed = await changeRule(call, project, rule, { ...params, allowed: allowedOf(params) });
    if (isRefused(changed)) return changed;
    return protectedBranchEntities([changed], await entryNames(db, [changed]), config.tier)[0]!;
  },
});

export const deleteProtectedBranch = endpoint({
  delete: '/projects/:id/protected_branches/:name',
  summary: 'Remove a protection rule',
  access: inRepositoryOf('admin_protected_branch').record(rule),
  conditional: ({ rule }) => rule.updated_at,
  refuses: { notAdmitted: [403, '403 Forbidden'], gone: GONE },
  records: ['protected_branch_removed'],
  answer: nothing,
  handle: (call) => unprotect(call, call, call.rule),
});

interface Allowed<Level> {
  readonly allowed_to_push: readonly Level[];
  readonly allowed_to_merge: readonly Level[];
  readonly allowed_to_unprotect: readonly Level[];
}

function allowedOf<Level>({ allowed_to_push, allowed_to_merge, allowed_to_unprotect }: Allowed<Level>) {
  return { push: allowed_to_push, merge: allowed_to_merge, unprotect: allowed_to_unprotect };
}
