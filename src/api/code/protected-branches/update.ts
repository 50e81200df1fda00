import type { RuleKind } from '#authorization/protected-branches/branch-rules.ts';
import {
  type CreateAccessLevelInput,
  findProtectionRule,
  type ProtectionRuleRow,
} from '#authorization/protected-branches/protected-branches.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import {
  type AccessLevelInput,
  changesSubject,
  checkLevels,
  checkUniqueLevels,
  RULE_KINDS,
  toCreateAccessLevelInput,
} from './access-levels.ts';
import { deleteLevels, insertLevels, updateLevel, updateRuleRow } from './store.ts';
import { mayUnprotect } from './unprotect.ts';

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
  return (await findProtectionRule(uow, project.id, id)) as ProtectionRuleRow;
}

function hasChanges({ allow_force_push, code_owner_approval_required, allowed }: UpdateRuleInput): boolean {
  if (allow_force_push != null || code_owner_approval_required != null) return true;
  return RULE_KINDS.some((kind) => allowed[kind].length > 0);
}

interface LevelInputs {
  readonly kind: RuleKind;
  readonly input: readonly AccessLevelInput[];
}

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

interface LevelChanges {
  readonly removedIds: readonly number[];
  readonly updated: readonly (CreateAccessLevelInput & { readonly id: number })[];
  readonly added: readonly CreateAccessLevelInput[];
}

/** Sorts the elements into deletions, updates and additions. Elements that change nothing are dropped. */
function toLevelChanges({ kind, input }: LevelInputs): LevelChanges {
  const entriesWithId = input.filter(({ id }) => id != null);
  return {
    removedIds: entriesWithId.filter(({ _destroy }) => _destroy === true).map(({ id }) => id as number),
    updated: entriesWithId
      .filter((level) => level._destroy !== true && changesSubject(level))
      .map((level) => ({ id: level.id as number, ...toCreateAccessLevelInput(kind, level) })),
    added: input.filter(({ id }) => id == null).map((level) => toCreateAccessLevelInput(kind, level)),
  };
}
