import { sql } from 'kysely';
import { loadAssignees, MERGE_REQUESTS } from '#api/planning/issuables/index.ts';
import { findMilestoneByTitle } from '#api/planning/milestones/index.ts';
import { findUserByUsername } from '#authentication/users/users.ts';
import { AccessRevoked, reloadAccess } from '#authorization/current-access.ts';
import { findMergeRequests, type MergeRequest } from '#authorization/merge-requests.ts';
import { loadHeadPipelines } from '#authorization/pipelines.ts';
import type { Reader } from '#database/database.ts';
import { findProject, type Project } from '#domain/namespaces/projects.ts';
import { ancestorsAndSelf } from '#domain/namespaces/scope.ts';
import { HEADS } from '#git/ref-names.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import type { CompletedPush, PushOption, PushOptionHandler } from '#repositories/ref-updates/push-options.ts';
import { getRepository } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { type Failure, isFailure } from '#runtime/failure.ts';
import { enableAutoMerge, enqueueAutoMergeIfEnabled } from '../auto-merge/changes.ts';
import { isDraft } from '../changes.ts';
import { createMergeRequest } from '../create.ts';
import { updateMergeRequestWithLock } from '../update.ts';
import { buildNewTexts } from './new-texts.ts';

/** Prefix of the push options for merge requests (contract/repository.md §5 "Push options"). */
const PREFIX = 'merge_request.';

/** The deprecated name of `auto_merge`. */
const AUTO_MERGE_ALIAS = 'merge_when_pipeline_succeeds';

/** Full names of the push options for merge requests. */
const MERGE_REQUEST_OPTIONS: readonly string[] = [
  'assign',
  'auto_merge',
  'create',
  'description',
  'draft',
  'label',
  AUTO_MERGE_ALIAS,
  'milestone',
  'remove_source_branch',
  'squash',
  'target',
  'target_project',
  'title',
  'unassign',
  'unlabel',
].map((key) => PREFIX + key);

/** Values that mean false; all other values mean true, an empty one too. */
const FALSE_VALUES = ['false', 'f', '0', 'no', 'n', 'off'];

/**
 * Returns the options of a push for merge requests; ignores all other options. Undefined: the push does not have the option. If a
 * single-value option is repeated, its last value counts; an empty one clears it.
 */
export function parseMergeRequestOptions(options: readonly PushOption[]) {
  const listValues = (key: string) =>
    options.filter(({ name }) => name === PREFIX + key).flatMap(({ value }) => (value === '' ? [] : [value]));
  const findLastValue = (...keys: readonly string[]) =>
    options.findLast(({ name }) => keys.some((key) => name === PREFIX + key))?.value;
  const getText = (key: string) => findLastValue(key) || undefined;
  const getBoolean = (...keys: readonly string[]) => {
    const value = findLastValue(...keys);
    return value === undefined ? undefined : !FALSE_VALUES.includes(value.toLowerCase());
  };
  return {
    create: getBoolean('create') ?? false,
    target: getText('target'),
    target_project: getText('target_project'),
    title: getText('title'),
    // git rejects line feeds in options.
    description: getText('description')?.replaceAll('\\n', '\n'),
    milestone: getText('milestone'),
    draft: getBoolean('draft'),
    squash: getBoolean('squash'),
    remove_source_branch: getBoolean('remove_source_branch'),
    auto_merge: getBoolean('auto_merge', AUTO_MERGE_ALIAS),
    label: listValues('label'),
    unlabel: listValues('unlabel'),
    /** User names or ids. */
    assign: listValues('assign'),
    unassign: listValues('unassign'),
  };
}

type MergeRequestOptions = ReturnType<typeof parseMergeRequestOptions>;

/** Maximum number of branches of a push with options for merge requests. */
const MAX_BRANCHES = 10;

/** Creates or updates the merge requests of the pushed branches (contract/repository.md §5 "Push options"). */
export const mergeRequestPushOptions: PushOptionHandler = {
  options: MERGE_REQUEST_OPTIONS,
  async handle(services, push) {
    const options = parseMergeRequestOptions(push.options);
    const db = services.database.forRequest().reader;
    const project = await findProject(db, push.caller, String(push.project.id));
    if (project === null) return [];
    const branches = listBranches(push, project, options);
    const problem = await findProblem(services, project, branches, options);
    if (problem !== null) return [`WARNING: ${problem}`];
    const lines: string[] = [];
    for (const branch of branches) {
      const result = await applyToBranch(services, { ...push, project }, branch, options);
      if (typeof result === 'string') lines.push(`WARNING: ${result}`);
      else
        lines.push(
          `View merge request for ${branch}:`,
          `  ${push.baseUrl}/${project.full_path}/-/merge_requests/${result.iid}`,
        );
    }
    return lines;
  },
};

/** Returns the branches that were created or moved. The default branch counts only if another target is named. */
function listBranches({ changes }: CompletedPush, project: Project, { target }: MergeRequestOptions): string[] {
  const branches = changes
    .filter(({ ref, newId }) => ref.startsWith(HEADS) && newId !== ZERO_ID)
    .map(({ ref }) => ref.slice(HEADS.length));
  return branches.filter((branch) => branch !== (target ?? project.default_branch));
}

/** Returns why no merge request can be created or updated, or null. */
async function findProblem(
  { git }: RefServices,
  project: Project,
  branches: readonly string[],
  { target, target_project }: MergeRequestOptions,
): Promise<string | null> {
  if (target_project !== undefined && target_project.toLowerCase() !== project.full_path.toLowerCase())
    return `The target project ${target_project} is not this project, and there are no forks`;
  if (project.merge_requests_access_level === 'disabled')
    return `Merge requests are disabled in the project ${project.full_path}`;
  if (branches.length > MAX_BRANCHES)
    return `Options for merge requests are limited to ${MAX_BRANCHES} branches, but ${branches.length} were pushed`;
  if (target !== undefined && (await findBranchHead(getRepository(git, project), target)) === null)
    return `The target branch ${target} does not exist`;
  return null;
}

type ProjectPush = Pick<CompletedPush, 'caller'> & { readonly project: Project };

/** Returns the merge request, or the reason why the options have no effect. */
async function applyToBranch(
  services: RefServices,
  push: ProjectPush,
  branch: string,
  options: MergeRequestOptions,
): Promise<MergeRequest | string> {
  try {
    const db = services.database.forRequest().reader;
    const openMergeRequest = await findOpenMergeRequest(db, push, branch, options.target);
    if (openMergeRequest === null && !options.create)
      return `The branch ${branch} has no open merge request; merge_request.create creates one`;
    const mergeRequest =
      openMergeRequest === null
        ? await createFromOptions(services, push, branch, options)
        : await updateFromOptions(services, push, openMergeRequest, options);
    if (isFailure(mergeRequest)) return describeFailure(mergeRequest, branch);
    if (options.auto_merge) await enableAutoMergeOfPush(services, push, mergeRequest);
    return mergeRequest;
  } catch (error) {
    if (error instanceof AccessRevoked) return `You are not allowed to do this to a merge request of ${branch}`;
    throw error;
  }
}

/** Returns the open merge request from a branch: with the named target, else the newest. index: merge_requests_open_by_branches */
async function findOpenMergeRequest(
  db: Reader,
  { caller, project }: ProjectPush,
  branch: string,
  target: string | undefined,
): Promise<MergeRequest | null> {
  const rows = await db
    .selectFrom('merge_requests')
    .select('id')
    .where('project_id', '=', project.id)
    .where('source_branch', '=', branch)
    .where('state', '=', sql.lit('opened' as const))
    .orderBy('id', 'desc')
    .execute();
  const mergeRequests = await findMergeRequests(
    db,
    caller,
    rows.map(({ id }) => id),
  );
  return mergeRequests.find(({ target_branch }) => target_branch === target) ?? mergeRequests[0] ?? null;
}

async function createFromOptions(
  services: RefServices,
  push: ProjectPush,
  source_branch: string,
  options: MergeRequestOptions,
) {
  const { caller, project } = push;
  const db = services.database.forRequest().reader;
  const target_branch = options.target ?? project.default_branch;
  const texts = await buildNewTexts(services, push, { source: source_branch, target: target_branch });
  return createMergeRequest(services, caller, project, {
    title: markDraft(options.title ?? texts.title, options.draft),
    description: options.description ?? texts.description,
    source_branch,
    target_branch,
    assignee_ids: await listAssigneeIds(db, [caller.user.id], options),
    labels: options.label,
    ...(await toCommonInput(db, project, options)),
  });
}

async function updateFromOptions(
  services: RefServices,
  { caller, project }: ProjectPush,
  mergeRequest: MergeRequest,
  options: MergeRequestOptions,
) {
  const db = services.database.forRequest().reader;
  const { title, description, target, draft, assign, unassign, label, unlabel } = options;
  const assignees = await loadAssignees(db, MERGE_REQUESTS, [mergeRequest.id]);
  const assigneeIds = assignees.map(({ user_id }) => user_id);
  return updateMergeRequestWithLock(services, caller, project, mergeRequest, {
    ...(title !== undefined || draft !== undefined ? { title: markDraft(title ?? mergeRequest.title, draft) } : {}),
    ...(description === undefined ? {} : { description }),
    ...(target === undefined ? {} : { target_branch: target }),
    ...(assign.length + unassign.length === 0 ? {} : { assignee_ids: await listAssigneeIds(db, assigneeIds, options) }),
    ...(label.length === 0 ? {} : { add_labels: label }),
    ...(unlabel.length === 0 ? {} : { remove_labels: unlabel }),
    ...(await toCommonInput(db, project, options)),
  });
}

/** Returns the input that new and existing merge requests share. An unknown milestone has no effect. */
async function toCommonInput(
  db: Reader,
  project: Project,
  { squash, remove_source_branch, milestone }: MergeRequestOptions,
) {
  const milestoneRow =
    milestone === undefined
      ? null
      : await findMilestoneByTitle(db, await ancestorsAndSelf(db, { project }), milestone.replace(/^%/, ''));
  return {
    ...(squash === undefined ? {} : { squash }),
    ...(remove_source_branch === undefined ? {} : { remove_source_branch }),
    ...(milestoneRow === null ? {} : { milestone_id: milestoneRow.id }),
  };
}

/** Returns the ids of the assignees after the options were applied; `[0]` means nobody. Unknown users have no effect. */
async function listAssigneeIds(
  db: Reader,
  before: readonly number[],
  { assign, unassign }: MergeRequestOptions,
): Promise<number[]> {
  const [addedIds, removedIds] = [await findUserIds(db, assign), await findUserIds(db, unassign)];
  const ids = [...new Set([...before, ...addedIds])].filter((id) => !removedIds.includes(id));
  return ids.length === 0 ? [0] : ids;
}

/** Returns the ids of the users that exist. A number is an id; any other value is a username, perhaps with `@`. */
async function findUserIds(db: Reader, idsOrNames: readonly string[]): Promise<number[]> {
  const ids: number[] = [];
  for (const idOrName of idsOrNames) {
    const id = /^\d{1,9}$/.test(idOrName)
      ? Number(idOrName)
      : (await findUserByUsername(db, idOrName.replace(/^@/, '')))?.id;
    if (id !== undefined) ids.push(id);
  }
  return ids;
}

function markDraft(title: string, draft: boolean | undefined): string {
  if (draft === undefined || draft === isDraft(title)) return title;
  return draft ? `Draft: ${title}` : title.replace(/^draft:\s*/i, '');
}

/**
 * Enables auto-merge, usually before the pipeline of the push exists. The end of that pipeline enqueues the merge. If a head pipeline
 * exists already, it may have ended, so the merge is also enqueued here.
 */
async function enableAutoMergeOfPush(
  { runUnitOfWork }: RefServices,
  { caller, project }: ProjectPush,
  mergeRequest: MergeRequest,
): Promise<void> {
  await runUnitOfWork(caller, async (uow) => {
    const access = await reloadAccess(uow, caller, project.id);
    const [currentMergeRequest] = await findMergeRequests(uow, caller, [mergeRequest.id]);
    if (currentMergeRequest === undefined || currentMergeRequest.state !== 'opened') return;
    await enableAutoMerge(uow, access, currentMergeRequest, {});
    if ((await loadHeadPipelines(uow, [currentMergeRequest.id])).has(currentMergeRequest.id))
      await enqueueAutoMergeIfEnabled(uow, currentMergeRequest.id);
  });
}

type ApplyFailure = Failure<'notAFork' | 'sameBranches' | 'exists' | 'invalid' | 'notFound'>;

function describeFailure({ code, values }: ApplyFailure, branch: string): string {
  switch (code) {
    case 'sameBranches':
      return `The branch ${branch} cannot be merged into itself`;
    case 'exists':
      return `Another merge request is open for the same branches: !${values.iid}`;
    case 'invalid':
      return `The merge request of ${branch} is not valid: ${describeErrors(values.errors)}`;
    default:
      return `The merge request of ${branch} could not be found`;
  }
}

/** Formats the errors of an invalid input, which are lists of texts by field. */
const describeErrors = (errors: unknown) =>
  Object.entries(errors as Readonly<Record<string, readonly string[]>>)
    .map(([field, texts]) => `${field} ${texts.join(', ')}`)
    .join('; ');
