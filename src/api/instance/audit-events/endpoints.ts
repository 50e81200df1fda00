import { entity, page } from '../../../http/endpoint/answers.ts';
import { endpoint } from '../../../http/endpoint/endpoint.ts';
import { optional, required } from '../../../http/parameters/declarations.ts';
import { dateTime, integer, oneOf } from '../../../http/parameters/types.ts';
import { refused } from '../../../refused.ts';
import { eventNamed, groupLog, instanceLog, projectLog } from './access.ts';
import { AuditEvent } from './entities.ts';
import { presentEvent, presentEvents } from './present.ts';
import { AUDIT_KEYSET } from './store.ts';

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
  refuses: { typeMissing: [400, { error: 'entity_type is missing' }] },
  answer: page(AuditEvent),
  handle({ db, log, params, page }) {
    if (params.entity_id != null && params.entity_type == null) return refused('typeMissing');
    return presentEvents(db, log, params, page);
  },
});

export const readAuditEvent = endpoint({
  get: '/audit_events/:id',
  summary: 'One thing that was done on this server',
  access: instanceLog().record(eventNamed('id')),
  params: { id: required(integer) },
  answer: entity(AuditEvent),
  handle: ({ db, event }) => presentEvent(db, event),
});

export const listGroupAuditEvents = endpoint({
  get: '/groups/:id/audit_events',
  summary: 'List what was done to a group',
  access: groupLog(),
  params: period,
  keyset: AUDIT_KEYSET,
  answer: page(AuditEvent),
  handle: ({ db, log, params, page }) => presentEvents(db, log, params, page),
});

export const readGroupAuditEvent = endpoint({
  get: '/groups/:id/audit_events/:audit_event_id',
  summary: 'One thing that was done to a group',
  access: groupLog().record(eventNamed('audit_event_id')),
  params: { audit_event_id: required(integer) },
  answer: entity(AuditEvent),
  handle: ({ db, event }) => presentEvent(db, event),
});

export const listProjectAuditEvents = endpoint({
  get: '/projects/:id/audit_events',
  summary: 'List what was done to a project',
  access: projectLog(),
  params: period,
  keyset: AUDIT_KEYSET,
  answer: page(AuditEvent),
  handle: ({ db, log, params, page }) => presentEvents(db, log, params, page),
});

export const readProjectAuditEvent = endpoint({
  get: '/projects/:id/audit_events/:audit_event_id',
  summary: 'One thing that was done to a project',
  access: projectLog().record(eventNamed('audit_event_id')),
  params: { audit_event_id: required(integer) },
  answer: entity(AuditEvent),
  handle: ({ db, event }) => presentEvent(db, event),
});
