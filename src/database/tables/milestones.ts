import type { Generated } from 'kysely';

/** Milestones of projects and groups. */
export interface MilestonesTables {
  milestones: MilestonesTable;
}

export type MilestoneState = 'active' | 'closed';

/** Milestones. Exactly one of `project_id` and `group_id` is set. */
interface MilestonesTable {
  id: Generated<number>;
  project_id: number | null;
  group_id: number | null;
  iid: number;
  title: string;
  title_key: string;
  state: MilestoneState;
  /** `YYYY-MM-DD`. */
  start_date: string | null;
  due_date: string | null;
  created_at: string;
  updated_at: string;
  description: string | null;
  description_key: string | null;
}
