import { forBoth } from '#http/access/parents.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok, page } from '#http/endpoint/responses.ts';
import { optional } from '#http/parameters/declarations.ts';
import { dateTime, integer, oneOf } from '#http/parameters/types.ts';
import { fail } from '#runtime/failure.ts';
import { eventBelow, eventById, instanceLog, logOf } from './access.ts';
import { AuditEvent } from './entities.ts';
import { AUDIT_KEYSET, listAuditEvents as list } from './store.ts';

const period = { created_after: optional(dateTime), created_before: optional(dateTime) };

export const listAuditEvents = endpoint({
  get: '/audit_events',
  summary: 'List what was done on this server',
  access: instanceLog(),
  params: {
    ...period,
    entity_type: optional(oneOf('User', 'Group', 'Project', 'Gitlab::Audit::InstanceScope')),
    entity_id: optional(integer),
  },
  keyset: AUDIT_KEYSET,
  errors: { typeMissing: [400, { error: 'entity_type is missing' }] },
  response: page(AuditEvent),
  read: (db, { log, params, page }) =>
    params.entity_id != null && params.entity_type == null ? fail('typeMissing') : list(db, log, params, page),
});

export const readAuditEvent = endpoint({
  get: '/audit_events/:id',
  summary: 'One thing that was done on this server',
  access: instanceLog().resource(eventById),
  response: ok(AuditEvent),
  read: (_db, { event }) => event,
});

export const [listGroupAuditEvents, listProjectAuditEvents] = forBoth((parent) =>
  endpoint({
    get: `${parent.path}/audit_events`,
    summary: `List what was done to a ${parent.type}`,
    access: logOf(parent),
    params: period,
    keyset: AUDIT_KEYSET,
    response: page(AuditEvent),
    read: (db, { log, params, page }) => list(db, log, params, page),
  }),
);

export const [readGroupAuditEvent, readProjectAuditEvent] = forBoth((parent) =>
  endpoint({
    get: `${parent.path}/audit_events/:audit_event_id`,
    summary: `One thing that was done to a ${parent.type}`,
    access: logOf(parent).resource(eventBelow),
    response: ok(AuditEvent),
    read: (_db, { event }) => event,
  }),
);
