import type { Generated } from 'kysely';

/** Award emoji (contract/planning.md §3.13). */
export interface AwardEmojiTables {
  award_emoji: AwardEmojiTable;
}

interface AwardEmojiTable {
  id: Generated<number>;
  /** Null after the account is deleted: the award then belongs to the ghost user. */
  user_id: number | null;
  /** The main name of the emoji. */
  name: string;
  /** Exactly one of these four ids is set. */
  issue_id: Generated<number | null>;
  merge_request_id: Generated<number | null>;
  epic_id: Generated<number | null>;
  note_id: Generated<number | null>;
  created_at: string;
  updated_at: string;
}
