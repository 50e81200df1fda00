import { namedCommit } from '#api/code/commits/index.ts';
import { stillInProject } from '#authorization/current-access.ts';
import type { Reader, Transaction } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { Commit } from '#git/objects/object-reader.ts';
import type { NoteableKind, ThingOfCommit } from '#http/access/noteables.ts';
import { inProject, orRepositoryGone } from '#http/access/project-access.ts';
import { firstCharacters } from '#text/trim.ts';

/** Commits, as what is said on them sees them: a commit has a row once somebody has commented on it. */
export const commitThing: NoteableKind<ThingOfCommit> = {
  type: 'Commit',
  aThing: 'a commit',
  path: '/projects/:id/repository/commits/:sha',
  place: 'project',
  reading: () => inProject('read_code', orRepositoryGone).resource(namedCommit).resource(commented).map(inCommit),
  async again(tx, asking, { commit, project: { id: projectId } }) {
    const { caller, project } = await stillInProject(tx, asking, projectId, 'read_code');
    return { thing: commitAsThing(project, commit, await makeCommented(tx, project, commit)), caller };
  },
};

interface OfCommit {
  readonly project: Project;
  readonly commit: Commit;
}

/** Its row among the commits on which something was said, with the id 0 where nothing was. */
export const commented = {
  name: 'commented',
  load: ({ db }: { readonly db: Reader }, { project, commit }: OfCommit) => findCommented(db, project, commit),
  notFound: namedCommit.notFound,
} as const;

const inCommit = <By>({ project, commit, commented: { id }, caller }: OfCommit & InRow & { readonly caller: By }) => ({
  thing: commitAsThing(project, commit, id),
  caller,
});

interface InRow {
  readonly commented: { readonly id: number };
}

export function commitAsThing(project: Project, commit: Commit, id: number): ThingOfCommit {
  return { type: 'Commit', id, authorId: null, project, locked: false, commit };
}

/** index: commented_commits_by_sha */
async function findCommented(db: Reader, project: Project, { id: sha }: Commit): Promise<{ readonly id: number }> {
  const row = db
    .selectFrom('commented_commits')
    .select('id')
    .where('project_id', '=', project.id)
    .where('sha', '=', sha);
  return (await row.executeTakeFirst()) ?? { id: 0 };
}

/** So much of the title of a commit is kept, in characters. */
const LONGEST_TITLE = 255;

/** index: commented_commits_by_sha */
async function makeCommented(tx: Transaction, project: Project, commit: Commit): Promise<number> {
  const title = firstCharacters(commit.title, LONGEST_TITLE).toWellFormed();
  await tx
    .insertInto('commented_commits')
    .values({ project_id: project.id, sha: commit.id, title })
    .onConflict((conflict) => conflict.columns(['project_id', 'sha']).doNothing())
    .execute();
  return (await findCommented(tx, project, commit)).id;
}
