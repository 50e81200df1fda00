import { commitResource } from '#api/code/commits/index.ts';
import { requireProjectAccess } from '#authorization/current-access.ts';
import type { Reader, Transaction } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { Commit } from '#git/objects/object-reader.ts';
import type { CommitNoteable, NoteableKind } from '#http/access/noteables.ts';
import { inProject, repositoryNotFoundIfDisabled } from '#http/access/project-access.ts';
import { truncateToCharacters } from '#text/trim.ts';

/** Commits as noteables. A commit gets a row in `commented_commits` with its first comment. */
export const commitNoteableKind: NoteableKind<CommitNoteable> = {
  type: 'Commit',
  nounWithArticle: 'a commit',
  path: '/projects/:id/repository/commits/:sha',
  parentType: 'project',
  readAccess: () =>
    inProject('read_code', repositoryNotFoundIfDisabled)
      .resource(commitResource)
      .resource(commentedCommitResource)
      .map(toNoteableContext),
  async reload(tx, previousCaller, { commit, project: { id: projectId } }) {
    const { caller, project } = await requireProjectAccess(tx, previousCaller, projectId, 'read_code');
    return {
      noteable: toCommitNoteable(project, commit, await findOrCreateCommentedCommitId(tx, project, commit)),
      caller,
    };
  },
};

interface CommitContext {
  readonly project: Project;
  readonly commit: Commit;
}

/** Resource: the id of the commit in `commented_commits`, 0 if it has no comments. */
export const commentedCommitResource = {
  name: 'commentedCommit',
  load: ({ db }: { readonly db: Reader }, { project, commit }: CommitContext) =>
    findCommentedCommit(db, project, commit),
  notFound: commitResource.notFound,
} as const;

const toNoteableContext = <By>({
  project,
  commit,
  commentedCommit: { id },
  caller,
}: CommitContext & CommentedCommitContext & { readonly caller: By }) => ({
  noteable: toCommitNoteable(project, commit, id),
  caller,
});

interface CommentedCommitContext {
  readonly commentedCommit: { readonly id: number };
}

/** Returns the commit as a noteable. `id` is its id in `commented_commits`, 0 if it has no comments. */
export function toCommitNoteable(project: Project, commit: Commit, id: number): CommitNoteable {
  return { type: 'Commit', id, authorId: null, project, locked: false, commit };
}

/** Returns the id of the commit in `commented_commits`, or 0 if it has no comments. index: commented_commits_by_sha */
async function findCommentedCommit(
  db: Reader,
  project: Project,
  { id: sha }: Commit,
): Promise<{ readonly id: number }> {
  const query = db
    .selectFrom('commented_commits')
    .select('id')
    .where('project_id', '=', project.id)
    .where('sha', '=', sha);
  return (await query.executeTakeFirst()) ?? { id: 0 };
}

/** Maximum length of a stored commit title, in characters. Longer titles are truncated. */
const MAX_TITLE_LENGTH = 255;

/** Returns the id of the commit in `commented_commits`, and inserts a row if there is none. index: commented_commits_by_sha */
async function findOrCreateCommentedCommitId(tx: Transaction, project: Project, commit: Commit): Promise<number> {
  const title = truncateToCharacters(commit.title, MAX_TITLE_LENGTH).toWellFormed();
  await tx
    .insertInto('commented_commits')
    .values({ project_id: project.id, sha: commit.id, title })
    .onConflict((conflict) => conflict.columns(['project_id', 'sha']).doNothing())
    .execute();
  return (await findCommentedCommit(tx, project, commit)).id;
}
