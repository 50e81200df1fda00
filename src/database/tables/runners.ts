import type { Generated } from 'kysely';

/** Who runs jobs (contract/runners.md "Data model"). */
export interface RunnersTables {
  runners: RunnersTable;
  runner_projects: RunnerProjectsTable;
  runner_tags: RunnerTagsTable;
  runner_managers: RunnerManagersTable;
  runner_registration_tokens: RunnerRegistrationTokensTable;
  runner_queues: RunnerQueuesTable;
}

export type RunnerType = 'instance_type' | 'group_type' | 'project_type';
export type RunnerAccessLevel = 'not_protected' | 'ref_protected';

interface RunnersTable {
  id: Generated<number>;
  runner_type: RunnerType;
  /** Of group runners; null for others. */
  group_id: number | null;
  description: string | null;
  name: string | null;
  token_digest: string;
  token_expires_at: string | null;
  registration_type: 'registration_token' | 'authenticated_user';
  creator_id: number | null;
  paused: boolean;
  locked: boolean;
  run_untagged: boolean;
  access_level: RunnerAccessLevel;
  /** Seconds. */
  maximum_timeout: number | null;
  maintenance_note: string | null;
  /** Of the most recent contact of any manager; empty before the first. */
  ip_address: Generated<string>;
  contacted_at: string | null;
  /** What was said at registration; what managers say counts more. */
  version: string | null;
  revision: string | null;
  platform: string | null;
  architecture: string | null;
  /** Raised when it is changed: part of the value by which it knows whether asking for jobs is of use. */
  queue_version: Generated<number>;
  created_at: string;
  updated_at: string;
}

/** The projects of a project runner; the lowest id is that of its owner. */
interface RunnerProjectsTable {
  id: Generated<number>;
  runner_id: number;
  project_id: number;
}

interface RunnerTagsTable {
  runner_id: number;
  name: string;
  /** Its place in the list as it was given. */
  position: number;
}

/** A machine on which a runner runs. */
interface RunnerManagersTable {
  id: Generated<number>;
  runner_id: number;
  system_id: string;
  version: string | null;
  revision: string | null;
  platform: string | null;
  architecture: string | null;
  executor: string | null;
  ip_address: Generated<string>;
  /** JSON of what it says it can do. */
  features: string | null;
  /** JSON of what it says of its configuration. */
  config: string | null;
  /** JSON. */
  labels: string | null;
  contacted_at: string | null;
  created_at: string;
}

/** Of a group, of a project, or with neither the instance's. */
interface RunnerRegistrationTokensTable {
  id: Generated<number>;
  group_id: number | null;
  project_id: number | null;
  /** Encrypted: it is shown again. */
  token: string;
  token_digest: string;
}

/** Raised whenever a job becomes pending that runners of the instance, of the group, or of the project might take. */
interface RunnerQueuesTable {
  scope: 'instance' | 'group' | 'project';
  /** Of the group or project; 0 for the instance. */
  scope_id: number;
  /** A count is the sum of its rows: what happens at once writes different ones. */
  shard: number;
  version: number;
}
