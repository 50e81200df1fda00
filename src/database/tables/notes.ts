import type { Generated } from 'kysely';
import type { ImportedFrom } from './activity.ts';

/** Comments and system notes (contract/planning.md §3.7). */
export interface NotesTables {
  notes: NotesTable;
  commented_commits: CommentedCommitsTable;
}

/** The kind of change that a system note describes. */
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
  /** An issue was added to an epic or removed: on the epic (`child`) and on the issue (`parent`). */
  | 'child'
  | 'parent'
  /** A link between issues was added or removed: on its source (`link`) and its target (`backlink`). */
  | 'link'
  | 'backlink'
  | 'time'
  /** On merge requests only, as the following kinds. */
  | 'approval'
  | 'auto_merge'
  /** All discussions of the merge request are resolved. */
  | 'discussion'
  /** On commits only. */
  | 'tag';

/** Type of a note in a discussion. An individual comment has none. */
export type NoteType = 'DiscussionNote' | 'DiffNote';

interface NotesTable {
  id: Generated<number>;
  /** Exactly one of these five ids is set. */
  issue_id: Generated<number | null>;
  merge_request_id: Generated<number | null>;
  epic_id: Generated<number | null>;
  commented_commit_id: Generated<number | null>;
  snippet_id: Generated<number | null>;
  /** 40 hexadecimal digits, shared by all notes of a discussion; an individual note has its own. */
  discussion_id: string;
  type: Generated<NoteType | null>;
  author_id: number;
  body: string;
  /** Whether the note is a system note about an action of the author. */
  system: boolean;
  /** The kind of a system note. */
  kind: SystemNoteKind | null;
  /** The other object of a system note (of a mention or a move). Hidden from users who cannot read it. */
  mentioning_issue_id: Generated<number | null>;
  mentioning_merge_request_id: Generated<number | null>;
  mentioning_epic_id: Generated<number | null>;
  /** Whether only members with at least the Planner role see the note. */
  internal: boolean;
  /** Only for notes in resolvable discussions; the user who resolved the note may be deleted. */
  resolved_at: Generated<string | null>;
  resolved_by_id: Generated<number | null>;
  /** JSON of the position of a DiffNote in the form of the API. */
  position: Generated<string | null>;
  /** The commit of the merge request to whose diff the note belongs. */
  commit_sha: Generated<string | null>;
  imported_from: Generated<ImportedFrom>;
  created_at: string;
  updated_at: string;
}

/** A commit that has comments. */
interface CommentedCommitsTable {
  id: Generated<number>;
  project_id: number;
  sha: string;
  /** The title of the commit message, for feeds. */
  title: string;
}
