import { listRefsContaining } from '#git/commits/ancestry.ts';
import { getDiff } from '#git/diff/diff.ts';
import { inProject, inProjectAllowingAnonymous, repositoryNotFoundIfDisabled } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { eitherEntity } from '#http/endpoint/entity.ts';
import { created, ok, page, Reply } from '#http/endpoint/responses.ts';
import { BRANCH_MOVED, COMMIT_ERRORS, PUSH_FORBIDDEN, REPOSITORY_READ_ONLY } from '#http/errors/error-messages.ts';
import { paginateInMemory } from '#http/lists/pagination.ts';
import { optional, required } from '#http/parameters/declarations.ts';
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
  access: inProjectAllowingAnonymous('read_code', repositoryNotFoundIfDisabled),
  params: listCommitsParams,
  errors: { refInvalid: [400, 'ref_name is invalid'] },
  response: page(CommitInList),
  read: (_db, { project, params, page }, git) => loadCommitPage(git, project, params, page),
});

export const getCommit = endpoint({
  get: '/projects/:id/repository/commits/:sha',
  summary: 'Get a commit',
  access: inProjectAllowingAnonymous('read_code', repositoryNotFoundIfDisabled).resource(commitResource),
  params: { stats: optional(boolean, true) },
  response: ok(CommitDetail),
  read: (_db, { project, commit, params }) => ({ project, commit, withStats: params.stats }),
});

export const getCommitDiff = endpoint({
  get: '/projects/:id/repository/commits/:sha/diff',
  summary: 'Get the diff of a commit',
  access: inProjectAllowingAnonymous('read_code', repositoryNotFoundIfDisabled).resource(commitResource),
  params: { unidiff: optional(boolean, false) },
  response: page(Diff),
  async read(_db, { project, commit, page }, git) {
    const parent = commit.parentIds[0] ?? null;
    return paginateDiff(await getDiff(git, getRepository(git, project), parent, commit.id), page);
  },
});

/** Downloads the change of a commit, relative to its first parent. */
const createPatchEndpoint = (format: PatchFormat, summary: string) =>
  endpoint({
    get: `/*id/-/commit/:sha.${format}`,
    summary,
    access: inProjectAllowingAnonymous('read_code', repositoryNotFoundIfDisabled).resource(commitResource),
    outsideApi: true,
    response: patchResponse,
    handle: ({ project, commit, request }, services) =>
      downloadPatch(services, { project, request, from: commit.parentIds[0] ?? null, to: commit.id, format }),
  });

export const downloadCommitDiff = createPatchEndpoint('diff', 'Download the diff of a commit');
export const downloadCommitPatch = createPatchEndpoint('patch', 'Download a commit as a patch');

export const listCommitRefs = endpoint({
  get: '/projects/:id/repository/commits/:sha/refs',
  summary: 'List refs that contain a commit',
  access: inProjectAllowingAnonymous('read_code', repositoryNotFoundIfDisabled).resource(commitResource),
  params: { type: optional(oneOf('branch', 'tag', 'all'), 'all') },
  response: page(CommitRef),
  read: async (_db, { project, commit, params, page }, git) =>
    paginateInMemory(await listRefsContaining(git, getRepository(git, project), commit.id, params.type), page),
});

const applyParams = {
  branch: required(notBlank(refName)),
  dry_run: optional(boolean, false),
  message: optional(commitMessage),
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
