import { resourceModule } from '#http/endpoint/resource-module.ts';
import { deleteSnippetRepository, deleteStaleDraft, onUserDeleted } from './cleanup.ts';
import * as endpoints from './endpoints.ts';

// Exports for other resource modules.
export { snippetById } from './access.ts';
export { SnippetIdentity } from './entities.ts';
export type { Snippet } from './store.ts';

export const snippets = resourceModule({
  endpoints,
  jobs: [deleteStaleDraft, deleteSnippetRepository],
  subscriptions: [onUserDeleted],
});
