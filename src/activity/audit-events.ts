import type { Caller } from '#authentication/caller.ts';
import type { Tier } from '#config.ts';
import type { Transaction } from '#database/database.ts';
import type { AuditEntityType } from '#database/schema.ts';

type AuditEntity =
  | { readonly type: 'User' | 'Group' | 'Project'; readonly id: number; readonly path: string }
  | typeof INSTANCE;

interface AuditContext {
  readonly actor: Caller;
  readonly tier: Tier;
}

/** Entity of events about the whole instance. */
export const INSTANCE = { type: 'Gitlab::Audit::InstanceScope', id: 1, path: 'gitlab_instance' } as const satisfies {
  type: AuditEntityType;
  id: number;
  path: string;
};

export interface AuditEvent {
  readonly name: AuditEventName;
  readonly entity: AuditEntity;
  /** The changed object; `details` is its name or path, as the contract specifies for the event. */
  readonly target: { readonly type: string; readonly id: number | null; readonly details: string };
  /** The event's `custom_message`. */
  readonly message: string;
  /** Additional keys of the event; undefined values are omitted. Never a token, password or key. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * Records an audit event in the transaction of its change (contract/activity.md Part 3). Events of groups and projects
 * require tier premium: on tier free nothing is recorded. `details.author_email` is not stored: readers add the
 * author's current address.
 */
export async function recordAudit(tx: Transaction, { actor, tier }: AuditContext, event: AuditEvent): Promise<void> {
  const { name, entity, target, message, details } = event;
  if (tier === 'free' && (entity.type === 'Group' || entity.type === 'Project')) return;
  const author = toAuditAuthor(actor);
  await tx
    .insertInto('audit_events')
    .values({
      author_id: author.id,
      entity_type: entity.type,
      entity_id: entity.id,
      event_name: name,
      details: JSON.stringify({
        ...details,
        event_name: name,
        author_name: author.name,
        author_class: author.class,
        target_id: target.id,
        target_type: target.type,
        target_details: target.details,
        custom_message: message,
        ip_address: actor.address,
        entity_path: entity.path,
      }),
      created_at: tx.now,
    })
    .execute();
}

/** Returns the author of an event. Without a user it is an unauthenticated request or, without an address, the system. */
function toAuditAuthor({ user, address }: Caller): { id: number; name: string; class: string } {
  if (user) return { id: user.id, name: user.name, class: 'User' };
  const name = address === null ? '(System)' : 'An unauthenticated user';
  return { id: -1, name, class: 'Gitlab::Audit::UnauthenticatedAuthor' };
}

/**
 * Returns message and details of an event about a changed attribute: `Changed <change> from <from> to <to>`. The
 * message omits an empty side; the details omit an undefined one too (for passwords).
 */
export function describeChange(
  change: string,
  from?: string | number | boolean | null,
  to?: string | number | boolean | null,
): Pick<AuditEvent, 'message' | 'details'> {
  const [before, after] = [toText(from), toText(to)];
  const message = `Changed ${change}${before ? ` from ${before}` : ''}${after ? ` to ${after}` : ''}`;
  return { message, details: { change, from: before, to: after } };
}

function toText(value: string | number | boolean | null | undefined): string | undefined {
  return value === undefined ? undefined : String(value ?? '');
}

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
  | 'application_setting_updated'
  | 'secret_key_rotated';

type UserEvent =
  | 'user_created'
  | 'user_destroyed'
  | 'user_blocked'
  | 'user_unblocked'
  | 'user_access_locked'
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
