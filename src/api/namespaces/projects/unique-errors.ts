import type { Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { compactFieldErrors, type FieldErrors, invalid } from '#runtime/failure.ts';

/**
 * Names and paths are unique in their namespace. Unique indexes enforce it; this module finds out which of the two is
 * taken.
 */

interface NameAndPath {
  readonly namespaceId: number;
  readonly name: string;
  readonly fullPath: string;
  /** Id of the updated project: its own name and path do not count as taken. */
  readonly projectId?: number;
}

const TAKEN_ERRORS = ['has already been taken'];

/** Returns errors for a name or path that another project has, or null if both are free. */
export async function findTakenFields(
  db: Reader,
  { namespaceId, name, fullPath, projectId = 0 }: NameAndPath,
): Promise<FieldErrors | null> {
  // index: projects_by_name_key
  const projectWithName = await db
    .selectFrom('projects')
    .select('id')
    .where('namespace_id', '=', namespaceId)
    .where('name_key', '=', foldCase(name))
    .where('id', '<>', projectId)
    .executeTakeFirst();
  // index: routes_by_full_path
  const routeWithPath = await db
    .selectFrom('routes')
    .select('project_id')
    .where('full_path_key', '=', foldCase(fullPath))
    .executeTakeFirst();
  return compactFieldErrors({
    name: projectWithName ? TAKEN_ERRORS : [],
    path: routeWithPath && routeWithPath.project_id !== projectId ? TAKEN_ERRORS : [],
  });
}

/** The errors for a name or path that a concurrent request has taken. */
export const PROJECT_UNIQUE_ERRORS = {
  projects_by_name_key: invalid({ name: TAKEN_ERRORS }),
  routes_by_full_path: invalid({ path: TAKEN_ERRORS }),
} as const;
