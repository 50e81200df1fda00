import type { RuleKind } from '#authorization/protected-branches/branch-rules.ts';
import {
  type CreateAccessLevelInput,
  type CreateProtectionRuleInput,
  findProtectionRule,
  findProtectionRuleByName,
  insertProtectionRule,
  type ProtectionRuleRow,
} from '#authorization/protected-branches/protected-branches.ts';
import { MAINTAINER } from '#domain/members/roles.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { MAX_REF_NAME_BYTES } from '#git/refs/refs.ts';
import type { ErrorTable } from '#http/errors/error-table.ts';
import { recordProtectionRule } from '#repositories/branches/protection-activity.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import {
  type AccessLevelInput,
  checkLevels,
  RULE_KINDS,
  removeDuplicateLevels,
  toCreateAccessLevelInput,
} from './access-levels.ts';

interface CreateRuleInput {
  readonly name: string;
  readonly allow_force_push: boolean;
  readonly code_owner_approval_required: boolean;
  /** A role from a single parameter such as `push_access_level`. */
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

export type CreateRuleFailure = keyof typeof CREATE_RULE_ERRORS;

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
export async function createRuleWithLevels(
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
  const createdRule = (await findProtectionRule(uow, project.id, id)) as ProtectionRuleRow;
  await recordProtectionRule(uow, 'protected_branch_created', project, createdRule);
  return createdRule;
}

function toLevels(kind: RuleKind, { roles, allowed }: CreateRuleInput): CreateAccessLevelInput[] {
  const levels = allowed[kind].map((level) => toCreateAccessLevelInput(kind, level));
  const role = roles[kind] ?? (levels.length === 0 ? MAINTAINER : null);
  return role === null ? levels : [{ kind, access_level: role, user_id: null, group_id: null }, ...levels];
}
