import type { Reader } from '../../../database/database.ts';
import { type Page, paged } from '../../../database/page.ts';
import type { PageRequest } from '../../../http/lists/pagination.ts';
import { applicationColumns, type OAuthApplication } from '../../../identity/oauth-applications.ts';

/** One page of all applications, the oldest first. */
export function pageOfApplications(db: Reader, page: PageRequest): Promise<Page<OAuthApplication>> {
  if (page.kind !== 'offset') throw new Error('Applications are listed by page number');
  // index: oauth_applications primary key
  return paged(
    db,
    db.selectFrom('oauth_applications').select(applicationColumns).orderBy('oauth_applications.id', 'asc'),
    page,
  );
}
