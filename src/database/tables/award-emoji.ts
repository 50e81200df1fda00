import type { Generated } from 'kysely';

/** What people have awarded (contract/planning.md §3.13). */
export interface AwardEmojiTables {
  award_emoji: AwardEmojiTable;
}

interface AwardEmojiTable {
  id: Generated<number>;
  /** Null once the account is gone: it is the ghost's then. */
  user_id: number | null;
  /** The main one of its names. */
  name: string;
  /** It is on one of the four. */
  issue_id: Generated<number | null>;
  merge_request_id: Generated<number | null>;
  epic_id: Generated<number | null>;
  note_id: Generated<number | null>;
  created_at: string;
  updated_at: string;
}
