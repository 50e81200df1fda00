import { type Protection, withElements } from '#authorization/protected-environments/protected-environments.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { type Page, paged } from '#database/page.ts';
import type { MemberSource } from '#domain/members/memberships.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { type Changes, type ElementKind, KINDS } from './access-levels.ts';

/** The rows of protected environments of one group or project. */

type Owner = Pick<MemberSource, 'type' | 'id'>;

/** index: protected_environments_by_project, protected_environments_by_group */
function protectionsIn(db: Reader, { type, id }: Owner) {
  return db
    .selectFrom('protected_environments')
    .selectAll()
    .where(type === 'project' ? 'project_id' : 'group_id', '=', id);
}

/** One page of its own, by name. */
export async function listProtections(db: Reader, owner: Owner, page: OffsetRequest): Promise<Page<Protection>> {
  const found = await paged(db, protectionsIn(db, owner).orderBy('name'), page);
  return { ...found, items: await withElements(db, found.items) };
}

/** Its protection of exactly this name. */
export async function protectionNamed(db: Reader, owner: Owner, name: string): Promise<Protection | null> {
  const row = await protectionsIn(db, owner).where('name', '=', name).executeTakeFirst();
  return row === undefined ? null : (await withElements(db, [row]))[0]!;
}

/** Throws the unique violation of the owner's index by name when it has one of that name. */
export async function insertProtection(
  tx: Transaction,
  { type, id }: Owner,
  row: Pick<Protection, 'name' | 'required_approval_count'>,
): Promise<number> {
  const owner = { project_id: type === 'project' ? id : null, group_id: type === 'group' ? id : null };
  const inserted = await tx
    .insertInto('protected_environments')
    .values({ ...owner, ...row, created_at: tx.now, updated_at: tx.now })
    .returning('id')
    .executeTakeFirstOrThrow();
  return inserted.id;
}

export async function touchProtection(tx: Transaction, id: number, required_approval_count: number): Promise<void> {
  await tx
    .updateTable('protected_environments')
    .set({ required_approval_count, updated_at: tx.now })
    .where('id', '=', id)
    .execute();
}

export async function deleteProtection(tx: Transaction, id: number): Promise<void> {
  await tx.deleteFrom('protected_environments').where('id', '=', id).execute();
}

const TABLES = {
  deploy_access_levels: 'protected_environment_deploy_access_levels',
  approval_rules: 'protected_environment_approval_rules',
} as const satisfies Record<ElementKind, string>;

/** Makes the elements of a protection what they shall be. */
export async function changeElements(tx: Transaction, protectionId: number, changes: Changes): Promise<void> {
  for (const kind of KINDS) {
    const { added, updated, removed } = changes[kind];
    const table = TABLES[kind];
    for (const { id } of removed) await tx.deleteFrom(table).where('id', '=', id).execute();
    for (const { after } of updated) {
      const { id, ...row } = after;
      await tx.updateTable(table).set(row).where('id', '=', id).execute();
    }
    const rows = added.map((row) => ({ ...row, protected_environment_id: protectionId }));
    if (rows.length > 0) await tx.insertInto(table).values(rows).execute();
  }
}

/**
 * Takes a user out of all protections of a project.
 * index: deploy_access_levels_by_user, approval_rules_by_user, protected_environments_by_project
 */
export async function removeUser(tx: Transaction, projectId: number, userId: number): Promise<void> {
  for (const table of Object.values(TABLES)) {
    await tx
      .deleteFrom(table)
      .where('user_id', '=', userId)
      .where('protected_environment_id', 'in', (eb) =>
        eb.selectFrom('protected_environments').select('id').where('project_id', '=', projectId),
      )
      .execute();
  }
}
