import type { Generated } from 'kysely';

/** Tokens that start pipelines (contract/runners.md §4.6). */
export interface PipelineTriggersTables {
  pipeline_triggers: PipelineTriggersTable;
}

interface PipelineTriggersTable {
  id: Generated<number>;
  project_id: number;
  /** In whose name its pipelines run. */
  owner_id: number;
  description: string;
  encrypted_token: string;
  token_digest: string;
  /** The beginning of the token, which is no secret. */
  short_token: string;
  expires_at: string | null;
  created_at: string;
  updated_at: string;
}
