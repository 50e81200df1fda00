import type { Generated } from 'kysely';
import type { ImportedFrom } from './activity.ts';

/** Comments by people, and what Hearth says of changes (contract/planning.md §3.7). */
export interface NotesTables {
  notes: NotesTable;
  commented_commits: CommentedCommitsTable;
}

/** What a note by Hearth tells of. */
export type SystemNoteKind =
  | 'title'
  | 'description'
  | 'assignee'
  | 'due_date'
  | 'confidential'
  | 'lock'
  | 'moved_to'
  | 'moved_from'
  | 'mention'
  /** On an epic, of its issues; on an issue, of its epic. */
  | 'child'
  | 'parent'
  /** On an issue that is linked to another, or was, and on that one. */
  | 'link'
  | 'backlink'
  | 'time'
  /** Of a merge request. */
  | 'approval'
  | 'auto_merge'
  /** Of its threads: all of them are resolved. */
  | 'discussion';

/** In a thread; a plain comment has none. */
export type NoteType = 'DiscussionNote' | 'DiffNote';

interface NotesTable {
  id: Generated<number>;
  /** It is on one of the four. */
  issue_id: Generated<number | null>;
  merge_request_id: Generated<number | null>;
  epic_id: Generated<number | null>;
  commented_commit_id: Generated<number | null>;
  /** 40 hexadecimal digits, the same for all notes of a thread; a plain note has one of its own. */
  discussion_id: string;
  type: Generated<NoteType | null>;
  author_id: number;
  body: string;
  /** Said by Hearth, of what the author did. */
  system: boolean;
  /** Of a system note. */
  kind: SystemNoteKind | null;
  /** The other thing that a note of Hearth names: of a mention where it stands, of a move the other end. Who can't read it is not told. */
  mentioning_issue_id: Generated<number | null>;
  mentioning_merge_request_id: Generated<number | null>;
  mentioning_epic_id: Generated<number | null>;
  /** For members from Planner on. */
  internal: boolean;
  /** Of a note in a thread that can be resolved; who has done it may be gone. */
  resolved_at: Generated<string | null>;
  resolved_by_id: Generated<number | null>;
  /** Where a DiffNote stands, as the API shows it (JSON). */
  position: Generated<string | null>;
  /** The commit of the merge request on whose own diff it stands. */
  commit_sha: Generated<string | null>;
  imported_from: Generated<ImportedFrom>;
  created_at: string;
  updated_at: string;
}

/** A commit on which something has been said. */
interface CommentedCommitsTable {
  id: Generated<number>;
  project_id: number;
  sha: string;
  /** Of its message, for feeds. */
  title: string;
}
