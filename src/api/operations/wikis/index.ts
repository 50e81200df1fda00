import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';
import { endOfGroup, endOfProject, removeWikiRepository } from './ends.ts';

/**
 * A wiki is a repository that has no row before somebody writes into it (`repositories/ensure-wiki.ts`). Its refs move by the road of
 * all refs: whatever moved them, `repositories/settle-wiki.ts` tells of it as what became of pages, whose ids last. What git clients
 * may is said in `http/access/git-wiki-access.ts`, pushes are received in `code/git-http/`.
 */
export const wikis = family({
  endpoints,
  jobs: [removeWikiRepository],
  subscriptions: [endOfProject, endOfGroup],
});
