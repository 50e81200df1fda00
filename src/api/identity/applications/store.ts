import { applicationColumns, type OAuthApplication } from '#authentication/oauth/applications.ts';
import type { Reader } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

/** Returns one page of all applications, ordered by id. */
export function listApplicationPage(db: Reader, page: OffsetRequest): Promise<Page<OAuthApplication>> {
  // index: oauth_applications primary key
  const applications = db.selectFrom('oauth_applications').select(applicationColumns);
  return paginate(db, applications.orderBy('oauth_applications.id', 'asc'), page);
}
