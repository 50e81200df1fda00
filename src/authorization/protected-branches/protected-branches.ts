import type { Columns, Reader, Transaction } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import { MAINTAINER } from '#domain/members/roles.ts';
import type { ProtectionRule, RuleEntry, RuleKind } from './branch-rules.ts';

// Rows of protection rules; branch-rules.ts evaluates them.

export interface ProtectionRuleRow
  extends ProtectionRule,
    Columns<'protected_branches', 'id' | 'code_owner_approval_required' | 'updated_at'> {}

// index: protected_branches_by_name, protected_branch_levels_by_rule
const loadRuleRows = prepare((db, value: Params<{ project: number }>) =>
  db
    .selectFrom('protected_branches')
    .leftJoin('protected_branch_access_levels as level', 'level.protected_branch_id', 'protected_branches.id')
    .select([
      'protected_branches.id',
      'protected_branches.name',
      'protected_branches.allow_force_push',
      'protected_branches.code_owner_approval_required',
      'protected_branches.updated_at',
      'level.id as level_id',
      'level.kind',
      'level.access_level',
      'level.user_id',
      'level.group_id',
    ])
    .where('protected_branches.project_id', '=', value('project'))
    .orderBy('protected_branches.id')
    .orderBy('level.id'),
);

/** Returns all rules of a project in order of id; matching happens in memory. */
export async function listProtectionRules(db: Reader, projectId: number): Promise<ProtectionRuleRow[]> {
  const rules = new Map<number, ProtectionRuleRow & Record<RuleKind, RuleEntry[]>>();
  for (const row of await loadRuleRows(db, { project: projectId })) {
    const rule = rules.get(row.id) ?? { ...toRuleColumns(row), push: [], merge: [], unprotect: [] };
    rules.set(row.id, rule);
    if (row.level_id === null || row.kind === null) continue;
    // The stored level is never null; only the left join makes its type nullable.
    const { level_id: id, access_level, user_id, group_id } = row;
    rule[row.kind].push({ id, access_level: access_level ?? MAINTAINER, user_id, group_id });
  }
  return [...rules.values()];
}

/** Returns the rule with this id in the project, or null. */
export async function findProtectionRule(db: Reader, projectId: number, id: number): Promise<ProtectionRuleRow | null> {
  return (await listProtectionRules(db, projectId)).find((rule) => rule.id === id) ?? null;
}

/** Returns the rule with exactly this name or pattern, or null. */
export async function findProtectionRuleByName(
  db: Reader,
  projectId: number,
  name: string,
): Promise<ProtectionRuleRow | null> {
  return (await listProtectionRules(db, projectId)).find((rule) => rule.name === name) ?? null;
}

type RuleRow = Awaited<ReturnType<typeof loadRuleRows>>[number];

function toRuleColumns({ id, name, allow_force_push, code_owner_approval_required, updated_at }: RuleRow) {
  return { id, name, allow_force_push, code_owner_approval_required, updated_at };
}

export interface CreateProtectionRuleInput {
  readonly name: string;
  readonly allow_force_push: boolean;
  readonly code_owner_approval_required: boolean;
  readonly levels: readonly CreateAccessLevelInput[];
}

export type CreateAccessLevelInput = Columns<
  'protected_branch_access_levels',
  'kind' | 'access_level' | 'user_id' | 'group_id'
>;

/**
 * Inserts a rule with its access levels. Throws the unique violation of `protected_branches_by_name` if the name is
 * taken.
 */
export async function insertProtectionRule(
  tx: Transaction,
  projectId: number,
  rule: CreateProtectionRuleInput,
): Promise<number> {
  const { levels, ...row } = rule;
  const { id } = await tx
    .insertInto('protected_branches')
    .values({ ...row, project_id: projectId, created_at: tx.now, updated_at: tx.now })
    .returning('id')
    .executeTakeFirstOrThrow();
  if (levels.length > 0) {
    const rows = levels.map((level) => ({ ...level, protected_branch_id: id }));
    await tx.insertInto('protected_branch_access_levels').values(rows).execute();
  }
  return id;
}
