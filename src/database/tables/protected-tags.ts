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
  /** The minimum role of a role entry; 40 for a user. */
  access_level: number;
  user_id: number | null;
}
