import type { Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { suffixed } from './name-validation.ts';

/** The name, or that with the first of `_1`, `_2` … behind it, that nothing directly in the group has, in any case. */
export async function freeNameIn(db: Reader, groupId: number, name: string): Promise<string> {
  for (let count = 0; ; count++) {
    const free = count === 0 ? name : suffixed(name, `_${count}`);
    if (!(await isNameIn(db, groupId, free))) return free;
  }
}

/** index: namespaces_by_parent, projects_by_name_key */
async function isNameIn(db: Reader, groupId: number, name: string): Promise<boolean> {
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
