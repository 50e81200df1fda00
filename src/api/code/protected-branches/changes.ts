import { isAllowedByEntry, type RuleEntry, type RuleKind } from '#authorization/protected-branches/branch-rules.ts';
import {
  type CreateAccessLevelInput,
  type CreateProtectionRuleInput,
  findProtectionRule,
  findProtectionRuleByName,
  insertProtectionRule,
  listProtectionRules,
  type ProtectionRuleRow,
} from '#authorization/protected-branches/protected-branches.ts';
import { DEVELOPER, MAINTAINER } from '#domain/members/roles.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { MAX_REF_NAME_BYTES } from '#git/refs/refs.ts';
import type { ErrorTable } from '#http/errors/error-messages.ts';
import { recordProtectionRule } from '#repositories/branches/initial-default-branch.ts';
import { type Failure, fail, invalid, isFailure, requireRow } from '#runtime/failure.ts';
import {
  type AccessLevelInput,
  ALLOWED_LEVELS,
  changesSubject,
  checkLevels,
  checkUniqueLevels,
  RULE_KINDS,
  removeDuplicateLevels,
  toCreateAccessLevelInput,
} from './access-levels.ts';
import { deleteLevels, deleteRule, insertLevels, updateLevel, updateRuleRow } from './store.ts';

/** The parameters of a new rule. */
interface CreateRuleInput {
  readonly name: string;
  readonly allow_force_push: boolean;
  readonly code_owner_approval_required: boolean;
  /** The roles in `push_access_level`, `merge_access_level` and `unprotect_access_level`. */
  readonly roles: Readonly<Record<RuleKind, number | null | undefined>>;
  readonly allowed: Readonly<Record<RuleKind, readonly AccessLevelInput[]>>;
}

/** Errors of all endpoints that create rules. */
export const CREATE_RULE_ERRORS = {
  nameBlank: [422, { message: ["Name can't be blank"] }],
  nameTooLong: [422, { message: ['Name is too long (maximum is {longest} bytes)'] }],
  exists: [409, "Protected branch '{name}' already exists"],
  levelsInvalid: [422, { message: '{texts}' }],
} as const satisfies ErrorTable;

type CreateRuleFailure = keyof typeof CREATE_RULE_ERRORS;

/** Creates a rule. A kind without entries admits Maintainers. */
export async function createRule(
  uow: UnitOfWork,
  project: Project,
  input: CreateRuleInput,
): Promise<ProtectionRuleRow | Failure<CreateRuleFailure>> {
  const { name, allow_force_push, code_owner_approval_required } = input;
  const levels = RULE_KINDS.flatMap((kind) => toLevels(kind, input));
  return createRuleWithLevels(uow, project, { name, allow_force_push, code_owner_approval_required, levels });
}

/** Creates a rule with exactly these entries. */
async function createRuleWithLevels(
  uow: UnitOfWork,
  project: Project,
  { levels: requestedLevels, ...input }: CreateProtectionRuleInput,
): Promise<ProtectionRuleRow | Failure<CreateRuleFailure>> {
  const { name } = input;
  if (name.trim() === '') return fail('nameBlank');
  if (Buffer.byteLength(name) > MAX_REF_NAME_BYTES) return fail('nameTooLong', { longest: MAX_REF_NAME_BYTES });
  const levels = removeDuplicateLevels(requestedLevels);
  const failure = await checkLevels(uow, project, levels);
  if (failure) return failure;
  if ((await findProtectionRuleByName(uow, project.id, name)) !== null) return fail('exists', { name });
  const rule = { ...input, levels };
  const id = await insertProtectionRule(uow, project.id, rule);
  const createdRule = requireRow(await findProtectionRule(uow, project.id, id));
  await recordProtectionRule(uow, 'protected_branch_created', project, createdRule);
  return createdRule;
}

/** Returns the entries of one kind: those of the parameters, or Maintainers if there are none. */
function toLevels(kind: RuleKind, { roles, allowed }: CreateRuleInput): CreateAccessLevelInput[] {
  const levels = allowed[kind].map((level) => toCreateAccessLevelInput(kind, level));
  const role = roles[kind] ?? (levels.length === 0 ? MAINTAINER : null);
  return role === null ? levels : [{ kind, access_level: role, user_id: null, group_id: null }, ...levels];
}

/** A rule of another server. */
interface ImportRuleInput {
  readonly name: string;
  readonly allow_force_push: boolean;
  /** The admitted roles of each kind; roles that do not exist here are skipped. */
  readonly roles: Readonly<Record<RuleKind, readonly number[]>>;
}

/**
 * Creates a rule from another server (contract/operations.md §1.4). If no push or merge role remains, Maintainers are
 * admitted. Unprotect roles are optional.
 */
export async function importRule(
  uow: UnitOfWork,
  project: Project,
  { name, allow_force_push, roles }: ImportRuleInput,
): Promise<ProtectionRuleRow | Failure<'invalid'>> {
  const levels = RULE_KINDS.flatMap((kind) => {
    const allowed: readonly number[] = ALLOWED_LEVELS[kind];
    const allowedRoles = roles[kind].filter((role) => allowed.includes(role));
    const fallbackRoles = kind === 'unprotect' ? [] : [MAINTAINER];
    return (allowedRoles.length > 0 ? allowedRoles : fallbackRoles).map((access_level) =>
      toCreateAccessLevelInput(kind, { access_level }),
    );
  });
  const createdRule = await createRuleWithLevels(uow, project, {
    name,
    allow_force_push,
    code_owner_approval_required: false,
    levels,
  });
  return isFailure(createdRule) ? invalid({ name: [FAILURE_TEXTS[createdRule.code]] }) : createdRule;
}

/** Errors of an imported rule by failure. */
const FAILURE_TEXTS = {
  nameBlank: "can't be blank",
  nameTooLong: 'is too long',
  exists: 'has already been taken',
  levelsInvalid: 'has unknown roles',
} as const;

/** Deletes the rules that a new project gets automatically, before the rules of another server are imported. */
export async function deleteRules(uow: UnitOfWork, project: Project): Promise<void> {
  for (const rule of await listProtectionRules(uow, project.id)) {
    if (await deleteRule(uow, rule.id)) await recordProtectionRule(uow, 'protected_branch_removed', project, rule);
  }
}

/** The changes of a rule; absent values stay unchanged. */
interface UpdateRuleInput {
  readonly allow_force_push?: boolean | null | undefined;
  readonly code_owner_approval_required?: boolean | null | undefined;
  readonly allowed: Readonly<Record<RuleKind, readonly AccessLevelInput[]>>;
}

/**
 * Updates a rule in its current state. An element with `id` updates that entry, with `_destroy` deletes it, and
 * without `id` adds one. The update is atomic; concurrent calls are serialized.
 */
export async function updateRule(
  uow: UnitOfWork,
  project: Project,
  { id }: Pick<ProtectionRuleRow, 'id'>,
  input: UpdateRuleInput,
): Promise<ProtectionRuleRow | Failure<'levelsInvalid' | 'notFound' | 'unprotectNotAllowed'>> {
  const rule = await findProtectionRule(uow, project.id, id);
  if (rule === null) return fail('notFound');
  if (!hasChanges(input)) return rule;
  if (!mayUnprotect(uow, project, rule)) return fail('unprotectNotAllowed');
  for (const kind of RULE_KINDS) {
    const failure = await updateLevels(uow, project, rule, { kind, input: input.allowed[kind] });
    if (failure) return failure;
  }
  const { allow_force_push, code_owner_approval_required } = input;
  const columns = {
    ...(allow_force_push == null ? {} : { allow_force_push }),
    ...(code_owner_approval_required == null ? {} : { code_owner_approval_required }),
  };
  await updateRuleRow(uow, id, columns);
  return requireRow(await findProtectionRule(uow, project.id, id));
}

function hasChanges({ allow_force_push, code_owner_approval_required, allowed }: UpdateRuleInput): boolean {
  if (allow_force_push != null || code_owner_approval_required != null) return true;
  return RULE_KINDS.some((kind) => allowed[kind].length > 0);
}

/** The elements of one parameter, such as `allowed_to_push`. */
interface LevelInputs {
  readonly kind: RuleKind;
  readonly input: readonly AccessLevelInput[];
}

/** Applies the changes of one kind of entries. */
async function updateLevels(
  uow: UnitOfWork,
  project: Project,
  rule: ProtectionRuleRow,
  { kind, input }: LevelInputs,
): Promise<undefined | Failure<'levelsInvalid' | 'notFound'>> {
  const existingIds = new Set(rule[kind].map(({ id }) => id));
  if (input.some(({ id }) => id != null && !existingIds.has(id))) return fail('notFound');
  const { removedIds, updated, added } = toLevelChanges({ kind, input });
  const remainingEntries = rule[kind].filter(({ id }) => !removedIds.includes(id));
  const failure =
    (await checkLevels(uow, project, [...updated, ...added])) ??
    checkUniqueLevels(
      remainingEntries.map((entry) => ({ id: entry.id, ...toCreateAccessLevelInput(kind, entry) })),
      updated,
      added,
    );
  if (failure) return failure;
  await deleteLevels(uow, removedIds);
  for (const level of updated) await updateLevel(uow, level);
  await insertLevels(uow, rule.id, added);
}

/** The changes of the entries of one kind. */
interface LevelChanges {
  readonly removedIds: readonly number[];
  readonly updated: readonly (CreateAccessLevelInput & { readonly id: number })[];
  readonly added: readonly CreateAccessLevelInput[];
}

/** Divides the elements of a parameter into deletions, updates and additions. Elements that change nothing are left out. */
function toLevelChanges({ kind, input }: LevelInputs): LevelChanges {
  const removedIds: number[] = [];
  const updated: (CreateAccessLevelInput & { readonly id: number })[] = [];
  const added: CreateAccessLevelInput[] = [];
  for (const level of input) {
    if (level.id == null) added.push(toCreateAccessLevelInput(kind, level));
    else if (level._destroy === true) removedIds.push(level.id);
    else if (changesSubject(level)) updated.push({ id: level.id, ...toCreateAccessLevelInput(kind, level) });
  }
  return { removedIds, updated, added };
}

/**
 * Returns whether the unprotect entries of a rule admit the actor; without entries any Maintainer is admitted. Without this
 * permission, nobody may delete the rule or update it, because an update could admit them. The free tier ignores these entries.
 */
export function mayUnprotect(
  { actor, tier }: Pick<UnitOfWork, 'actor' | 'tier'>,
  project: Project,
  rule: ProtectionRuleRow,
): boolean {
  if (tier === 'free') return true;
  return rule.unprotect.length === 0 || rule.unprotect.some((entry) => isAllowedByEntry(entry, actor, project));
}

/** Deletes a rule if its unprotect entries admit the actor. */
export async function deleteRuleIfAdmitted(
  uow: UnitOfWork,
  project: Project,
  rule: ProtectionRuleRow,
): Promise<undefined | Failure<'unprotectNotAllowed' | 'notFound'>> {
  if (!mayUnprotect(uow, project, rule)) return fail('unprotectNotAllowed');
  if (!(await deleteRule(uow, rule.id))) return fail('notFound');
  await recordProtectionRule(uow, 'protected_branch_removed', project, rule);
}

/** Permissions of Developers; omitted ones stay unchanged. */
interface DeveloperPermissions {
  readonly developers_can_push?: boolean | null | undefined;
  readonly developers_can_merge?: boolean | null | undefined;
}

/** Creates or updates the rule with the branch's name (`…/branches/:branch/protect`). */
export async function protectBranchByName(
  uow: UnitOfWork,
  project: Project,
  name: string,
  permissions: DeveloperPermissions,
): Promise<undefined | Failure<'unprotectNotAllowed' | CreateRuleFailure>> {
  const push = toRole(permissions.developers_can_push);
  const merge = toRole(permissions.developers_can_merge);
  const rule = await findProtectionRuleByName(uow, project.id, name);
  if (rule === null) {
    const roles = { push, merge, unprotect: null };
    const allowed = { push: [], merge: [], unprotect: [] };
    const createdRule = await createRule(uow, project, {
      name,
      allow_force_push: false,
      code_owner_approval_required: false,
      roles,
      allowed,
    });
    return isFailure(createdRule) ? createdRule : undefined;
  }
  const allowed = { push: replaceRole(rule.push, push), merge: replaceRole(rule.merge, merge), unprotect: [] };
  const updatedRule = await updateRule(uow, project, rule, { allowed });
  return isFailure(updatedRule) && updatedRule.code === 'unprotectNotAllowed' ? fail('unprotectNotAllowed') : undefined;
}

/** Deletes the rule with the branch's name, if there is one (`…/branches/:branch/unprotect`). */
export async function unprotectBranchByName(
  uow: UnitOfWork,
  project: Project,
  name: string,
): Promise<undefined | Failure<'unprotectNotAllowed'>> {
  const rule = await findProtectionRuleByName(uow, project.id, name);
  const failure = rule === null ? undefined : await deleteRuleIfAdmitted(uow, project, rule);
  // A rule that another request has deleted counts as deleted.
  return failure?.code === 'unprotectNotAllowed' ? fail('unprotectNotAllowed') : undefined;
}

/** Returns the lowest role that the parameter admits, or null if it is absent. */
function toRole(areDevelopersAllowed: boolean | null | undefined): number | null {
  if (areDevelopersAllowed == null) return null;
  return areDevelopersAllowed ? DEVELOPER : MAINTAINER;
}

/** Returns the changes that replace the role entries by this role; user entries stay. */
function replaceRole(entries: readonly RuleEntry[], role: number | null): AccessLevelInput[] {
  if (role === null) return [];
  const roleEntries = entries.filter(({ user_id }) => user_id === null);
  return [...roleEntries.map(({ id }) => ({ id, _destroy: true })), { access_level: role }];
}
