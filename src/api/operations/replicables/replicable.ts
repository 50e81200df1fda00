import type { Reader } from '#database/database.ts';
import type { ReplicableName } from '#database/schema.ts';
import type { SiteScope } from '#domain/site-scope.ts';

/** Names of the kinds of objects that sites copy (contract/operations.md §3.4). */
export const REPLICABLE_NAMES = [
  'project_repository',
  'project_wiki_repository',
  'group_wiki_repository',
  'snippet_repository',
  'lfs_object',
  'upload',
  'job_artifact',
] as const satisfies readonly ReplicableName[];

/** An object that sites copy, in its current state. */
export interface Replicable {
  readonly replicable_name: ReplicableName;
  readonly replicable_id: number;
  /** Checksum of a repository's refs, or SHA-256 of a blob; null: unknown, or not computed yet. */
  readonly checksum: string | null;
  readonly checksum_state: 'pending' | 'succeeded' | 'failed';
  /** Size of a blob in bytes; null for repositories. */
  readonly size: number | null;
  /** Path of a repository below this server's URL, without `.git`; null for blobs. */
  readonly path: string | null;
  readonly storage: string | null;
  readonly updated_at: string;
}

/** Selects objects of a kind: the next ones after an id, or those with these ids. */
export type ReplicableSelection =
  | { readonly afterId: number; readonly limit: number }
  | { readonly ids: readonly number[] };

/** Loads the selected objects of a kind in a site's scope, ordered by id. */
export type LoadReplicables = (db: Reader, scope: SiteScope, selection: ReplicableSelection) => Promise<Replicable[]>;
