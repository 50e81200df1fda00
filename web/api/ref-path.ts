import { CallError, type Client, type Loaded } from './call.ts';
import type { Query } from './query.ts';

/** A branch, tag or commit, and a path in it; an empty path is the root. */
export interface RefPath {
  readonly ref: string;
  readonly path: string;
}

/** The content at a ref and a path. */
export interface AtRef<Result> extends RefPath {
  readonly result: Result;
}

type Read<Result> = (client: Client, refPath: RefPath) => Promise<Loaded<Result>>;

/**
 * Declares a read at the end of an address, `fix/1/src/main.ts`, where a ref may contain slashes: its first segment is the ref,
 * or else the longest branch or tag with which the address begins.
 */
export function queryAtRef<Result>(project: string, refPath: string, read: Read<Result>): Query<AtRef<Result>> {
  return { refetchSeconds: null, load: (client) => readAtRef(client, project, refPath, read) };
}

async function readAtRef<Result>(
  client: Client,
  project: string,
  refPath: string,
  read: Read<Result>,
): Promise<Loaded<AtRef<Result>>> {
  const readAs = async (ref: string) => {
    const path = refPath.slice(ref.length + 1).replace(/\/+$/, '');
    const loaded = await read(client, { ref, path });
    return { ...loaded, value: { ref, path, result: loaded.value } };
  };
  const firstSegment = refPath.split('/', 1)[0]!;
  try {
    return await readAs(firstSegment);
  } catch (error) {
    if (!(error instanceof CallError) || error.status !== 404 || !refPath.includes('/')) throw error;
    const ref = await findLongestRef(client, project, refPath);
    if (ref === null) throw error;
    return readAs(ref);
  }
}

async function findLongestRef(client: Client, project: string, refPath: string): Promise<string | null> {
  const search = { id: project, search: `^${refPath.split('/', 1)[0]}/`, per_page: 100 } as const;
  const [branches, tags] = await Promise.all([
    client.call('GET /projects/:id/repository/branches', search),
    client.call('GET /projects/:id/repository/tags', search),
  ]);
  const names = [...branches.value, ...tags.value]
    .map(({ name }) => name)
    .filter((name) => refPath === name || refPath.startsWith(`${name}/`));
  return names.sort((a, b) => b.length - a.length)[0] ?? null;
}
