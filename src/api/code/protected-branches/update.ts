import type { RuleKind } from '#authorization/protected-branches/branch-rules.ts';
import { findRule, type NewLevel, type StoredRule } from '#authorization/protected-branches/protected-branches.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { checkLevels, checkTaken, type GivenLevel, KINDS, saysWhom, toLevel } from './access-levels.ts';
import { addLevels, changeLevel, removeLevels, touchRule } from './store.ts';
import { mayUnprotect } from './unprotect.ts';

interface RuleChange {
  readonly allow_force_push?: boolean | null | undefined;
  readonly code_owner_approval_required?: boolean | null | undefined;
  readonly allowed: Readonly<Record<RuleKind, readonly GivenLevel[]>>;
}

/**
 * Changes a rule as it stands now: an element with `id` changes that entry, with `_destroy` removes it, without `id` adds
 * one. All of it or nothing; two calls at once follow one another.
 */
export async function changeRule(
  uow: UnitOfWork,
  project: Project,
  { id }: Pick<StoredRule, 'id'>,
  change: RuleChange,
): Promise<StoredRule | Failure<'levelsInvalid' | 'gone' | 'notAdmitted'>> {
  const rule = await findRule(uow, project.id, id);
  if (rule === null) return fail('gone');
  if (!saysSomething(change)) return rule;
  if (!mayUnprotect(uow, project, rule)) return fail('notAdmitted');
  for (const kind of KINDS) {
    const problem = await changeLevels(uow, project, rule, { kind, given: change.allowed[kind] });
    if (problem) return problem;
  }
  const { allow_force_push, code_owner_approval_required } = change;
  const given = {
    ...(allow_force_push == null ? {} : { allow_force_push }),
    ...(code_owner_approval_required == null ? {} : { code_owner_approval_required }),
  };
  await touchRule(uow, id, given);
  return (await findRule(uow, project.id, id)) as StoredRule;
}

function saysSomething({ allow_force_push, code_owner_approval_required, allowed }: RuleChange): boolean {
  if (allow_force_push != null || code_owner_approval_required != null) return true;
  return KINDS.some((kind) => allowed[kind].length > 0);
}

interface LevelChange {
  readonly kind: RuleKind;
  readonly given: readonly GivenLevel[];
}

async function changeLevels(
  uow: UnitOfWork,
  project: Project,
  rule: StoredRule,
  { kind, given }: LevelChange,
): Promise<undefined | Failure<'levelsInvalid' | 'gone'>> {
  const own = new Set(rule[kind].map(({ id }) => id));
  if (given.some(({ id }) => id != null && !own.has(id))) return fail('gone');
  const { removed, kept, added } = sorted({ kind, given });
  const standing = rule[kind].filter(({ id }) => !removed.includes(id));
  const problem =
    (await checkLevels(uow, project, [...kept, ...added])) ??
    checkTaken(
      standing.map((entry) => ({ id: entry.id, ...toLevel(kind, entry) })),
      kept,
      added,
    );
  if (problem) return problem;
  await removeLevels(uow, removed);
  for (const level of kept) await changeLevel(uow, level);
  await addLevels(uow, rule.id, added);
}

interface SortedLevels {
  readonly removed: readonly number[];
  readonly kept: readonly (NewLevel & { readonly id: number })[];
  readonly added: readonly NewLevel[];
}

/** What the elements want; those that say nothing of the entry that they name want nothing. */
function sorted({ kind, given }: LevelChange): SortedLevels {
  const known = given.filter(({ id }) => id != null);
  return {
    removed: known.filter(({ _destroy }) => _destroy === true).map(({ id }) => id as number),
    kept: known
      .filter((level) => level._destroy !== true && saysWhom(level))
      .map((level) => ({ id: level.id as number, ...toLevel(kind, level) })),
    added: given.filter(({ id }) => id == null).map((level) => toLevel(kind, level)),
  };
}
