import type { Reader } from '#database/database.ts';
import { parseGroupAttributes } from './group-attributes.ts';
import { selectSelfAndAncestors } from './hierarchy.ts';

/**
 * Returns the default branch of new repositories in a namespace: the setting of the nearest group that has one, else
 * `main`.
 */
export async function getInitialBranch(db: Reader, namespaceId: number): Promise<string> {
  // index: namespace_closure_pkey
  const selfAndAncestors = await selectSelfAndAncestors(db, namespaceId)
    .select('namespaces.attributes')
    .orderBy('namespace_closure.depth')
    .execute();
  const configuredBranch = selfAndAncestors
    .map(({ attributes }) => parseGroupAttributes(attributes).default_branch)
    .find((branch) => branch);
  return configuredBranch ?? 'main';
}
