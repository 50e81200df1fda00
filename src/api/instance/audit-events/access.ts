import { roleInGroup } from '../../../access/groups.ts';
import { roleIn } from '../../../access/projects.ts';
import { MAINTAINER, OWNER } from '../../../access/roles.ts';
import type { AuditEntityType } from '../../../database/tables/history.ts';
import { type Access, type AccessCall, administrator } from '../../../http/access/access.ts';
import { inGroup, inProject } from '../../../http/access/project-access.ts';
import { forbidden, nestedNotFound } from '../../../http/endpoint/refusal.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { type AuditRow, findAuditEvent } from './store.ts';

/** The part of the audit log that a caller may read (contract/activity.md Part 3). */
export interface AuditLog {
  /** Only of this one; null: everything. */
  readonly entity: { readonly type: AuditEntityType; readonly id: number } | null;
  /** Only what this user has done; null: everybody. */
  readonly authorId: number | null;
}

type Logged = { log: AuditLog };

/** Everything, for administrators. */
export function instanceLog(): Access<Logged> {
  return logOf(administrator(), () => ({ entity: null, authorId: null }));
}

/** What concerns the group itself; Owners see what everybody has done, others what they have done themselves. */
export function groupLog(): Access<Logged> {
  return logOf(inGroup('read_group_audit_events'), ({ group, caller }) => ({
    entity: { type: 'Group', id: group.id },
    authorId: roleInGroup(caller, group) >= OWNER ? null : caller.user.id,
  }));
}

/** What concerns the project itself; Maintainers see what everybody has done, Developers what they have done themselves. */
export function projectLog(): Access<Logged> {
  return logOf(inProject('read_project_audit_events'), ({ project, caller }) => ({
    entity: { type: 'Project', id: project.id },
    authorId: roleIn(caller, project) >= MAINTAINER ? null : caller.user.id,
  }));
}

/** On tier free nobody reads it. */
function logOf<Found extends { caller: SignedIn }>(
  inner: Access<Found>,
  partOf: (found: Found) => AuditLog,
): Access<Logged> {
  return inner
    .map((found) => ({ log: partOf(found) }))
    .and(({ rooms }) => {
      if (rooms.config.tier === 'free') throw forbidden();
    });
}

/** One event of the log, by the path's last parameter. */
export const eventNamed = (parameter: 'id' | 'audit_event_id') => ({
  name: 'event' as const,
  find: ({ db, params }: AccessCall, { log }: Logged): Promise<AuditRow | null> =>
    findAuditEvent(db, log, params[parameter] as number),
  missing: nestedNotFound,
});
