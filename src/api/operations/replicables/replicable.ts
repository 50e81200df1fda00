import type { Reader } from '#database/database.ts';
import type { ReplicableName } from '#database/tables/replication-sites.ts';
import type { SiteScope } from '#domain/site-scope.ts';

/** All that has a copy at other sites, by the names of contract/operations.md §3.4. */
export const REPLICABLE_NAMES = [
  'project_repository',
  'project_wiki_repository',
  'group_wiki_repository',
  'snippet_repository',
  'lfs_object',
  'upload',
  'job_artifact',
] as const satisfies readonly ReplicableName[];

/** One thing, as it is now. */
export interface Replicable {
  readonly replicable_name: ReplicableName;
  readonly replicable_id: number;
  /** Of a repository the one of its refs; of a blob the SHA-256. null: not known (yet). */
  readonly checksum: string | null;
  readonly checksum_state: 'pending' | 'succeeded' | 'failed';
  /** Bytes of a blob. */
  readonly size: number | null;
  /** Of a repository: where it is below this server's address, without `.git`. */
  readonly path: string | null;
  readonly storage: string | null;
  readonly updated_at: string;
}

/** Some things of a kind: the next ones behind an id, or these. */
export type Which = { readonly afterId: number; readonly limit: number } | { readonly ids: readonly number[] };

/** How the things of a kind are read, of which a site holds a part, by their ids. */
export type ReadReplicables = (db: Reader, scope: SiteScope, which: Which) => Promise<Replicable[]>;
