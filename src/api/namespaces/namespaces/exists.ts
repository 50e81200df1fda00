import type { SignedInCaller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { canSeeGroup, findGroup } from '#domain/namespaces/groups.ts';
import type { NamespaceExistenceResult } from './entities.ts';
import { findTakenPaths } from './store.ts';

const FREE_PATH: NamespaceExistenceResult = { exists: false, suggests: [] };

/**
 * Returns whether a path is taken in a group or at the top level, and if so the first free path with a number
 * appended. Paths in a parent that the caller cannot see count as free.
 */
export async function findNamespaceExistence(
  db: Reader,
  caller: SignedInCaller,
  path: string,
  parentId: number | null | undefined,
): Promise<NamespaceExistenceResult> {
  const prefix = await findParentPrefix(db, caller, parentId);
  if (prefix === null || !(await isTaken(db, prefix + path))) return FREE_PATH;
  for (let firstSuffix = 1; ; firstSuffix += CANDIDATES_PER_QUERY) {
    const candidates = Array.from({ length: CANDIDATES_PER_QUERY }, (_, index) => `${path}${firstSuffix + index}`);
    const takenPaths = await findTakenPaths(
      db,
      candidates.map((candidate) => prefix + candidate),
    );
    const freePath = candidates.find((candidate) => !takenPaths.has(foldCase(prefix + candidate)));
    if (freePath !== undefined) return { exists: true, suggests: [freePath] };
  }
}

/** Number of candidates that one query checks. */
const CANDIDATES_PER_QUERY = 20;

async function isTaken(db: Reader, fullPath: string): Promise<boolean> {
  return (await findTakenPaths(db, [fullPath])).size > 0;
}

/** Returns the parent's path prefix, or null if the caller cannot see the parent. */
async function findParentPrefix(
  db: Reader,
  caller: SignedInCaller,
  parentId: number | null | undefined,
): Promise<string | null> {
  if (parentId == null) return '';
  const parent = await findGroup(db, caller, String(parentId));
  return parent !== null && canSeeGroup(caller, parent) ? `${parent.full_path}/` : null;
}
