import type { Membership } from '../../../access/memberships.ts';
import { roleName } from '../../../access/roles.ts';
import type { Tier } from '../../../config.ts';
import type { Transaction } from '../../../database/database.ts';
import type { FactBus } from '../../../facts/facts.ts';
import { type AuditEvent, recordActivity, recordAudit } from '../../../history/index.ts';
import type { Caller } from '../../../identity/caller.ts';

/** What a change of members leaves in the history (contract/activity.md, both tables "What records ..."). */

/** Who does it, on which tier, and whom it is told. */
export interface Acting {
  readonly caller: Caller;
  readonly tier: Tier;
  readonly facts: FactBus;
}

/** A membership, its group's or project's full path, and its user's name. */
export interface Audited {
  readonly membership: Membership;
  readonly full_path: string;
  readonly user_name: string;
}

type Event = Pick<AuditEvent, 'name' | 'message' | 'details'>;

async function audit(
  tx: Transaction,
  { caller, tier }: Acting,
  { membership, full_path, user_name }: Audited,
  event: Event,
) {
  const { id, user_id, source_type, source_id } = membership;
  const type = source_type === 'group' ? 'Group' : 'Project';
  await recordAudit(tx, caller, {
    ...event,
    entity: { type, id: source_id, path: full_path, tier },
    target: { type: 'User', id: user_id, details: user_name },
    details: { ...event.details, member_id: id },
  });
}

const roleText = (level: number) => `Default role: ${roleName(level)}`;

async function recordInFeed(
  tx: Transaction,
  { source_type, source_id, user_id }: Membership,
  action: 'joined' | 'left' | 'expired',
) {
  if (source_type !== 'project') return;
  await recordActivity(tx, { projectId: source_id, authorId: user_id, action, target: { type: 'Project' } });
}

export async function recordJoined(tx: Transaction, acting: Acting, audited: Audited): Promise<void> {
  await recordInFeed(tx, audited.membership, 'joined');
  await audit(tx, acting, audited, {
    name: 'member_created',
    message: 'Membership created',
    details: { add: 'user_access', as: roleText(audited.membership.access_level) },
  });
}

/** `audited.membership` as it is now, `before` as it was. */
export async function recordChanged(
  tx: Transaction,
  acting: Acting,
  audited: Audited,
  before: Membership,
): Promise<void> {
  const { access_level, expires_at } = audited.membership;
  if (access_level === before.access_level && expires_at === before.expires_at) return;
  await audit(tx, acting, audited, {
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

export async function recordRemoved(tx: Transaction, acting: Acting, audited: Audited): Promise<void> {
  await recordInFeed(tx, audited.membership, 'left');
  await audit(tx, acting, audited, {
    name: 'member_destroyed',
    message: 'Membership destroyed',
    details: { remove: 'user_access', as: roleText(audited.membership.access_level) },
  });
}

export async function recordExpired(tx: Transaction, acting: Acting, audited: Audited): Promise<void> {
  const { access_level, expires_at } = audited.membership;
  await recordInFeed(tx, audited.membership, 'expired');
  await audit(tx, acting, audited, {
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
