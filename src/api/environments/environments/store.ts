import { type EnvironmentRow, environmentColumns } from '../../../access/environments.ts';
import type { Reader } from '../../../database/database.ts';
import { type Page, paged } from '../../../database/page.ts';
import type { OffsetRequest } from '../../../http/lists/pagination.ts';

/** One page of a project's environments, the oldest first. index: environments_by_project */
export function listEnvironments(db: Reader, projectId: number, page: OffsetRequest): Promise<Page<EnvironmentRow>> {
  const found = db
    .selectFrom('environments')
    .select(environmentColumns)
    .where('environments.project_id', '=', projectId);
  return paged(db, found.orderBy('environments.id', 'asc'), page);
}
