import type { Reader } from '#database/database.ts';
import { groupAttributes } from './group-attributes.ts';
import { itselfAndAbove } from './hierarchy.ts';

/** What new repositories there call their default branch: the nearest group's own choice, else `main`. */
export async function initialBranch(db: Reader, namespaceId: number): Promise<string> {
  // index: namespace_closure_pkey
  const above = await itselfAndAbove(db, namespaceId)
    .select('namespaces.attributes')
    .orderBy('namespace_closure.depth')
    .execute();
  const chosen = above.map(({ attributes }) => groupAttributes(attributes).default_branch).find((branch) => branch);
  return chosen ?? 'main';
}
