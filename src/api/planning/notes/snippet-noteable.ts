import { projectSnippetNotesAccess } from '#api/code/snippets/index.ts';
import { AccessRevoked, reloadAccess } from '#authorization/current-access.ts';
import { mayReadSnippet } from '#authorization/snippets.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { findSnippet, type Snippet } from '#domain/snippets.ts';
import type { NoteableKind, SnippetNoteable } from '#http/access/noteables.ts';

/** Snippets of projects as noteables. Personal snippets have no notes. */
export const snippetNoteableKind: NoteableKind<SnippetNoteable> = {
  type: 'Snippet',
  nounWithArticle: 'a snippet',
  path: '/projects/:id/snippets/:snippet_id',
  parentType: 'project',
  readAccess: () =>
    projectSnippetNotesAccess().map(({ project, snippet, caller }) => ({
      noteable: toSnippetNoteable(project, snippet),
      caller,
    })),
  async reload(tx, viewer, { id, project: { id: projectId } }) {
    const { caller, project } = await reloadAccess(tx, viewer, projectId);
    const snippet = await findSnippet(tx, id);
    if (snippet === null || !mayReadSnippet(caller, snippet, project)) throw new AccessRevoked();
    return { noteable: toSnippetNoteable(project, snippet), caller };
  },
};

function toSnippetNoteable(project: Project, { id, author_id }: Snippet): SnippetNoteable {
  return { type: 'Snippet', id, authorId: author_id, project, locked: false };
}
