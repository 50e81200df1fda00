import { refsContaining } from '#git/commits/ancestry.ts';
import { diffBetween } from '#git/diff/diff.ts';
import { inProject, inPublicProject, orRepositoryGone } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { eitherEntity } from '#http/endpoint/entity.ts';
import { created, ok, page, Reply } from '#http/endpoint/responses.ts';
import { BRANCH_MOVED, COMMIT_REFUSALS, PUSH_FORBIDDEN, READ_ONLY } from '#http/errors/error-messages.ts';
import { slice } from '#http/lists/in-memory-page.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { expression, message, pathText, refName } from '#http/parameters/texts.ts';
import { boolean, dateTime, notBlank, oneOf } from '#http/parameters/types.ts';
import { PUSH_TO_BRANCH } from '#repositories/branches/push-permission.ts';
import { repositoryOf } from '#repositories/repository.ts';
import { BODY_REFUSALS } from '../repository-files/index.ts';
import { ACTION_REFUSALS } from './actions.ts';
import { applyCommit } from './apply.ts';
import { createCommitFrom, createParams, WISH_REFUSALS } from './create.ts';
import { Commit, CommitDetail, CommitInList, CommitRef, Diff, DryRun } from './entities.ts';
import { namedCommit } from './get.ts';
import { commitPage } from './list.ts';

export const listCommits = endpoint({
  get: '/projects/:id/repository/commits',
  summary: 'List commits',
  access: inPublicProject('read_code', orRepositoryGone),
  params: {
    ref_name: optional(refName),
    since: optional(dateTime),
    until: optional(dateTime),
    path: optional(pathText),
    author: optional(expression),
    all: optional(boolean, false),
    with_stats: optional(boolean, false),
    first_parent: optional(boolean, false),
    order: optional(oneOf('default', 'topo'), 'default'),
    trailers: optional(boolean, false),
  },
  errors: { refInvalid: [400, 'ref_name is invalid'] },
  response: page(CommitInList),
  read: (_db, { project, params, page }, git) => commitPage(git, project, params, page),
});

export const readCommit = endpoint({
  get: '/projects/:id/repository/commits/:sha',
  summary: 'Read a commit',
  access: inPublicProject('read_code', orRepositoryGone).resource(namedCommit),
  params: { stats: optional(boolean, true) },
  response: ok(CommitDetail),
  read: (_db, { project, commit, params }) => ({ project, commit, stats: params.stats }),
});

export const readCommitDiff = endpoint({
  get: '/projects/:id/repository/commits/:sha/diff',
  summary: 'What a commit changed, seen from its first parent',
  access: inPublicProject('read_code', orRepositoryGone).resource(namedCommit),
  params: { unidiff: optional(boolean, false) },
  response: page(Diff),
  async read(_db, { project, commit, page }, git) {
    const parent = commit.parentIds[0] ?? null;
    return slice((await diffBetween(git, repositoryOf(git, project), parent, commit.id)).files, page);
  },
});

export const listCommitRefs = endpoint({
  get: '/projects/:id/repository/commits/:sha/refs',
  summary: 'List the branches and tags that hold a commit',
  access: inPublicProject('read_code', orRepositoryGone).resource(namedCommit),
  params: { type: optional(oneOf('branch', 'tag', 'all'), 'all') },
  response: page(CommitRef),
  read: async (_db, { project, commit, params, page }, git) =>
    slice(await refsContaining(git, repositoryOf(git, project), commit.id, params.type), page),
});

const APPLICATION = {
  branch: required(notBlank(refName)),
  dry_run: optional(boolean, false),
  message: optional(message),
};

/** Of both; what could not be done says which of the two it is by `error_code`. */
const applyFailures = (verb: string, done: string) => {
  const sorry = `Sorry, we cannot ${verb} this commit automatically. This commit may already have been ${done}, or a more recent commit may have updated some of its content.`;
  return {
    notAllowed: PUSH_FORBIDDEN,
    readOnly: READ_ONLY,
    branchUnknown: [404, '404 Branch Not Found'],
    conflict: [400, { message: sorry, error_code: 'conflict' }],
    empty: [400, { message: sorry, error_code: 'empty' }],
    dry_conflict: [400, { message: sorry, error_code: 'conflict', dry_run: 'error' }],
    dry_empty: [400, { message: sorry, error_code: 'empty', dry_run: 'error' }],
    moved: BRANCH_MOVED,
  } as const;
};

/** Nothing is created. */
const DRY_RUN = new Reply({ dry_run: 'success' as const }, { status: 200 });
const CommitOrDryRun = eitherEntity(Commit, DryRun, (row) => 'commit' in row);

export const cherryPickCommit = endpoint({
  post: '/projects/:id/repository/commits/:sha/cherry_pick',
  summary: 'Make a commit’s change again on top of a branch',
  access: inProject('read_code', orRepositoryGone).deferred(PUSH_TO_BRANCH).resource(namedCommit),
  params: APPLICATION,
  errors: applyFailures('cherry-pick', 'cherry-picked'),
  activity: ['pushed to branch'],
  response: created(CommitOrDryRun),
  handle: async (call, services) => (await applyCommit('cherryPick', call, services)) ?? DRY_RUN,
});

export const revertCommit = endpoint({
  post: '/projects/:id/repository/commits/:sha/revert',
  summary: 'Take a commit’s change back on top of a branch',
  access: inProject('read_code', orRepositoryGone).deferred(PUSH_TO_BRANCH).resource(namedCommit),
  params: APPLICATION,
  errors: applyFailures('revert', 'reverted'),
  activity: ['pushed to branch'],
  response: created(CommitOrDryRun),
  handle: async (call, services) => (await applyCommit('revert', call, services)) ?? DRY_RUN,
});

export const createCommit = endpoint({
  post: '/projects/:id/repository/commits',
  summary: 'Commit several changes of files at once',
  access: inProject('read_project').deferred(PUSH_TO_BRANCH),
  stageOrder: 'projectBeforeBody',
  body: 'late',
  fields: createParams,
  errors: {
    ...BODY_REFUSALS,
    ...WISH_REFUSALS,
    ...ACTION_REFUSALS,
    ...COMMIT_REFUSALS,
    stale: [400, 'The file has changed since you started editing it: {path}'],
  },
  activity: ['pushed to branch', 'pushed new branch', 'protected_branch_created'],
  response: created(CommitDetail),
  handle: createCommitFrom,
});
