/**
 * The `event_name` of every audit event: contract/activity.md, "What records an audit event". Each resource adds its
 * names as a type in this union.
 */
export type AuditEventName =
  | UserEvent
  | TokenEvent
  | ProjectEvent
  | GroupEvent
  | MemberEvent
  | ProtectedBranchEvent
  | RunnerEvent
  | ProtectedEnvironmentEvent
  | DeploymentEvent
  | SshCertificateEvent
  | VariableEvent
  | 'application_setting_updated';

type UserEvent =
  | 'user_created'
  | 'user_destroyed'
  | 'user_blocked'
  | 'user_unblocked'
  | 'user_access_unlocked'
  | 'user_email_address_updated'
  | 'user_username_updated'
  | 'user_name_updated'
  | 'user_admin_status_updated'
  | 'user_password_updated'
  | 'add_ssh_key'
  | 'remove_ssh_key';

type TokenEvent =
  | 'personal_access_token_created'
  | 'personal_access_token_revoked'
  | 'project_access_token_created'
  | 'project_access_token_deleted'
  | 'group_access_token_created'
  | 'group_access_token_deleted';

type ProjectEvent =
  | 'project_created'
  | 'project_destroyed'
  | 'project_archived'
  | 'project_unarchived'
  | 'project_name_updated'
  | 'project_path_updated'
  | 'project_description_updated'
  | 'project_visibility_level_updated'
  | 'project_namespace_updated';

type GroupEvent =
  | 'group_created'
  | 'group_destroyed'
  | 'group_name_updated'
  | 'group_path_updated'
  | 'group_visibility_level_updated'
  | 'group_description_updated';

type MemberEvent = 'member_created' | 'member_updated' | 'member_destroyed';

type ProtectedBranchEvent = 'protected_branch_created' | 'protected_branch_removed';

type RunnerEvent =
  | 'ci_runner_created'
  | 'ci_runner_registered'
  | 'ci_runner_unregistered'
  | 'ci_runner_assigned_to_project'
  | 'ci_runner_unassigned_from_project';

type ProtectedEnvironmentEvent =
  | 'environment_protected'
  | 'environment_unprotected'
  | 'protected_environment_updated'
  | `protected_environment_${'deploy_access_level' | 'approval_rule'}_${'added' | 'updated' | 'deleted'}`;

type DeploymentEvent = 'deployment_approved' | 'deployment_rejected';

type VariableEvent = `ci_${'' | 'group_' | 'instance_'}variable_${'created' | 'updated' | 'deleted'}`;

type SshCertificateEvent = 'create_ssh_certificate' | 'delete_ssh_certificate';
