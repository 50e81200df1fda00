import type { Generated } from 'kysely';

/** Protected tags (contract/everyday.md §5). */
export interface ProtectedTagsTables {
  protected_tags: ProtectedTagsTable;
  protected_tag_access_levels: ProtectedTagAccessLevelsTable;
}

interface ProtectedTagsTable {
  id: Generated<number>;
  project_id: number;
  /** A tag name, or a pattern with `*`. */
  name: string;
  created_at: string;
  updated_at: string;
}

interface ProtectedTagAccessLevelsTable {
  id: Generated<number>;
  protected_tag_id: number;
  /** Minimum access level of an entry for a role; 40 (Maintainer) for a user. */
  access_level: number;
  user_id: number | null;
}
