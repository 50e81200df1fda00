import type { Generated } from 'kysely';

/** Pipeline trigger tokens (contract/runners.md §4.6). */
export interface PipelineTriggersTables {
  pipeline_triggers: PipelineTriggersTable;
}

interface PipelineTriggersTable {
  id: Generated<number>;
  project_id: number;
  /** The user on whose behalf the pipelines run. */
  owner_id: number;
  description: string;
  encrypted_token: string;
  token_digest: string;
  /** The first characters of the token, which are not secret. */
  short_token: string;
  expires_at: string | null;
  created_at: string;
  updated_at: string;
}
