import type { Static } from 'typebox';
import type { Reader } from '../../../database/database.ts';
import type { Page } from '../../../http/endpoint/answers.ts';
import type { PageRequest } from '../../../http/lists/pagination.ts';
import type { AuditLog } from './access.ts';
import { type AuditEvent, auditEvents } from './entities.ts';
import { type AuditFilter, type AuditRow, authorEmails, listAuditEvents } from './store.ts';

type Shown = Static<typeof AuditEvent>;

/** One page of the log with the present addresses of those who acted. */
export async function presentEvents(
  db: Reader,
  log: AuditLog,
  filter: AuditFilter,
  page: PageRequest,
): Promise<Page<Shown>> {
  const found = await listAuditEvents(db, log, filter, page);
  return { ...found, items: auditEvents(found.items, await authorEmails(db, found.items)) };
}

export async function presentEvent(db: Reader, event: AuditRow): Promise<Shown> {
  const [shown] = auditEvents([event], await authorEmails(db, [event]));
  return shown as Shown;
}
