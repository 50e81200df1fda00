import { CallError, type Client, type Loaded, type ResultOf } from './call.ts';
import type { Query } from './query.ts';
import { type AtRef, queryAtRef, type RefPath } from './ref-path.ts';

type Branch = ResultOf<'GET /projects/:id/repository/branches/:branch'>;

/** The content at a ref and a path, as the basis of a change. */
export interface AtBranch<Result> extends AtRef<Result> {
  /** Null if the ref is a tag or commit, or if the repository is empty. */
  readonly branch: Branch | null;
}

/** Declares a read as `queryAtRef` does, which also reads the branch of the ref. */
export function queryAtBranch<Result>(
  project: string,
  refPath: string,
  read: (client: Client, refPath: RefPath) => Promise<Loaded<Result>>,
): Query<AtBranch<Result>> {
  const query = queryAtRef(project, refPath, read);
  return {
    ...query,
    async load(client) {
      const loaded = await query.load(client);
      return { ...loaded, value: { ...loaded.value, branch: await findBranch(client, project, loaded.value.ref) } };
    },
  };
}

async function findBranch(client: Client, id: string, branch: string): Promise<Branch | null> {
  try {
    return (await client.call('GET /projects/:id/repository/branches/:branch', { id, branch })).value;
  } catch (error) {
    // 400: the name of a commit or tag may be no valid name of a branch.
    if (error instanceof CallError && (error.status === 404 || error.status === 400)) return null;
    throw error;
  }
}
