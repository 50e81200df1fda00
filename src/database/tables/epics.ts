import type { Generated } from 'kysely';
import type { ImportedFrom } from './activity.ts';

/** Epics and what hangs on them (contract/planning.md "Data model"). */
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
  /** Both dates are those that were fixed; else they come from the milestones of its issues. */
  dates_are_fixed: boolean;
  /** `YYYY-MM-DD` */
  start_date_fixed: string | null;
  /** `YYYY-MM-DD` */
  due_date_fixed: string | null;
  /** Of the check boxes in the description. */
  task_count: Generated<number>;
  completed_task_count: Generated<number>;
  /** Comments by people. */
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

/** An issue is in one epic at most. */
interface EpicIssuesTable {
  id: Generated<number>;
  epic_id: number;
  issue_id: number;
  /** Its place among the issues of the epic, with gaps; two that have the same follow by id. */
  relative_position: number;
}
