import { isPathTaken } from '../../../access/routes.ts';
import type { Reader } from '../../../database/database.ts';
import { uniqueViolation } from '../../../database/dialect.ts';
import { foldCase } from '../../../database/keys.ts';

/** Names and paths are unique in their namespace: the database decides, these tell which of the two is taken. */

export interface Wanted {
  readonly namespaceId: number;
  readonly name: string;
  readonly fullPath: string;
  /** The project that may have them already. */
  readonly projectId?: number;
}

export type TakenField = 'name' | 'path';

export async function takenFields(
  db: Reader,
  { namespaceId, name, fullPath, projectId = 0 }: Wanted,
): Promise<TakenField[]> {
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
  return [
    ...(sameName ? (['name'] as const) : []),
    ...(samePath && samePath.project_id !== projectId ? (['path'] as const) : []),
  ];
}

const TAKEN = ['has already been taken'];

/** The field errors of a record, with the taken ones among them. */
export function withTaken(errors: Readonly<Record<string, readonly string[]>>, taken: readonly TakenField[]) {
  const clashes = taken.filter((field) => errors[field] === undefined).map((field) => [field, TAKEN] as const);
  return { ...Object.fromEntries(clashes), ...errors };
}

/**
 * Two at once may both find a name free; then the unique index lets one pass, and `fallback` answers for the other with
 * the field that it broke.
 */
export async function orTaken<T, R>(work: () => Promise<T>, fallback: (field: TakenField) => R): Promise<T | R> {
  try {
    return await work();
  } catch (error) {
    if (isPathTaken(error)) return fallback('path');
    if (uniqueViolation(error) === 'projects_by_name_key') return fallback('name');
    throw error;
  }
}
