import type { Generated } from 'kysely';
import type { ImportedFrom } from './activity.ts';

/** Epics and their relations (contract/planning.md "Data model"). */
export interface EpicsTables {
  epics: EpicsTable;
  epic_labels: EpicLabelsTable;
  epic_issues: EpicIssuesTable;
}

export type EpicState = 'opened' | 'closed';

interface EpicsTable {
  id: Generated<number>;
  group_id: number;
  iid: number;
  title: string;
  title_key: string;
  description: string | null;
  description_key: string | null;
  author_id: number;
  state: EpicState;
  closed_at: string | null;
  closed_by_id: number | null;
  confidential: boolean;
  /** `#RRGGBB`. */
  color: string;
  parent_id: number | null;
  /** Whether the dates are fixed; otherwise they come from the milestones of the issues. */
  dates_are_fixed: boolean;
  /** `YYYY-MM-DD` */
  start_date_fixed: string | null;
  /** `YYYY-MM-DD` */
  due_date_fixed: string | null;
  /** Number of task list items in the description. */
  task_count: Generated<number>;
  completed_task_count: Generated<number>;
  /** Number of user comments, without system notes. */
  user_notes_count: Generated<number>;
  upvotes: Generated<number>;
  downvotes: Generated<number>;
  imported_from: Generated<ImportedFrom>;
  created_at: string;
  updated_at: string;
}

interface EpicLabelsTable {
  epic_id: number;
  label_id: number;
}

/** An issue belongs to at most one epic. */
interface EpicIssuesTable {
  id: Generated<number>;
  epic_id: number;
  issue_id: number;
  /** Position among the issues of the epic, with gaps; equal positions are ordered by id. */
  relative_position: number;
}
