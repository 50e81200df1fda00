import type { AuditEvent } from '#activity/index.ts';
import type { User } from '#authentication/users/users.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';

/** An audit event about a user. `targetDetails` is described in contract/activity.md Part 3. */
interface UserEvent extends Pick<AuditEvent, 'name' | 'message' | 'details'> {
  readonly targetDetails: string;
}

/** Records an audit event about a user. */
export function recordUserEvent(
  uow: UnitOfWork,
  { id, username }: Pick<User, 'id' | 'username'>,
  { targetDetails, ...event }: UserEvent,
): Promise<void> {
  const entity = { type: 'User', id, path: username } as const;
  return uow.record({ ...event, entity, target: { type: 'User', id, details: targetDetails } });
}
