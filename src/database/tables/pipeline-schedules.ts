import type { Generated } from 'kysely';
import type { VariableType } from './pipelines.ts';

/** Pipeline schedules (contract/runners.md §4.7). */
export interface PipelineSchedulesTables {
  pipeline_schedules: PipelineSchedulesTable;
  pipeline_schedule_variables: PipelineScheduleVariablesTable;
}

interface PipelineSchedulesTable {
  id: Generated<number>;
  project_id: number;
  /** The user on whose behalf the pipelines run; null after the account is deleted. */
  owner_id: number | null;
  description: string;
  /** The full name of a branch or tag. */
  ref: string;
  cron: string;
  cron_timezone: string;
  next_run_at: string;
  active: boolean;
  created_at: string;
  updated_at: string;
}

interface PipelineScheduleVariablesTable {
  id: Generated<number>;
  schedule_id: number;
  key: string;
  /** Encrypted. */
  value: string;
  variable_type: VariableType;
  raw: boolean;
}
