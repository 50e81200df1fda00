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
  /** `YYYY-MM-DD`, as the other dates. */
  start_date: string | null;
  /** This and the next are an automatic one's only. */
  duration_in_weeks: number | null;
  iterations_in_advance: number | null;
  roll_over: boolean;
  /** When the first upcoming iteration begins, so that another one is wanted; null: none is made by itself. */
  next_run_date: string | null;
  /** Iterations that were due before this day have handed on their open issues. */
  rolled_over_until: string | null;
  created_at: string;
  updated_at: string;
}

/** No two of a cadence share a day. */
interface IterationsTable {
  id: Generated<number>;
  /** The cadence's. */
  group_id: number;
  cadence_id: number;
  iid: number;
  /** Null: it has none, as those that were made by themselves. */
  title: string | null;
  title_key: string | null;
  description: string | null;
  /** `YYYY-MM-DD`; its first and its last day. */
  start_date: string;
  due_date: string;
  created_at: string;
  updated_at: string;
}
