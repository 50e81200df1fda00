import type { AuditEvent } from '#activity/index.ts';
import type { Membership } from '#domain/members/memberships.ts';
import { roleName } from '#domain/members/roles.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';

/** What a change of members leaves in the history (contract/activity.md, both tables "What records ..."). */

/** A membership, its group's or project's full path, and its user's name. */
export interface Audited {
  readonly membership: Membership;
  readonly full_path: string;
  readonly user_name: string;
}

type Event = Pick<AuditEvent, 'name' | 'message' | 'details'>;

async function audit(uow: UnitOfWork, { membership, full_path, user_name }: Audited, event: Event) {
  const { id, user_id, source_type, source_id } = membership;
  const type = source_type === 'group' ? 'Group' : 'Project';
  await uow.record({
    ...event,
    entity: { type, id: source_id, path: full_path },
    target: { type: 'User', id: user_id, details: user_name },
    details: { ...event.details, member_id: id },
  });
}

const roleText = (level: number) => `Default role: ${roleName(level)}`;

async function recordInFeed(
  uow: UnitOfWork,
  { source_type, source_id, user_id }: Membership,
  action: 'joined' | 'left' | 'expired',
) {
  if (source_type !== 'project') return;
  await uow.record({ projectId: source_id, authorId: user_id, action, target: { type: 'Project' } });
}

export async function recordJoined(uow: UnitOfWork, audited: Audited): Promise<void> {
  await recordInFeed(uow, audited.membership, 'joined');
  await recordAdded(uow, audited);
}

/** The same, of which no feed tells. */
export async function recordAdded(uow: UnitOfWork, audited: Audited): Promise<void> {
  await audit(uow, audited, {
    name: 'member_created',
    message: 'Membership created',
    details: { add: 'user_access', as: roleText(audited.membership.access_level) },
  });
}

/** `audited.membership` as it is now, `before` as it was. */
export async function recordChanged(uow: UnitOfWork, audited: Audited, before: Membership): Promise<void> {
  const { access_level, expires_at } = audited.membership;
  if (access_level === before.access_level && expires_at === before.expires_at) return;
  await audit(uow, audited, {
    name: 'member_updated',
    message: 'Membership updated',
    details: {
      change: 'access_level',
      from: roleText(before.access_level),
      to: roleText(access_level),
      as: roleText(access_level),
      expiry_from: before.expires_at,
      expiry_to: expires_at,
    },
  });
}

export async function recordRemoved(uow: UnitOfWork, audited: Audited): Promise<void> {
  await recordInFeed(uow, audited.membership, 'left');
  await audit(uow, audited, {
    name: 'member_destroyed',
    message: 'Membership destroyed',
    details: { remove: 'user_access', as: roleText(audited.membership.access_level) },
  });
}

export async function recordExpired(uow: UnitOfWork, audited: Audited): Promise<void> {
  const { access_level, expires_at } = audited.membership;
  await recordInFeed(uow, audited.membership, 'expired');
  await audit(uow, audited, {
    name: 'member_destroyed',
    message: `Membership expired on ${expires_at}`,
    details: {
      remove: 'user_access',
      as: roleText(access_level),
      reason: `access expired on ${expires_at}`,
      system_event: true,
    },
  });
}
