import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { deleteWikiRepository, onGroupDestroyed, onProjectDestroyed } from './on-delete.ts';

/**
 * A wiki is a repository. Its row is created by the first write (`repositories/wikis/find-or-create.ts`). All ref updates
 * use the same code path: `repositories/wikis/complete-intent.ts` publishes the page changes, and page ids are permanent.
 * `http/access/git-rules.ts` checks the access of git clients; `code/git-http/` receives pushes.
 */
export const wikis = resourceModule({
  endpoints,
  jobs: [deleteWikiRepository],
  subscriptions: [onProjectDestroyed, onGroupDestroyed],
});
