import { forGroupAndProject } from '#http/access/parents.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok, page } from '#http/endpoint/responses.ts';
import { optional } from '#http/parameters/declarations.ts';
import { dateTime, integer, oneOf } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { auditEventByIdResource, instanceLogAccess, parentAuditEventResource, parentLogAccess } from './access.ts';
import { AuditEvent } from './entities.ts';
import { AUDIT_KEYSET, listAuditEvents as listEventsOfLog } from './store.ts';

const periodParams = { created_after: optional(dateTime), created_before: optional(dateTime) };

export const listAuditEvents = endpoint({
  get: '/audit_events',
  summary: 'List instance audit events',
  access: instanceLogAccess(),
  params: {
    ...periodParams,
    entity_type: optional(oneOf('User', 'Group', 'Project', 'Gitlab::Audit::InstanceScope')),
    entity_id: optional(integer),
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
  access: instanceLogAccess().resource(auditEventByIdResource),
  response: ok(AuditEvent),
  read: (_db, { event }) => event,
});

export const [listGroupAuditEvents, listProjectAuditEvents] = forGroupAndProject((parent) =>
  endpoint({
    get: `${parent.path}/audit_events`,
    summary: `List ${parent.type} audit events`,
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
    access: parentLogAccess(parent).resource(parentAuditEventResource),
    response: ok(AuditEvent),
    read: (_db, { event }) => event,
  }),
);
