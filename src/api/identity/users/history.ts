import type { Act } from '../../../facts/act.ts';
import type { AuditEvent } from '../../../history/index.ts';
import type { User } from '../../../identity/users.ts';

/** What happened to a user; `called` is what contract/activity.md Part 3 tells of the user for this event. */
interface UserEvent extends Pick<AuditEvent, 'name' | 'message' | 'details'> {
  readonly called: string;
}

/** The audit event of a change of a user, which belongs to the user. */
export function recordUser(
  act: Act,
  { id, username }: Pick<User, 'id' | 'username'>,
  { called, ...event }: UserEvent,
): Promise<void> {
  const entity = { type: 'User', id, path: username } as const;
  return act.record({ ...event, entity, target: { type: 'User', id, details: called } });
}
