import { findUserByUsername } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import type { Page } from '#database/page.ts';
import type { AlertStatus } from '#database/schema.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { type ALERT_SORTS, type AlertFilter, type AlertRow, countStatuses, listAlerts } from './store.ts';

interface AlertFilterParams {
  readonly search?: string | null | undefined;
  readonly assignee_username?: string | null | undefined;
}

/** Returns one page of a project's alerts; without `status`, alerts of all statuses. */
export async function listAlertPage(
  db: Reader,
  project: Project,
  {
    status,
    sort,
    ...filterParams
  }: AlertFilterParams & {
    readonly status?: readonly AlertStatus[] | null | undefined;
    readonly sort: (typeof ALERT_SORTS)[number];
  },
  page: OffsetRequest,
): Promise<Page<AlertRow>> {
  const filter = await resolveFilter(db, filterParams);
  if (filter === null) return { items: [], total: 0, hasMore: false };
  return listAlerts(db, project, { ...filter, status: status ?? [], sort }, page);
}

/** Returns the number of a project's alerts by status, and the number of open ones. */
export async function countAlertsByStatus(db: Reader, project: Project, filterParams: AlertFilterParams) {
  const filter = await resolveFilter(db, filterParams);
  const counts = filter === null ? null : await countStatuses(db, project.id, filter);
  const getCount = (status: AlertStatus) => counts?.get(status) ?? 0;
  const countsByStatus = {
    triggered: getCount('triggered'),
    acknowledged: getCount('acknowledged'),
    resolved: getCount('resolved'),
    ignored: getCount('ignored'),
  };
  const open = countsByStatus.triggered + countsByStatus.acknowledged;
  return { ...countsByStatus, open, all: open + countsByStatus.resolved + countsByStatus.ignored };
}

/** Returns the filter, or null if no user has the assignee's username. */
async function resolveFilter(
  db: Reader,
  { search, assignee_username: username }: AlertFilterParams,
): Promise<AlertFilter | null> {
  if (username == null) return { search };
  const assignee = await findUserByUsername(db, username);
  return assignee === null ? null : { search, assigneeId: assignee.id };
}
