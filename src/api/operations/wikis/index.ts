import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';
import { endOfGroup, endOfProject, removeWikiRepository } from './on-delete.ts';

/**
 * A wiki is a repository that has no row before somebody writes into it (`repositories/wikis/find-or-create.ts`). Its refs move by the road of
 * all refs: whatever moved them, `repositories/wikis/complete-intent.ts` tells of it as what became of pages, whose ids last. What git clients
 * may is said in `http/access/git-wiki-access.ts`, pushes are received in `code/git-http/`.
 */
export const wikis = resourceModule({
  endpoints,
  jobs: [removeWikiRepository],
  subscriptions: [endOfProject, endOfGroup],
});
