import type { RuleKind } from '../../../access/branches.ts';
import type { Project } from '../../../access/projects.ts';
import { protectionRules, type StoredRule } from '../../../access/protected-branches.ts';
import type { Config } from '../../../config.ts';
import type { Database, Transaction } from '../../../database/database.ts';
import { isRefused, type Refused, refused } from '../../../refused.ts';
import { checkLevels, checkTaken, distinct, type GivenLevel, KINDS, saysWhom, toLevel } from './levels.ts';
import { touchRule } from './store.ts';

export interface RuleChange {
  readonly allow_force_push?: boolean | null | undefined;
  readonly code_owner_approval_required?: boolean | null | undefined;
  readonly allowed: Readonly<Record<RuleKind, readonly GivenLevel[]>>;
}

/**
 * Changes a rule as it stands now: an element with `id` changes that entry, with `_destroy` removes it, without `id` adds
 * one. Two calls at once follow one another.
 */
export async function changeRule(
  { database, config }: { readonly database: Database; readonly config: Config },
  project: Project,
  { id }: Pick<StoredRule, 'id'>,
  change: RuleChange,
): Promise<StoredRule | Refused<'levelsInvalid' | 'gone'>> {
  return database.transaction(
    async (tx) => {
      const rule = await ruleWith(tx, project.id, id);
      if (rule === undefined) return refused('gone');
      for (const kind of KINDS) {
        const done = await changeLevels(tx, { project, rule, kind, tier: config.tier }, change.allowed[kind]);
        if (isRefused(done)) return done;
      }
      const { allow_force_push, code_owner_approval_required } = change;
      const given = {
        ...(allow_force_push == null ? {} : { allow_force_push }),
        ...(code_owner_approval_required == null ? {} : { code_owner_approval_required }),
      };
      const touched = Object.keys(given).length > 0 || KINDS.some((kind) => change.allowed[kind].length > 0);
      if (touched) await touchRule(tx, id, given);
      return (await ruleWith(tx, project.id, id))!;
    },
    { isolation: 'serializable' },
  );
}

async function ruleWith(tx: Transaction, projectId: number, id: number): Promise<StoredRule | undefined> {
  return (await protectionRules(tx, projectId)).find((rule) => rule.id === id);
}

interface Changing {
  readonly project: Project;
  readonly rule: StoredRule;
  readonly kind: RuleKind;
  readonly tier: Config['tier'];
}

async function changeLevels(
  tx: Transaction,
  changing: Changing,
  given: readonly GivenLevel[],
): Promise<null | Refused<'levelsInvalid'>> {
  const { project, rule, kind, tier } = changing;
  const own = new Set(rule[kind].map(({ id }) => id));
  const known = given.filter(({ id }) => id != null && own.has(id));
  const removed = known.filter(({ _destroy }) => _destroy === true).map(({ id }) => id as number);
  const kept = known
    .filter((level) => level._destroy !== true && saysWhom(level))
    .map((level) => ({ id: level.id as number, ...toLevel(kind, level) }));
  const added = given.filter(({ id }) => id == null).map((level) => toLevel(kind, level));
  const problem =
    (await checkLevels(tx, project, [...kept, ...added], tier)) ??
    checkTaken(
      rule[kind].filter(({ id }) => !removed.includes(id)).map((entry) => ({ id: entry.id, ...toLevel(kind, entry) })),
      kept,
    );
  if (problem) return problem;
  const table = 'protected_branch_access_levels' as const;
  if (removed.length > 0) await tx.deleteFrom(table).where('id', 'in', removed).execute();
  for (const { id, ...level } of kept) await tx.updateTable(table).set(level).where('id', '=', id).execute();
  if (added.length > 0) {
    const rows = distinct(added).map((level) => ({ ...level, protected_branch_id: rule.id }));
    await tx
      .insertInto(table)
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  return null;
}
