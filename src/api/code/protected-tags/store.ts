import type { Columns, Reader, Transaction } from '#database/database.ts';

// Inserts and deletes rules. `#authorization/protected-tags.ts` reads them.

/** An entry of a new rule: a role, or a user. */
export type CreateLevelInput = Columns<'protected_tag_access_levels', 'access_level' | 'user_id'>;

/** Inserts a rule with its entries. Throws the unique violation of `protected_tags_by_name` if the name is taken. */
export async function insertTagRule(
  tx: Transaction,
  projectId: number,
  name: string,
  levels: readonly CreateLevelInput[],
): Promise<void> {
  const { id } = await tx
    .insertInto('protected_tags')
    .values({ project_id: projectId, name, created_at: tx.now, updated_at: tx.now })
    .returning('id')
    .executeTakeFirstOrThrow();
  const rows = levels.map((level) => ({ ...level, protected_tag_id: id }));
  await tx.insertInto('protected_tag_access_levels').values(rows).execute();
}

/** Deletes a rule. index: protected_tags primary key */
export async function deleteTagRule(tx: Transaction, id: number): Promise<void> {
  await tx.deleteFrom('protected_tags').where('id', '=', id).execute();
}

/** Returns the entries for a user, with their projects. index: protected_tag_levels_of_user */
export function listEntriesOfUser(db: Reader, userId: number) {
  return db
    .selectFrom('protected_tag_access_levels as level')
    .innerJoin('protected_tags as rule', 'rule.id', 'level.protected_tag_id')
    .innerJoin('projects', 'projects.id', 'rule.project_id')
    .select(['level.id as entry_id', 'projects.id', 'projects.namespace_id'])
    .where('level.user_id', '=', userId)
    .orderBy('level.id')
    .execute();
}

/** Deletes entries of rules. index: protected_tag_access_levels primary key */
export async function deleteEntries(tx: Transaction, ids: readonly number[]): Promise<void> {
  await tx.deleteFrom('protected_tag_access_levels').where('id', 'in', ids).execute();
}
