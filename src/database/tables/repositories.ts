import type { Generated } from 'kysely';

/** Protection rules, ref changes under way, LFS objects (contract/repository.md "Data model"). */
export interface RepositoryTables {
  protected_branches: ProtectedBranchesTable;
  protected_branch_access_levels: ProtectedBranchAccessLevelsTable;
  ref_intents: RefIntentsTable;
  lfs_objects: LfsObjectsTable;
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
  /** The role that a role entry admits; 40 beside a user or group. */
  access_level: number;
  user_id: number | null;
  group_id: number | null;
}

/** A ref change that has been decided and may or may not have reached the repository yet. */
interface RefIntentsTable {
  id: Generated<number>;
  /** Of the repository of a project or of a wiki. */
  project_id: number | null;
  wiki_id: number | null;
  /** In whose name; null for the server's own. */
  user_id: number | null;
  /** JSON array of `{ref, old, new}`. */
  changes: string;
  /** The merge request that it merges, and as JSON what becomes of that. */
  merge_request_id: number | null;
  merge: string | null;
  /** JSON array: what the push has asked for besides. */
  options: string | null;
  /** JSON array of `[from, to]`: which pages of a wiki, and folders, are given other names. */
  renamed: string | null;
  /** Until then the process that made the row settles it; afterwards anybody may. */
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

interface LfsObjectProjectsTable {
  lfs_object_id: number;
  project_id: number;
}
