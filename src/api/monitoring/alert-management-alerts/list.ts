import { findUserByUsername } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import type { Page } from '#database/page.ts';
import type { AlertStatus } from '#database/tables/alerts.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { type AlertRow, countStatuses, listAlerts, type Narrowing, type SORTS } from './store.ts';

interface Asked {
  readonly search?: string | null | undefined;
  readonly assignee_username?: string | null | undefined;
}

/** One page of a project's alerts, of all statuses where none is named. */
export async function listed(
  db: Reader,
  project: Project,
  {
    status,
    sort,
    ...asked
  }: Asked & { readonly status?: readonly AlertStatus[] | null | undefined; readonly sort: (typeof SORTS)[number] },
  page: OffsetRequest,
): Promise<Page<AlertRow>> {
  const narrowing = await narrowingOf(db, asked);
  if (narrowing === null) return { items: [], total: 0, more: false };
  return listAlerts(db, project, { ...narrowing, status: status ?? [], sort }, page);
}

/** How many of a project's alerts stand how, and how many are worked on. */
export async function statusCounts(db: Reader, project: Project, asked: Asked) {
  const narrowing = await narrowingOf(db, asked);
  const counts = narrowing === null ? null : await countStatuses(db, project.id, narrowing);
  const of = (status: AlertStatus) => counts?.get(status) ?? 0;
  const each = {
    triggered: of('triggered'),
    acknowledged: of('acknowledged'),
    resolved: of('resolved'),
    ignored: of('ignored'),
  };
  const open = each.triggered + each.acknowledged;
  return { ...each, open, all: open + each.resolved + each.ignored };
}

/** Null: nobody bears the name, so that nothing is assigned to him. */
async function narrowingOf(db: Reader, { search, assignee_username: name }: Asked): Promise<Narrowing | null> {
  if (name == null) return { search };
  const assignee = await findUserByUsername(db, name);
  return assignee === null ? null : { search, assigneeId: assignee.id };
}
