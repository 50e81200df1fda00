import { applicationColumns, type OAuthApplication } from '#authentication/oauth/applications.ts';
import type { Reader } from '#database/database.ts';
import { type Page, paged } from '#database/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

/** One page of all applications, the oldest first. */
export function pageOfApplications(db: Reader, page: OffsetRequest): Promise<Page<OAuthApplication>> {
  // index: oauth_applications primary key
  const all = db.selectFrom('oauth_applications').select(applicationColumns);
  return paged(db, all.orderBy('oauth_applications.id', 'asc'), page);
}
