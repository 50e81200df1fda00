import type { Generated } from 'kysely';

/** Runners (contract/runners.md "Data model"). */
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
  /** The group of a group runner; null for others. */
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
  /** Address of the latest contact of any manager; empty before the first contact. */
  ip_address: Generated<string>;
  /** Time of the latest contact of any manager. */
  contacted_at: string | null;
  /** Reported at registration; values reported by managers take precedence. */
  version: string | null;
  revision: string | null;
  platform: string | null;
  architecture: string | null;
  /** Incremented by each change. Part of the value that tells a runner whether requesting jobs is useful. */
  queue_version: Generated<number>;
  created_at: string;
  updated_at: string;
}

/** The projects of a project runner; the row with the lowest id is the owner. */
interface RunnerProjectsTable {
  id: Generated<number>;
  runner_id: number;
  project_id: number;
}

interface RunnerTagsTable {
  runner_id: number;
  name: string;
  /** Position in the runner's list of tags. */
  position: number;
}

/** A runner manager: a machine on which a runner runs. */
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
  /** JSON of the reported features. */
  features: string | null;
  /** JSON of the reported configuration. */
  config: string | null;
  /** JSON. */
  labels: string | null;
  contacted_at: string | null;
  created_at: string;
}

/** Registration tokens of groups, projects, or (with neither) the instance. */
interface RunnerRegistrationTokensTable {
  id: Generated<number>;
  group_id: number | null;
  project_id: number | null;
  /** Encrypted, because the API shows the token again. */
  token: string;
  token_digest: string;
}

/** Queue versions: incremented when a job becomes pending for runners of the instance, group or project. */
interface RunnerQueuesTable {
  scope: 'instance' | 'group' | 'project';
  /** Id of the group or project; 0 for the instance. */
  scope_id: number;
  /** A queue version is the sum of its shards: concurrent transactions write different rows. */
  shard: number;
  version: number;
}
