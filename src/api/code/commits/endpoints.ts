import { Type } from 'typebox';
import { refsContaining } from '../../../git/ancestry.ts';
import { diffBetween, diffStats } from '../../../git/diff.ts';
import { readCommit as readCommitObject } from '../../../git/objects.ts';
import { resolveRevision } from '../../../git/revision.ts';
import { readTrailers } from '../../../git/trailers.ts';
import type { AccessCall } from '../../../http/access/access.ts';
import { inProject, inPublicProject, orRepositoryGone } from '../../../http/access/project-access.ts';
import { created, entity, mapPage, page, Reply, shape } from '../../../http/endpoint/answers.ts';
import { endpoint } from '../../../http/endpoint/endpoint.ts';
import { notFound } from '../../../http/endpoint/refusal.ts';
import { slice } from '../../../http/lists/slice.ts';
import { optional, required } from '../../../http/parameters/declarations.ts';
import { boolean, dateTime, notBlank, oneOf, text } from '../../../http/parameters/types.ts';
import { isRefused } from '../../../refused.ts';
import { COMMIT_REFUSALS } from '../../../repositories/commit-to-branch.ts';
import { type Placed, projectUrl, repositoryOf } from '../../../repositories/repository.ts';
import { applyCommit } from './apply.ts';
import { createCommitOn } from './create.ts';
import { CommitDetail, CommitStats, showCommit } from './detail.ts';
import { Diff, diffEntities } from './diff.ts';
import { Commit, commitEntity, commitFields } from './entities.ts';
import { commitPage } from './list.ts';
import { RECEIVE_REFUSALS, receiveCommit } from './receive.ts';

/** The commit that the path names: a SHA, branch, tag or anything else that leads to one. */
const commit = {
  name: 'commit' as const,
  async find({ path, rooms: { git } }: AccessCall, { project }: { project: Placed }) {
    const repository = repositoryOf(git, project);
    const id = await resolveRevision(git, repository, path.sha ?? '');
    return id === null ? null : readCommitObject(git, repository, id);
  },
  missing: () => notFound('Commit'),
};

/** `stats` only for those who ask with `with_stats`. */
const CommitInList = shape('CommitInList', { ...commitFields, stats: Type.Optional(CommitStats) });

export const listCommits = endpoint({
  get: '/projects/:id/repository/commits',
  summary: 'List commits',
  access: inPublicProject('read_code', orRepositoryGone),
  params: {
    ref_name: optional(text),
    since: optional(dateTime),
    until: optional(dateTime),
    path: optional(text),
    author: optional(text),
    all: optional(boolean, false),
    with_stats: optional(boolean, false),
    first_parent: optional(boolean, false),
    order: optional(oneOf('default', 'topo'), 'default'),
    trailers: optional(boolean, false),
  },
  remembered: true,
  refuses: { refInvalid: [400, 'ref_name is invalid'] },
  answer: page(CommitInList),
  async handle({ git, project, params, page, request }) {
    const repository = repositoryOf(git, project);
    const found = await commitPage(git, repository, params, page);
    if (isRefused(found)) return found;
    const ids = found.items.map(({ id }) => id);
    const stats = params.with_stats ? await diffStats(git, repository, ids) : null;
    const trailers = params.trailers ? await readTrailers(git, repository, ids) : new Map();
    const context = { projectUrl: projectUrl(request, project), trailers };
    return mapPage(found, (commits) =>
      commits.map((one) => ({ ...commitEntity(one, context), ...(stats ? { stats: { ...stats.get(one.id)! } } : {}) })),
    );
  },
});

export const readCommit = endpoint({
  get: '/projects/:id/repository/commits/:sha',
  summary: 'Read a commit',
  access: inPublicProject('read_code', orRepositoryGone).record(commit),
  params: { stats: optional(boolean, true) },
  remembered: true,
  answer: entity(CommitDetail),
  handle: (call) => showCommit(call, call.commit, call.params),
});

export const readCommitDiff = endpoint({
  get: '/projects/:id/repository/commits/:sha/diff',
  summary: 'What a commit changed, seen from its first parent',
  access: inPublicProject('read_code', orRepositoryGone).record(commit),
  params: { unidiff: optional(boolean, false) },
  answer: page(Diff),
  async handle({ git, project, commit, params, page }) {
    const parent = commit.parentIds[0] ?? null;
    const { files } = await diffBetween(git, repositoryOf(git, project), parent, commit.id);
    return mapPage(slice(files, page), (shown) => diffEntities(shown, params));
  },
});

const CommitRef = shape('CommitRef', { type: Type.Enum(['branch', 'tag']), name: Type.String() });

export const listCommitRefs = endpoint({
  get: '/projects/:id/repository/commits/:sha/refs',
  summary: 'List the branches and tags that hold a commit',
  access: inPublicProject('read_code', orRepositoryGone).record(commit),
  params: { type: optional(oneOf('branch', 'tag', 'all'), 'all') },
  answer: page(CommitRef),
  async handle({ git, project, commit, params, page }) {
    const refs = await refsContaining(git, repositoryOf(git, project), commit.id, params.type);
    return mapPage(slice(refs, page), (names) => names.map(refEntity));
  },
});

function refEntity(ref: string) {
  const [, kind, name = ''] = /^refs\/(heads|tags)\/(.*)$/s.exec(ref) ?? [];
  return { type: kind === 'tags' ? ('tag' as const) : ('branch' as const), name };
}

const application = {
  branch: required(notBlank(text)),
  dry_run: optional(boolean, false),
  message: optional(text),
};

/** Of both; what could not be done says which of the two it is by `error_code`. */
const applyRefuses = (verb: string, done: string) => {
  const sorry = `Sorry, we cannot ${verb} this commit automatically. This commit may already have been ${done}, or a more recent commit may have updated some of its content.`;
  return {
    notAllowed: [403, '403 Forbidden - You are not allowed to push into this branch'],
    readOnly: [400, 'The repository is temporarily read-only. Please try again later.'],
    branchUnknown: [404, '404 Branch Not Found'],
    conflict: [400, { message: sorry, error_code: 'conflict' }],
    empty: [400, { message: sorry, error_code: 'empty' }],
    moved: [400, 'Could not update refs/heads/{branch}. Please refresh and try again.'],
  } as const;
};

const DryRun = shape('DryRun', { dry_run: Type.Literal('success') });
const CommitOrDryRun = Type.Union([Commit, DryRun]);

export const cherryPickCommit = endpoint({
  post: '/projects/:id/repository/commits/:sha/cherry_pick',
  summary: 'Make a commit’s change again on top of a branch',
  access: inProject('read_code', orRepositoryGone).record(commit),
  params: application,
  refuses: applyRefuses('cherry-pick', 'cherry-picked'),
  records: ['pushed to branch'],
  answer: created(CommitOrDryRun),
  async handle(call) {
    const made = await applyCommit(call, 'cherryPick', { ...call, ...call.params, dryRun: call.params.dry_run });
    return isRefused(made) ? made : showApplied(call, made.id);
  },
});

export const revertCommit = endpoint({
  post: '/projects/:id/repository/commits/:sha/revert',
  summary: 'Take a commit’s change back on top of a branch',
  access: inProject('read_code', orRepositoryGone).record(commit),
  params: application,
  refuses: applyRefuses('revert', 'reverted'),
  records: ['pushed to branch'],
  answer: created(CommitOrDryRun),
  async handle(call) {
    const made = await applyCommit(call, 'revert', { ...call, ...call.params, dryRun: call.params.dry_run });
    return isRefused(made) ? made : showApplied(call, made.id);
  },
});

type ShowingApplied = Parameters<typeof showCommit>[0];

async function showApplied({ git, project, request }: ShowingApplied, id: string | null) {
  if (id === null) return new Reply({ dry_run: 'success' as const }, { status: 200 });
  const made = await readCommitObject(git, repositoryOf(git, project), id);
  return commitEntity(made!, { projectUrl: projectUrl(request, project) });
}

export const createCommit = endpoint({
  post: '/projects/:id/repository/commits',
  summary: 'Commit several changes of files at once',
  access: inProject('read_project'),
  order: 'projectBeforeBody',
  body: 'late',
  refuses: {
    ...RECEIVE_REFUSALS,
    startShaInvalid: [400, "Invalid start_sha '{sha}'"],
    startShaUnknown: [400, "Cannot find start_sha '{sha}'"],
    ...COMMIT_REFUSALS,
  },
  records: ['pushed to branch', 'pushed new branch'],
  answer: created(CommitDetail),
  handle: (call) =>
    receiveCommit(call, async (asked) => {
      const made = await createCommitOn(call, asked);
      return isRefused(made) ? made : showCommit(call, made.commit, asked);
    }),
});
