import {
  type EnvironmentProtection,
  loadProtectionElements,
} from '#authorization/protected-environments/protected-environments.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import type { MemberSource } from '#domain/members/memberships.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { ELEMENT_KINDS, type ElementKind, type ProtectionChanges } from './access-levels.ts';

// Rows of protected environments.

type ProtectionOwner = Pick<MemberSource, 'type' | 'id'>;

/** Selects the protections of a project or group itself. index: protected_environments_by_project, protected_environments_by_group */
function selectProtections(db: Reader, { type, id }: ProtectionOwner) {
  return db
    .selectFrom('protected_environments')
    .selectAll()
    .where(type === 'project' ? 'project_id' : 'group_id', '=', id);
}

/** Returns one page of the protections of a project or group, without inherited ones, ordered by name. */
export async function listProtections(
  db: Reader,
  owner: ProtectionOwner,
  page: OffsetRequest,
): Promise<Page<EnvironmentProtection>> {
  const result = await paginate(db, selectProtections(db, owner).orderBy('name'), page);
  return { ...result, items: await loadProtectionElements(db, result.items) };
}

/** Returns the owner's protection with exactly this name, or null. */
export async function findProtection(
  db: Reader,
  owner: ProtectionOwner,
  name: string,
): Promise<EnvironmentProtection | null> {
  const row = await selectProtections(db, owner).where('name', '=', name).executeTakeFirst();
  return row === undefined ? null : (await loadProtectionElements(db, [row]))[0]!;
}

/** Inserts a protection and returns its id. Throws a unique violation if the name exists. */
export async function insertProtection(
  tx: Transaction,
  { type, id }: ProtectionOwner,
  row: Pick<EnvironmentProtection, 'name' | 'required_approval_count'>,
): Promise<number> {
  const owner = { project_id: type === 'project' ? id : null, group_id: type === 'group' ? id : null };
  const insertedRow = await tx
    .insertInto('protected_environments')
    .values({ ...owner, ...row, created_at: tx.now, updated_at: tx.now })
    .returning('id')
    .executeTakeFirstOrThrow();
  return insertedRow.id;
}

/** Sets the number of required approvals and the time of the update. */
export async function updateProtectionRow(tx: Transaction, id: number, required_approval_count: number): Promise<void> {
  await tx
    .updateTable('protected_environments')
    .set({ required_approval_count, updated_at: tx.now })
    .where('id', '=', id)
    .execute();
}

/** Deletes a protection; foreign keys delete its elements. */
export async function deleteProtectionRow(tx: Transaction, id: number): Promise<void> {
  await tx.deleteFrom('protected_environments').where('id', '=', id).execute();
}

const TABLE_BY_KIND = {
  deploy_access_levels: 'protected_environment_deploy_access_levels',
  approval_rules: 'protected_environment_approval_rules',
} as const satisfies Record<ElementKind, string>;

/** Applies changes to the elements of a protection. */
export async function applyElementChanges(
  tx: Transaction,
  protectionId: number,
  changes: ProtectionChanges,
): Promise<void> {
  for (const kind of ELEMENT_KINDS) {
    const { added, updated, removed } = changes[kind];
    const table = TABLE_BY_KIND[kind];
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
 * Removes a user from all protections of a project.
 * index: deploy_access_levels_by_user, approval_rules_by_user, protected_environments_by_project
 */
export async function removeUserFromProtections(tx: Transaction, projectId: number, userId: number): Promise<void> {
  for (const table of Object.values(TABLE_BY_KIND)) {
    await tx
      .deleteFrom(table)
      .where('user_id', '=', userId)
      .where('protected_environment_id', 'in', (eb) =>
        eb.selectFrom('protected_environments').select('id').where('project_id', '=', projectId),
      )
      .execute();
  }
}
