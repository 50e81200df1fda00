import { Type } from 'typebox';
import type { Project } from '#domain/namespaces/projects.ts';
import type { Git } from '#git/git.ts';
import { readCommits } from '#git/objects/object-reader.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import { findLastCommits } from '#git/trees/last-commits.ts';
import { inProjectAllowingAnonymous } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { page } from '#http/endpoint/responses.ts';
import type { ListPage, OffsetRequest } from '#http/lists/pagination.ts';
import type { ParameterValues } from '#http/parameters/declarations.ts';
import { getRepository } from '#repositories/repository.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { Commit, type CommitRow } from '../commits/index.ts';
import { loadFolderPage, TREE_ERRORS, toDisplayPath, treeParams } from '../tree/index.ts';

/** An entry of a tree with the commit that changed it last. */
interface TreeCommitRow extends CommitRow {
  readonly path: string;
}

const TreeCommit = entity('TreeCommit', { path: Type.String(), commit: Commit.schema }).from(
  ({ path, ...row }: TreeCommitRow, context) => ({ path, commit: Commit.serialize(row, context) }),
);

export const listTreeCommits = endpoint({
  get: '/projects/:id/repository/tree_commits',
  summary: 'List the last commits of tree entries',
  description:
    'Returns the commit that changed each entry last, for the entries that `GET /projects/:id/repository/tree` has on ' +
    'the same page. The history is searched for two seconds; entries that changed before what was searched are left ' +
    'out, so a page can be shorter.',
  access: inProjectAllowingAnonymous('read_code'),
  params: treeParams,
  errors: TREE_ERRORS,
  response: page(TreeCommit),
  handle: ({ project, params, page }, { git }) => loadTreeCommitPage(git, project, params, page),
});

async function loadTreeCommitPage(
  git: Git,
  project: Project,
  { ref, path }: ParameterValues<typeof treeParams>,
  page: OffsetRequest,
): Promise<ListPage<TreeCommitRow> | Failure<keyof typeof TREE_ERRORS>> {
  const repository = getRepository(git, project);
  const commit = await resolveRevision(git, repository, ref?.trim() || 'HEAD');
  if (commit === null) return fail('refUnknown');
  const treePage = await loadFolderPage(git, repository, { ref: commit, path }, page);
  if (isFailure(treePage)) return treePage;
  const { items: rows } = treePage;
  const folder = rows[0]?.folder ?? '';
  const entries = rows.map(({ entry }) => entry);
  const commitIds = await findLastCommits(git, repository, { commit, folder, entries });
  const commits = await readCommits(git, repository, [...new Set(commitIds.values())]);
  const commitsById = new Map(commits.flatMap((found) => (found === null ? [] : [[found.id, found] as const])));
  const items = rows.flatMap((row) => {
    const lastCommit = commitsById.get(commitIds.get(row.entry.path) ?? '');
    return lastCommit === undefined ? [] : [{ path: toDisplayPath(row), commit: lastCommit, project }];
  });
  return { ...treePage, items };
}
