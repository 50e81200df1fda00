import type { Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { type FieldErrors, fieldErrors, invalid } from '#runtime/failure.ts';

/** Names and paths are unique in their namespace: the database decides, this tells which of the two is taken. */

interface Wanted {
  readonly namespaceId: number;
  readonly name: string;
  readonly fullPath: string;
  /** The project that may have them already. */
  readonly projectId?: number;
}

const TAKEN_FIELD = ['has already been taken'];

/** What is wrong with the name and the path of a project that somebody else has; null when they are free. */
export async function takenFields(
  db: Reader,
  { namespaceId, name, fullPath, projectId = 0 }: Wanted,
): Promise<FieldErrors | null> {
  // index: projects_by_name_key
  const sameName = await db
    .selectFrom('projects')
    .select('id')
    .where('namespace_id', '=', namespaceId)
    .where('name_key', '=', foldCase(name))
    .where('id', '<>', projectId)
    .executeTakeFirst();
  // index: routes_by_full_path
  const samePath = await db
    .selectFrom('routes')
    .select('project_id')
    .where('full_path_key', '=', foldCase(fullPath))
    .executeTakeFirst();
  return fieldErrors({
    name: sameName ? TAKEN_FIELD : [],
    path: samePath && samePath.project_id !== projectId ? TAKEN_FIELD : [],
  });
}

/** The same for whoever found them free, together with another who was faster. */
export const TAKEN = {
  projects_by_name_key: invalid({ name: TAKEN_FIELD }),
  routes_by_full_path: invalid({ path: TAKEN_FIELD }),
} as const;
