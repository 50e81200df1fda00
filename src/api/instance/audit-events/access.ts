import { MAINTAINER, OWNER } from '#domain/members/roles.ts';
import { type Access, type AccessCall, administrator } from '#http/access/access.ts';
import type { ByParentType, ParentKind } from '#http/access/parents.ts';
import { forbidOnFreeTier } from '#http/access/tiers.ts';
import { genericNotFound } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { type AuditLog, findAuditEvent } from './store.ts';

/** Access to parts of the audit log (contract/activity.md Part 3). */

/** The part of the audit log that the caller may read. */
interface AuditLogContext {
  readonly log: AuditLog;
}

const READ_ABILITIES = { group: 'read_group_audit_events', project: 'read_project_audit_events' } as const;

/** The minimum role that may read all events. Callers with a lower role may read only events of which they are the author. */
const FULL_LOG_ROLE: ByParentType<number> = { group: OWNER, project: MAINTAINER };

/** Allows administrators to read all events. */
export function instanceLogAccess(): Access<AuditLogContext> {
  return administrator()
    .map(() => ({ log: { entity: null, authorId: null } }))
    .require(forbidOnFreeTier);
}

/** Allows reading the events of the group or project itself. */
export function parentLogAccess(kind: ParentKind): Access<AuditLogContext> {
  return kind
    .accessWith(READ_ABILITIES)
    .map(({ parent, caller }) => ({
      log: {
        entity: { type: kind.name, id: parent.id },
        authorId: parent.role >= FULL_LOG_ROLE[parent.type] ? null : caller.user.id,
      },
    }))
    .require(forbidOnFreeTier);
}

const eventResource = { name: 'event', notFound: genericNotFound } as const;

/** Loads the event `:id` of the log. */
export const auditEventByIdResource = {
  ...eventResource,
  params: { id: required(integer) },
  load: ({ db, params }: AccessCall<{ id: number }>, { log }: AuditLogContext) => findAuditEvent(db, log, params.id),
} as const;

/** Loads the event `:audit_event_id` of the log. */
export const parentAuditEventResource = {
  ...eventResource,
  params: { audit_event_id: required(integer) },
  load: ({ db, params }: AccessCall<{ audit_event_id: number }>, { log }: AuditLogContext) =>
    findAuditEvent(db, log, params.audit_event_id),
} as const;
