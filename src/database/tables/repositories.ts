import type { Generated } from 'kysely';

/** Protection rules, ref intents and LFS objects (contract/repository.md "Data model"). */
export interface RepositoryTables {
  protected_branches: ProtectedBranchesTable;
  protected_branch_access_levels: ProtectedBranchAccessLevelsTable;
  ref_intents: RefIntentsTable;
  lfs_objects: LfsObjectsTable;
  lfs_locks: LfsLocksTable;
  lfs_object_projects: LfsObjectProjectsTable;
}

interface ProtectedBranchesTable {
  id: Generated<number>;
  project_id: number;
  /** A branch name, or a pattern with `*`. */
  name: string;
  allow_force_push: boolean;
  code_owner_approval_required: boolean;
  created_at: string;
  updated_at: string;
}

interface ProtectedBranchAccessLevelsTable {
  id: Generated<number>;
  protected_branch_id: number;
  kind: 'push' | 'merge' | 'unprotect';
  /** Minimum access level of an entry for a role; 40 (Maintainer) for a user or group. */
  access_level: number;
  user_id: number | null;
  group_id: number | null;
}

/** Ref intents: committed ref updates that may not be applied to the repository yet. */
interface RefIntentsTable {
  id: Generated<number>;
  /** The repository of a project, a wiki or a snippet. Exactly one of these ids is set. */
  project_id: number | null;
  wiki_id: number | null;
  snippet_id: Generated<number | null>;
  /** The acting user; null for the server itself. */
  user_id: number | null;
  /** JSON array of `{ref, old, new}`. */
  changes: string;
  /** The merge request that the update merges. */
  merge_request_id: number | null;
  /** JSON of the result of the merge. */
  merge: string | null;
  /** JSON array of push options. */
  options: string | null;
  /** JSON array of `[from, to]`: renamed pages and folders of a wiki. */
  renamed: string | null;
  /** JSON of the columns of a snippet that change together with its files. */
  snippet_patch: Generated<string | null>;
  /** Until this time only the process that created the row may complete it; afterwards any process. */
  lease_until: string;
  created_at: string;
}

interface LfsObjectsTable {
  id: Generated<number>;
  /** SHA-256 of the bytes: also the name of the blob. */
  oid: string;
  size: number;
  created_at: string;
}

interface LfsLocksTable {
  id: Generated<number>;
  project_id: number;
  user_id: number;
  /** Unique in the project. */
  path: string;
  created_at: string;
}

interface LfsObjectProjectsTable {
  lfs_object_id: number;
  project_id: number;
}
