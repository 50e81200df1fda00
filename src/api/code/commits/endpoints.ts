import { listRefsContaining } from '#git/commits/ancestry.ts';
import { getDiff } from '#git/diff/diff.ts';
import { inProject, inProjectAllowingAnonymous, repositoryNotFoundIfDisabled } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { eitherEntity } from '#http/endpoint/entity.ts';
import { created, ok, page, Reply } from '#http/endpoint/responses.ts';
import { BRANCH_MOVED, COMMIT_ERRORS, PUSH_FORBIDDEN, REPOSITORY_READ_ONLY } from '#http/errors/error-messages.ts';
import { paginateInMemory } from '#http/lists/pagination.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
import { commitMessage, refName } from '#http/parameters/texts.ts';
import { boolean, notBlank, oneOf } from '#http/parameters/types.ts';
import { PUSH_TO_BRANCH } from '#repositories/branches/push-permission.ts';
import { getRepository } from '#repositories/repository.ts';
import { BODY_ERRORS } from '../repository-files/index.ts';
import { commitResource } from './access.ts';
import { ACTION_ERRORS } from './actions.ts';
import { applyCommit, COMMIT_INPUT_ERRORS, createCommitFromCall, createCommitParams } from './changes.ts';
import { Commit, CommitDetail, CommitInList, CommitRef, Diff, DryRun, paginateDiff } from './entities.ts';
import { listCommitsParams, loadCommitPage } from './list.ts';
import { downloadPatch, type PatchFormat, patchResponse } from './patch-download.ts';

export const listCommits = endpoint({
  get: '/projects/:id/repository/commits',
  summary: 'List commits',
  description:
    'Returns the commits of a branch, tag, commit or range, the newest first, without a total number. An unknown ref ' +
    'gives an empty list. Long titles and messages are cut.',
  access: inProjectAllowingAnonymous('read_code', repositoryNotFoundIfDisabled),
  params: listCommitsParams,
  errors: { refInvalid: [400, 'ref_name is invalid'] },
  response: page(CommitInList),
  read: (_db, { project, params, page }, git) => loadCommitPage(git, project, params, page),
});

export const getCommit = endpoint({
  get: '/projects/:id/repository/commits/:sha',
  summary: 'Get a commit',
  description:
    'Returns one commit, named by its SHA, a branch, a tag or any other revision. `last_pipeline` and `status` are ' +
    'null for callers who may not see pipelines.',
  access: inProjectAllowingAnonymous('read_code', repositoryNotFoundIfDisabled).resource(commitResource),
  params: { stats: describe(optional(boolean, true), 'Adds `stats`, the numbers of changed lines.') },
  response: ok(CommitDetail),
  read: (_db, { project, commit, params }) => ({ project, commit, withStats: params.stats }),
});

export const getCommitDiff = endpoint({
  get: '/projects/:id/repository/commits/:sha/diff',
  summary: 'Get the diff of a commit',
  description:
    'Returns the changes of a commit relative to its first parent, one element per file. Diffs of very large files ' +
    'are left out: their `too_large` or `collapsed` is true.',
  access: inProjectAllowingAnonymous('read_code', repositoryNotFoundIfDisabled).resource(commitResource),
  params: { unidiff: describe(optional(boolean, false), 'Adds the header lines `---` and `+++` to each diff.') },
  response: page(Diff),
  async read(_db, { project, commit, page }, git) {
    const parent = commit.parentIds[0] ?? null;
    return paginateDiff(await getDiff(git, getRepository(git, project), parent, commit.id), page);
  },
});

/** Downloads the change of a commit, relative to its first parent. */
const createPatchEndpoint = (format: PatchFormat, texts: { readonly summary: string; readonly description: string }) =>
  endpoint({
    get: `/*id/-/commit/:sha.${format}`,
    ...texts,
    access: inProjectAllowingAnonymous('read_code', repositoryNotFoundIfDisabled).resource(commitResource),
    outsideApi: true,
    response: patchResponse,
    handle: ({ project, commit, request }, services) =>
      downloadPatch(services, { project, request, from: commit.parentIds[0] ?? null, to: commit.id, format }),
  });

export const downloadCommitDiff = createPatchEndpoint('diff', {
  summary: 'Download the diff of a commit',
  description: 'Returns the changes relative to the first parent as plain text, in the format of `git diff`.',
});
export const downloadCommitPatch = createPatchEndpoint('patch', {
  summary: 'Download a commit as a patch',
  description: 'Returns the commit as a mail in the format of `git format-patch`, which `git am` can apply.',
});

export const listCommitRefs = endpoint({
  get: '/projects/:id/repository/commits/:sha/refs',
  summary: 'List refs that contain a commit',
  description: 'Returns the names of all branches and tags that contain the commit.',
  access: inProjectAllowingAnonymous('read_code', repositoryNotFoundIfDisabled).resource(commitResource),
  params: { type: optional(oneOf('branch', 'tag', 'all'), 'all') },
  response: page(CommitRef),
  read: async (_db, { project, commit, params, page }, git) =>
    paginateInMemory(await listRefsContaining(git, getRepository(git, project), commit.id, params.type), page),
});

const applyParams = {
  branch: describe(required(notBlank(refName)), 'Branch that gets the new commit.'),
  dry_run: describe(optional(boolean, false), 'Only checks whether the commit can be applied.'),
  message: describe(optional(commitMessage), 'Message of the new commit, instead of one derived from the commit.'),
};

/** The errors of cherry-pick and revert; `error_code` distinguishes a conflict from an empty change. */
const createApplyErrors = (verb: string, participle: string) => {
  const message = `Sorry, we cannot ${verb} this commit automatically. This commit may already have been ${participle}, or a more recent commit may have updated some of its content.`;
  return {
    notAllowed: PUSH_FORBIDDEN,
    readOnly: REPOSITORY_READ_ONLY,
    branchUnknown: [404, '404 Branch Not Found'],
    conflict: [400, { message, error_code: 'conflict' }],
    empty: [400, { message, error_code: 'empty' }],
    dryRunConflict: [400, { message, error_code: 'conflict', dry_run: 'error' }],
    dryRunEmpty: [400, { message, error_code: 'empty', dry_run: 'error' }],
    moved: BRANCH_MOVED,
  } as const;
};

/** A dry run creates nothing, so the status is 200. */
const DRY_RUN = new Reply({ dry_run: 'success' as const }, { status: 200 });
const CommitOrDryRun = eitherEntity(Commit, DryRun, (row) => 'commit' in row);

export const cherryPickCommit = endpoint({
  post: '/projects/:id/repository/commits/:sha/cherry_pick',
  summary: 'Cherry-pick a commit onto a branch',
  description:
    'Applies the changes of the commit to the branch as a new commit of the caller, and returns it. If they conflict ' +
    'or exist on the branch already, the answer is 400 with `error_code`, and nothing changes. With `dry_run`, nothing is ' +
    'written and success answers 200.',
  access: inProject('read_code', repositoryNotFoundIfDisabled).deferred(PUSH_TO_BRANCH).resource(commitResource),
  params: applyParams,
  errors: createApplyErrors('cherry-pick', 'cherry-picked'),
  activity: ['pushed to branch'],
  response: { ...created(CommitOrDryRun), otherStatuses: [200] },
  handle: async (call, services) => (await applyCommit('cherryPick', call, services)) ?? DRY_RUN,
});

export const revertCommit = endpoint({
  post: '/projects/:id/repository/commits/:sha/revert',
  summary: 'Revert a commit on a branch',
  description:
    'Reverses the changes of the commit on the branch by a new commit of the caller, and returns it. If this ' +
    'conflicts or changes nothing, the answer is 400 with `error_code`, and nothing changes. With `dry_run`, nothing ' +
    'is written and success answers 200.',
  access: inProject('read_code', repositoryNotFoundIfDisabled).deferred(PUSH_TO_BRANCH).resource(commitResource),
  params: applyParams,
  errors: createApplyErrors('revert', 'reverted'),
  activity: ['pushed to branch'],
  response: { ...created(CommitOrDryRun), otherStatuses: [200] },
  handle: async (call, services) => (await applyCommit('revert', call, services)) ?? DRY_RUN,
});

export const createCommit = endpoint({
  post: '/projects/:id/repository/commits',
  summary: 'Create a commit with several file actions',
  description:
    'Creates one commit with all file actions, or none if one of them fails. Without `start_branch` and `start_sha`, ' +
    '`branch` must exist; with one of them it is created there. In an empty repository, the branch becomes the ' +
    'default branch. Files that `.gitattributes` assigns to LFS are stored there.',
  access: inProject('read_project').deferred(PUSH_TO_BRANCH),
  stageOrder: 'projectBeforeBody',
  body: 'deferred',
  fields: createCommitParams,
  errors: {
    ...BODY_ERRORS,
    ...COMMIT_INPUT_ERRORS,
    ...ACTION_ERRORS,
    ...COMMIT_ERRORS,
    stale: [400, 'The file has changed since you started editing it: {path}'],
  },
  activity: ['pushed to branch', 'pushed new branch', 'protected_branch_created'],
  response: created(CommitDetail),
  handle: createCommitFromCall,
});
