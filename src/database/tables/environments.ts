import type { Generated } from 'kysely';

/** Environments, what was deployed to them, and who may (contract/environments.md "Data model"). */
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
  /** What follows the first folder of the name, folded; null where it has none. */
  rest_key: string | null;
  slug: string;
  /** What stands before the first slash of the name. */
  folder: string | null;
  external_url: string | null;
  state: EnvironmentState;
  tier: EnvironmentTier;
  description: string | null;
  auto_stop_setting: AutoStopSetting;
  auto_stop_at: string | null;
  /** When it is destroyed, if it is stopped then. */
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
  /** Null: the API has reported it, or its job has gone. */
  job_id: number | null;
  /** The name of the job that stops what this one has started. */
  on_stop: string | null;
  status: DeploymentStatus;
  finished_at: string | null;
  created_at: string;
  updated_at: string;
}

/** What has been shipped with a deployment: a merge request once to an environment. */
interface DeploymentMergeRequestsTable {
  deployment_id: number;
  environment_id: number;
  merge_request_id: number;
}

interface DeploymentApprovalsTable {
  id: Generated<number>;
  deployment_id: number;
  user_id: number;
  /** Null: no rule was asked for, or it has gone. */
  approval_rule_id: number | null;
  /** The same, but for ever; 0 for none: a user has one approval for each. */
  rule_key: number;
  status: 'approved' | 'rejected';
  comment: string | null;
  created_at: string;
  updated_at: string;
}

/** Of one project or one group, the other is null. */
interface ProtectedEnvironmentsTable {
  id: Generated<number>;
  project_id: number | null;
  group_id: number | null;
  /** The name of an environment; of a group's, a tier. */
  name: string;
  required_approval_count: number;
  created_at: string;
  updated_at: string;
}

/** Whom it admits: a role, a user or a group. */
interface Principal {
  access_level: number | null;
  user_id: number | null;
  group_id: number | null;
  /** Of a group: 0 its direct members, 1 all that it has. */
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
