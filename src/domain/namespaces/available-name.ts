import type { Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { withSuffix } from './name-validation.ts';

/**
 * Returns the name or, if a group or project directly in the group has it in any case, the name with the first free suffix of
 * `_1`, `_2` …
 */
export async function findAvailableName(db: Reader, groupId: number, name: string): Promise<string> {
  for (let count = 0; ; count++) {
    const candidate = count === 0 ? name : withSuffix(name, `_${count}`);
    if (!(await isNameTaken(db, groupId, candidate))) return candidate;
  }
}

/** Returns whether a group or project directly in the group has the name. index: namespaces_by_parent, projects_by_name_key */
async function isNameTaken(db: Reader, groupId: number, name: string): Promise<boolean> {
  const key = foldCase(name);
  const group = await db
    .selectFrom('namespaces')
    .select('id')
    .where('parent_id', '=', groupId)
    .where('name_key', '=', key)
    .executeTakeFirst();
  if (group !== undefined) return true;
  const project = await db
    .selectFrom('projects')
    .select('id')
    .where('namespace_id', '=', groupId)
    .where('name_key', '=', key)
    .executeTakeFirst();
  return project !== undefined;
}
