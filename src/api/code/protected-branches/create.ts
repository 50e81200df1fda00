import type { RuleKind } from '#authorization/protected-branches/branch-rules.ts';
import {
  findRule,
  insertRule,
  type NewLevel,
  type NewRule,
  ruleNamed,
  type StoredRule,
} from '#authorization/protected-branches/protected-branches.ts';
import { MAINTAINER } from '#domain/members/roles.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { LONGEST_NAME } from '#git/refs/refs.ts';
import { recordRule } from '#repositories/branches/protection-activity.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { checkLevels, distinct, type GivenLevel, KINDS, toLevel } from './access-levels.ts';

interface Protection {
  readonly name: string;
  readonly allow_force_push: boolean;
  readonly code_owner_approval_required: boolean;
  /** A role given by itself, as `push_access_level`. */
  readonly roles: Readonly<Record<RuleKind, number | null | undefined>>;
  readonly allowed: Readonly<Record<RuleKind, readonly GivenLevel[]>>;
}

type ProtectFailure = 'nameBlank' | 'nameTooLong' | 'exists' | 'levelsInvalid';

/** A new rule; without entries of a kind Maintainers are admitted. */
export async function protect(
  uow: UnitOfWork,
  project: Project,
  protection: Protection,
): Promise<StoredRule | Failure<ProtectFailure>> {
  const { name, allow_force_push, code_owner_approval_required } = protection;
  const levels = KINDS.flatMap((kind) => levelsOf(kind, protection));
  return addRule(uow, project, { name, allow_force_push, code_owner_approval_required, levels });
}

/** The same with these entries and no others. */
export async function addRule(
  uow: UnitOfWork,
  project: Project,
  { levels: given, ...wish }: NewRule,
): Promise<StoredRule | Failure<ProtectFailure>> {
  const { name } = wish;
  if (name.trim() === '') return fail('nameBlank');
  if (Buffer.byteLength(name) > LONGEST_NAME) return fail('nameTooLong', { longest: LONGEST_NAME });
  const levels = distinct(given);
  const problem = await checkLevels(uow, project, levels);
  if (problem) return problem;
  if ((await ruleNamed(uow, project.id, name)) !== null) return fail('exists', { name });
  const rule = { ...wish, levels };
  const id = await insertRule(uow, project.id, rule);
  const made = (await findRule(uow, project.id, id)) as StoredRule;
  await recordRule(uow, 'protected_branch_created', project, made);
  return made;
}

function levelsOf(kind: RuleKind, { roles, allowed }: Protection): NewLevel[] {
  const given = allowed[kind].map((level) => toLevel(kind, level));
  const role = roles[kind] ?? (given.length === 0 ? MAINTAINER : null);
  return role === null ? given : [{ kind, access_level: role, user_id: null, group_id: null }, ...given];
}
