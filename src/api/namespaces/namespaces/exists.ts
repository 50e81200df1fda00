import type { SignedInCaller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { canSeeGroup, findGroup } from '#domain/namespaces/groups.ts';
import type { Existence } from './entities.ts';
import { takenPaths } from './store.ts';

const NOT_TAKEN: Existence = { exists: false, suggests: [] };

/**
 * Is there a namespace or project of this path, in a group or at the top level; and if so, which is the first free one with
 * a number behind?
 */
export async function existence(
  db: Reader,
  caller: SignedInCaller,
  path: string,
  parentId: number | null | undefined,
): Promise<Existence> {
  const prefix = await prefixOf(db, caller, parentId);
  if (prefix === null || !(await isTaken(db, prefix + path))) return NOT_TAKEN;
  for (let first = 1; ; first += BATCH) {
    const candidates = Array.from({ length: BATCH }, (_, index) => `${path}${first + index}`);
    const taken = await takenPaths(
      db,
      candidates.map((candidate) => prefix + candidate),
    );
    const free = candidates.find((candidate) => !taken.has(foldCase(prefix + candidate)));
    if (free !== undefined) return { exists: true, suggests: [free] };
  }
}

/** So many numbers are tried at once. */
const BATCH = 20;

async function isTaken(db: Reader, fullPath: string): Promise<boolean> {
  return (await takenPaths(db, [fullPath])).size > 0;
}

/** What is below a group that the caller does not see, nobody tells him. */
async function prefixOf(
  db: Reader,
  caller: SignedInCaller,
  parentId: number | null | undefined,
): Promise<string | null> {
  if (parentId == null) return '';
  const parent = await findGroup(db, caller, String(parentId));
  return parent !== null && canSeeGroup(caller, parent) ? `${parent.full_path}/` : null;
}
