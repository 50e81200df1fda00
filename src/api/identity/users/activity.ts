import type { AuditEvent } from '#activity/index.ts';
import type { User } from '#authentication/users/users.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';

/** What happened to a user; `called` is what contract/activity.md Part 3 tells of the user for this event. */
interface UserEvent extends Pick<AuditEvent, 'name' | 'message' | 'details'> {
  readonly called: string;
}

/** The audit event of a change of a user, which belongs to the user. */
export function recordUser(
  uow: UnitOfWork,
  { id, username }: Pick<User, 'id' | 'username'>,
  { called, ...event }: UserEvent,
): Promise<void> {
  const entity = { type: 'User', id, path: username } as const;
  return uow.record({ ...event, entity, target: { type: 'User', id, details: called } });
}
