import type { AuditEvent } from '#activity/index.ts';
import type { Membership } from '#domain/members/memberships.ts';
import { getRoleName } from '#domain/members/roles.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';

/** Activity and audit events of memberships (contract/activity.md, both tables "What records ..."). */

/** A membership with the full path of its group or project and its user's name. */
interface AuditedMembership {
  readonly membership: Membership;
  readonly full_path: string;
  readonly user_name: string;
}

type MemberAuditEvent = Pick<AuditEvent, 'name' | 'message' | 'details'>;

async function recordAuditEvent(
  uow: UnitOfWork,
  { membership, full_path, user_name }: AuditedMembership,
  event: MemberAuditEvent,
): Promise<void> {
  const { id, user_id, source_type, source_id } = membership;
  const type = source_type === 'group' ? 'Group' : 'Project';
  await uow.record({
    ...event,
    entity: { type, id: source_id, path: full_path },
    target: { type: 'User', id: user_id, details: user_name },
    details: { ...event.details, member_id: id },
  });
}

const formatRole = (level: number) => `Default role: ${getRoleName(level)}`;

/** Records an activity event of a project's member. Groups have no such events. */
async function recordActivityEvent(
  uow: UnitOfWork,
  { source_type, source_id, user_id }: Membership,
  action: 'joined' | 'left' | 'expired',
) {
  if (source_type !== 'project') return;
  await uow.record({ projectId: source_id, authorId: user_id, action, target: { type: 'Project' } });
}

/** Records the activity event and the audit event of a new membership. */
export async function recordMemberJoined(uow: UnitOfWork, audited: AuditedMembership): Promise<void> {
  await recordActivityEvent(uow, audited.membership, 'joined');
  await recordMemberAdded(uow, audited);
}

/** Records the audit event of a new membership, without an activity event. */
export async function recordMemberAdded(uow: UnitOfWork, audited: AuditedMembership): Promise<void> {
  await recordAuditEvent(uow, audited, {
    name: 'member_created',
    message: 'Membership created',
    details: { add: 'user_access', as: formatRole(audited.membership.access_level) },
  });
}

/** Records the changes of a membership. `audited.membership`: the new state; `before`: the old one. */
export async function recordMemberUpdated(
  uow: UnitOfWork,
  audited: AuditedMembership,
  before: Membership,
): Promise<void> {
  const { access_level, expires_at } = audited.membership;
  if (access_level === before.access_level && expires_at === before.expires_at) return;
  await recordAuditEvent(uow, audited, {
    name: 'member_updated',
    message: 'Membership updated',
    details: {
      change: 'access_level',
      from: formatRole(before.access_level),
      to: formatRole(access_level),
      as: formatRole(access_level),
      expiry_from: before.expires_at,
      expiry_to: expires_at,
    },
  });
}

/** Records the activity event and the audit event of a removed member. */
export async function recordMemberRemoved(uow: UnitOfWork, audited: AuditedMembership): Promise<void> {
  await recordActivityEvent(uow, audited.membership, 'left');
  await recordAuditEvent(uow, audited, {
    name: 'member_destroyed',
    message: 'Membership destroyed',
    details: { remove: 'user_access', as: formatRole(audited.membership.access_level) },
  });
}

/** Records the activity event and the audit event of an expired membership. */
export async function recordMemberExpired(uow: UnitOfWork, audited: AuditedMembership): Promise<void> {
  const { access_level, expires_at } = audited.membership;
  await recordActivityEvent(uow, audited.membership, 'expired');
  await recordAuditEvent(uow, audited, {
    name: 'member_destroyed',
    message: `Membership expired on ${expires_at}`,
    details: {
      remove: 'user_access',
      as: formatRole(access_level),
      reason: `access expired on ${expires_at}`,
      system_event: true,
    },
  });
}
