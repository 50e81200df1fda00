import type { RuleKind } from '../../../access/branches.ts';
import type { Project } from '../../../access/projects.ts';
import {
  insertRule,
  type NewLevel,
  type NewRule,
  protectionRules,
  type StoredRule,
} from '../../../access/protected-branches.ts';
import { MAINTAINER } from '../../../access/roles.ts';
import type { Config } from '../../../config.ts';
import type { Database, Transaction } from '../../../database/database.ts';
import { uniqueViolation } from '../../../database/dialect.ts';
import { LONGEST_NAME } from '../../../git/refs.ts';
import { recordAudit } from '../../../history/index.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { type Refused, refused } from '../../../refused.ts';
import { describeEntry } from './entities.ts';
import { checkLevels, distinct, type GivenLevel, KINDS, toLevel } from './levels.ts';

export interface Protection {
  readonly name: string;
  readonly allow_force_push: boolean;
  readonly code_owner_approval_required: boolean;
  /** A role given by itself, as `push_access_level`. */
  readonly roles: Readonly<Record<RuleKind, number | null | undefined>>;
  readonly allowed: Readonly<Record<RuleKind, readonly GivenLevel[]>>;
}

interface Rooms {
  readonly database: Database;
  readonly config: Config;
}

export interface Protecting {
  readonly project: Project;
  readonly caller: SignedIn;
}

export type ProtectRefusal = 'nameBlank' | 'nameTooLong' | 'exists' | 'levelsInvalid';

/** A new rule; without entries of a kind Maintainers are admitted. */
export async function protect(
  { database, config }: Rooms,
  { project, caller }: Protecting,
  protection: Protection,
): Promise<StoredRule | Refused<ProtectRefusal>> {
  const { name, allow_force_push, code_owner_approval_required } = protection;
  if (name.trim() === '') return refused('nameBlank');
  if (Buffer.byteLength(name) > LONGEST_NAME) return refused('nameTooLong', { longest: LONGEST_NAME });
  const levels = distinct(KINDS.flatMap((kind) => levelsOf(kind, protection)));
  const rule = { name, allow_force_push, code_owner_approval_required, levels };
  try {
    return await database.transaction(async (tx) => {
      const problem = await checkLevels(tx, project, levels, config.tier);
      if (problem) return problem;
      const id = await insertRule(tx, project.id, rule);
      await recordProtection(tx, { project, caller }, config, rule);
      return (await protectionRules(tx, project.id)).find((stored) => stored.id === id)!;
    });
  } catch (error) {
    if (uniqueViolation(error) === 'protected_branches_by_name') return refused('exists', { name });
    throw error;
  }
}

function levelsOf(kind: RuleKind, { roles, allowed }: Protection): NewLevel[] {
  const given = allowed[kind].map((level) => toLevel(kind, level));
  const role = roles[kind] ?? (given.length === 0 ? MAINTAINER : null);
  return role === null ? given : [{ kind, access_level: role, user_id: null, group_id: null }, ...given];
}

export async function recordProtection(
  tx: Transaction,
  { project, caller }: Protecting,
  { tier }: Pick<Config, 'tier'>,
  rule: NewRule,
): Promise<void> {
  const named = { users: new Map<number, string>(), groups: new Map<number, string>() };
  const described = (kind: RuleKind) =>
    JSON.stringify(rule.levels.filter((level) => level.kind === kind).map((level) => describeEntry(level, named)));
  const { allow_force_push, code_owner_approval_required } = rule;
  await recordAudit(tx, caller, {
    name: 'protected_branch_created',
    entity: { type: 'Project', id: project.id, path: project.full_path, tier },
    target: { type: 'ProtectedBranch', id: null, details: rule.name },
    message: `Added protected branch with [allowed to push: ${described('push')}, allowed to merge: ${described('merge')}, allow force push: ${allow_force_push}, code owner approval required: ${code_owner_approval_required}]`,
  });
}
