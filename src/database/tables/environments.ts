import type { Generated } from 'kysely';

/** Environments, deployments and deployment rules (contract/environments.md "Data model"). */
export interface EnvironmentsTables {
  environments: EnvironmentsTable;
  deployments: DeploymentsTable;
  deployment_merge_requests: DeploymentMergeRequestsTable;
  deployment_approvals: DeploymentApprovalsTable;
  protected_environments: ProtectedEnvironmentsTable;
  protected_environment_deploy_access_levels: DeployAccessLevelsTable;
  protected_environment_approval_rules: ApprovalRulesTable;
}

export type EnvironmentState = 'available' | 'stopping' | 'stopped';
export type EnvironmentTier = 'production' | 'staging' | 'testing' | 'development' | 'other';
export type AutoStopSetting = 'always' | 'with_action';
export type DeploymentStatus = 'created' | 'running' | 'success' | 'failed' | 'canceled' | 'skipped' | 'blocked';

interface EnvironmentsTable {
  id: Generated<number>;
  project_id: number;
  name: string;
  name_key: string;
  /** The name without its first folder, folded; null if there is no folder. */
  rest_key: string | null;
  slug: string;
  /** The part of the name before the first slash. */
  folder: string | null;
  external_url: string | null;
  state: EnvironmentState;
  tier: EnvironmentTier;
  description: string | null;
  auto_stop_setting: AutoStopSetting;
  auto_stop_at: string | null;
  /** Time at which the environment is deleted if it is stopped then. */
  auto_delete_at: string | null;
  created_at: string;
  updated_at: string;
}

interface DeploymentsTable {
  id: Generated<number>;
  project_id: number;
  iid: number;
  environment_id: number;
  ref: string;
  tag: boolean;
  sha: string;
  user_id: number | null;
  /** Null: the deployment was created through the API, or its job was deleted. */
  job_id: number | null;
  /** The name of the job that stops this deployment. */
  on_stop: string | null;
  status: DeploymentStatus;
  finished_at: string | null;
  created_at: string;
  updated_at: string;
}

/** Deployed merge requests, each at most once per environment. */
interface DeploymentMergeRequestsTable {
  deployment_id: number;
  environment_id: number;
  merge_request_id: number;
}

interface DeploymentApprovalsTable {
  id: Generated<number>;
  deployment_id: number;
  user_id: number;
  /** Null: no rule was selected, or the rule was deleted. */
  approval_rule_id: number | null;
  /** Id of the rule, kept after its deletion; 0 for none. Part of the unique key: a user has one approval per rule. */
  rule_key: number;
  status: 'approved' | 'rejected';
  comment: string | null;
  created_at: string;
  updated_at: string;
}

/** Protected environments of projects and groups. Exactly one of `project_id` and `group_id` is set. */
interface ProtectedEnvironmentsTable {
  id: Generated<number>;
  project_id: number | null;
  group_id: number | null;
  /** The name of an environment; for a group, a tier. */
  name: string;
  required_approval_count: number;
  created_at: string;
  updated_at: string;
}

/** The allowed principal: a role, a user or a group. */
interface Principal {
  access_level: number | null;
  user_id: number | null;
  group_id: number | null;
  /** For a group: 0 allows direct members only, 1 also inherited members. */
  group_inheritance_type: number;
}

interface DeployAccessLevelsTable extends Principal {
  id: Generated<number>;
  protected_environment_id: number;
}

interface ApprovalRulesTable extends Principal {
  id: Generated<number>;
  protected_environment_id: number;
  required_approvals: number;
}
