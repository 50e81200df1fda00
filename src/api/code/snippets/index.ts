import { resourceModule } from '#http/endpoint/resource-module.ts';
import { deleteSnippetRepository, deleteStaleDraft, onProjectDestroyed, onUserDeleted } from './cleanup.ts';
import * as endpoints from './endpoints.ts';

// Exports for other resource modules.
export { projectSnippetNotesAccess, snippetById } from './access.ts';
export { SnippetIdentity } from './entities.ts';
export { NO_FILES, TOO_MANY_FILES } from './files.ts';

export const snippets = resourceModule({
  endpoints,
  jobs: [deleteStaleDraft, deleteSnippetRepository],
  subscriptions: [onUserDeleted, onProjectDestroyed],
});
