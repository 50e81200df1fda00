import { family } from '../../../http/endpoint/family.ts';
import * as endpoints from './endpoints.ts';
import { giveSnippetsAway, removeSnippetRepository, sweepDraft } from './sweep.ts';

// What other families may use of snippets.
export { snippetNamed } from './access.ts';
export { SnippetIdentity } from './entities.ts';
export type { Snippet } from './store.ts';

export const snippets = family({
  endpoints,
  jobs: [sweepDraft, removeSnippetRepository],
  subscriptions: [giveSnippetsAway],
});
