import { MAINTAINER, OWNER } from '#domain/members/roles.ts';
import { type Access, type AccessCall, administrator } from '#http/access/access.ts';
import type { Pair, ParentKind } from '#http/access/parents.ts';
import { refuseOnFree } from '#http/access/tiers.ts';
import { nestedNotFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { type AuditLog, findAuditEvent } from './store.ts';

/** Which part of the audit log a caller may read (contract/activity.md Part 3). */

interface Logged {
  readonly log: AuditLog;
}

const READING = { group: 'read_group_audit_events', project: 'read_project_audit_events' } as const;

/** The least role that sees what everybody has done; others see what they have done themselves. */
const SEES_ALL: Pair<number> = { group: OWNER, project: MAINTAINER };

/** Everything, for administrators. */
export function instanceLog(): Access<Logged> {
  return administrator()
    .map(() => ({ log: { entity: null, authorId: null } }))
    .require(refuseOnFree);
}

/** What concerns the group or project itself. */
export function logOf(kind: ParentKind): Access<Logged> {
  return kind
    .may(READING)
    .map(({ parent, caller }) => ({
      log: {
        entity: { type: kind.name, id: parent.id },
        authorId: parent.role >= SEES_ALL[parent.type] ? null : caller.user.id,
      },
    }))
    .require(refuseOnFree);
}

/** One event of the log. */
const event = { name: 'event', notFound: nestedNotFound } as const;

export const eventById = {
  ...event,
  params: { id: required(integer) },
  load: ({ db, params }: AccessCall<{ id: number }>, { log }: Logged) => findAuditEvent(db, log, params.id),
} as const;

/** The same below a group or project. */
export const eventBelow = {
  ...event,
  params: { audit_event_id: required(integer) },
  load: ({ db, params }: AccessCall<{ audit_event_id: number }>, { log }: Logged) =>
    findAuditEvent(db, log, params.audit_event_id),
} as const;
