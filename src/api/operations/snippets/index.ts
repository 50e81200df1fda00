import { resourceModule } from '#http/endpoint/resource-module.ts';
import { giveSnippetsAway, removeSnippetRepository, sweepDraft } from './cleanup.ts';
import * as endpoints from './endpoints.ts';

// What other families may use of snippets.
export { snippetNamed } from './access.ts';
export { SnippetIdentity } from './entities.ts';
export type { Snippet } from './store.ts';

export const snippets = resourceModule({
  endpoints,
  jobs: [sweepDraft, removeSnippetRepository],
  subscriptions: [giveSnippetsAway],
});
