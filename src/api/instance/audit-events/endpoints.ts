import { Type } from 'typebox';
import { MAINTAINER, OWNER } from '#domain/members/roles.ts';
import { type Access, type AccessCall, administrator, forbidOnFreeTier } from '#http/access/access.ts';
import { type ByParentType, forGroupAndProject, type ParentKind } from '#http/access/parents.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { dateTime as dateTimeSchema, nullable, ok, page } from '#http/endpoint/responses.ts';
import { genericNotFound } from '#http/errors/http-error.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { dateTime, integer, oneOf } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import {
  AUDIT_KEYSET,
  type AuditEventRow,
  type AuditLog,
  findAuditEvent,
  listAuditEvents as listEventsOfLog,
  loadAuthorEmails,
} from './store.ts';

const text = Type.String();

/** The details of an event; some depend on its kind (contract/activity.md Part 3). */
const Details = Type.Object(
  {
    event_name: text,
    author_name: text,
    author_class: text,
    target_id: nullable(Type.Integer()),
    target_type: text,
    target_details: text,
    custom_message: text,
    ip_address: nullable(text),
    entity_path: text,
    author_email: nullable(text),
  },
  { title: 'AuditEventDetails' },
);

/** An audit event with the present email address of its author. */
const AuditEvent = entity('AuditEvent', {
  id: Type.Integer(),
  author_id: Type.Integer({ description: 'Id of the user; -1 if the author is not a user.' }),
  entity_id: Type.Integer({ description: 'Id of the user, group or project in whose log the event is.' }),
  entity_type: text,
  event_name: text,
  details: Details,
  created_at: dateTimeSchema,
})
  .columns('id', 'author_id', 'entity_id', 'entity_type', 'event_name', 'created_at')
  .from(
    (events: readonly AuditEventRow[], { db }) => loadAuthorEmails(db, events),
    ({ author_id, details }, _context, emailsByAuthorId) => ({
      details: { ...JSON.parse(details), author_email: emailsByAuthorId.get(author_id) ?? null },
    }),
  );

/** The part of the audit log that the caller may read (contract/activity.md Part 3). */
interface AuditLogContext {
  readonly log: AuditLog;
}

const READ_ABILITIES = { group: 'read_group_audit_events', project: 'read_project_audit_events' } as const;

/** The minimum role that may read all events. Callers with a lower role may read only their own events. */
const FULL_LOG_ROLE: ByParentType<number> = { group: OWNER, project: MAINTAINER };

/** Admits administrators, who may read all events. */
function instanceLogAccess(): Access<AuditLogContext> {
  return administrator()
    .map(() => ({ log: { entity: null, authorId: null } }))
    .require(forbidOnFreeTier);
}

/** Admits members of the group or project, who may read its events, but not those of anything below it. */
function parentLogAccess(kind: ParentKind): Access<AuditLogContext> {
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
const auditEventByIdResource = {
  ...eventResource,
  params: { id: required(integer) },
  load: ({ db, params }: AccessCall<{ id: number }>, { log }: AuditLogContext) => findAuditEvent(db, log, params.id),
} as const;

/** Loads the event `:audit_event_id` of the log. */
const parentAuditEventResource = {
  ...eventResource,
  params: { audit_event_id: required(integer) },
  load: ({ db, params }: AccessCall<{ audit_event_id: number }>, { log }: AuditLogContext) =>
    findAuditEvent(db, log, params.audit_event_id),
} as const;

const periodParams = { created_after: optional(dateTime), created_before: optional(dateTime) };

export const listAuditEvents = endpoint({
  get: '/audit_events',
  summary: 'List instance audit events',
  description:
    'Returns the audit events of the whole instance, the newest first. `entity_type` and `entity_id` select those of ' +
    'one user, group or project. Not available on the free tier (403).',
  access: instanceLogAccess(),
  params: {
    ...periodParams,
    entity_type: optional(oneOf('User', 'Group', 'Project', 'Gitlab::Audit::InstanceScope')),
    entity_id: describe(optional(integer), 'Id of the user, group or project; requires `entity_type`.'),
  },
  keyset: AUDIT_KEYSET,
  errors: { entityTypeMissing: [400, { error: 'entity_type is missing' }] },
  response: page(AuditEvent),
  read: (db, { log, params, page }) =>
    params.entity_id != null && params.entity_type == null
      ? fail('entityTypeMissing')
      : listEventsOfLog(db, log, params, page),
});

export const getAuditEvent = endpoint({
  get: '/audit_events/:id',
  summary: 'Get an instance audit event',
  description: 'Returns one audit event of the instance. Not available on the free tier (403).',
  access: instanceLogAccess().resource(auditEventByIdResource),
  response: ok(AuditEvent),
  read: (_db, { event }) => event,
});

export const [listGroupAuditEvents, listProjectAuditEvents] = forGroupAndProject((parent) =>
  endpoint({
    get: `${parent.path}/audit_events`,
    summary: `List ${parent.type} audit events`,
    description:
      'Returns the audit events of the group or project itself, the newest first, without those of subgroups and ' +
      'projects. Owners of a group, and Maintainers of a project, see all events. Members with a lower role see only ' +
      'events of which they are the author. Not available on the free tier (403).',
    access: parentLogAccess(parent),
    params: periodParams,
    keyset: AUDIT_KEYSET,
    response: page(AuditEvent),
    read: (db, { log, params, page }) => listEventsOfLog(db, log, params, page),
  }),
);

export const [getGroupAuditEvent, getProjectAuditEvent] = forGroupAndProject((parent) =>
  endpoint({
    get: `${parent.path}/audit_events/:audit_event_id`,
    summary: `Get a ${parent.type} audit event`,
    description:
      'Returns one audit event of the group or project. Owners of a group, and Maintainers of a project, see all ' +
      'events. Members with a lower role get 404 for events of other authors. Not available on the free tier (403).',
    access: parentLogAccess(parent).resource(parentAuditEventResource),
    response: ok(AuditEvent),
    read: (_db, { event }) => event,
  }),
);
