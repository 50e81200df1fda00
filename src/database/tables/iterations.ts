import type { Generated } from 'kysely';

/** Iterations of groups and their cadences (contract/planning.md "Data model"). */
export interface IterationsTables {
  iteration_cadences: IterationCadencesTable;
  iterations: IterationsTable;
}

interface IterationCadencesTable {
  id: Generated<number>;
  group_id: number;
  title: string;
  title_key: string;
  description: string | null;
  active: boolean;
  automatic: boolean;
  /** `YYYY-MM-DD`, as all dates of this file. */
  start_date: string | null;
  /** Set only for automatic cadences, like `iterations_in_advance`. */
  duration_in_weeks: number | null;
  iterations_in_advance: number | null;
  roll_over: boolean;
  /** Date on which the next iteration is created automatically: the start of the first upcoming one. Null: not automatic. */
  next_run_date: string | null;
  /** Iterations with a due date before this date have passed their open issues to the next iteration. */
  rolled_over_until: string | null;
  created_at: string;
  updated_at: string;
}

/** Iterations. Those of one cadence do not overlap. */
interface IterationsTable {
  id: Generated<number>;
  /** The group of the cadence. */
  group_id: number;
  cadence_id: number;
  iid: number;
  /** Null: no title, as for automatically created iterations. */
  title: string | null;
  title_key: string | null;
  description: string | null;
  /** First and last day, `YYYY-MM-DD`. */
  start_date: string;
  due_date: string;
  created_at: string;
  updated_at: string;
}
