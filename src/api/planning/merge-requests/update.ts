import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { AccessRevoked, type Standing } from '#authorization/current-access.ts';
import {
  findMergeRequest,
  findMergeRequests,
  type MergeRequest,
  mayUpdateMergeRequest,
} from '#authorization/merge-requests.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { stillThere } from '#domain/row-deleted.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { ParameterValues } from '#http/parameters/declarations.ts';
import type { RefServices } from '#repositories/services.ts';
import { type Failure, fail, fieldErrors, invalid, isFailure } from '#runtime/failure.ts';
import {
  assign,
  assigneesOf,
  besideTexts,
  differing,
  label,
  labelsOn,
  MERGE_REQUESTS,
  REVIEWED,
  recordChangedThing,
  sameSet,
  stateAfter,
  tellChanged,
  tellReworded,
  titleErrors,
} from '../issuables/index.ts';
import { afterBesides, commandsIn, described, reopens } from '../quick-actions/index.ts';
import { abortAutoMerges } from './auto-merge/cancel.ts';
import { mergeSoonIfWaiting } from './auto-merge/job.ts';
import { keepClosed } from './closing-issues/store.ts';
import { isDraft } from './draft.ts';
import { actingAtTips, type Tips } from './heads/branch-heads.ts';
import { keepHeadsSoon } from './heads/head-refs.ts';
import { mergeRequestsTurn } from './lock-key.ts';
import { checkSoon } from './merging/check-mergeability.ts';
import { changedMetadata } from './metadata.ts';
import type { mergeRequestChangeParams } from './parameters.ts';
import { mergeRequestSubject } from './quick-actions/subject.ts';
import { insertVersion, openFor, updateMergeRequestRow } from './store.ts';

export type MergeRequestChange = Partial<ParameterValues<typeof mergeRequestChangeParams>>;
type ChangeFailure = 'invalid' | 'sameBranches' | 'exists' | 'gone';

export async function changeMergeRequest(
  services: RefServices,
  caller: SignedInCaller,
  project: Project,
  mergeRequest: MergeRequest,
  wish: MergeRequestChange,
): Promise<MergeRequest | Failure<ChangeFailure>> {
  const how = { wish, reopens: reopens(commandsIn(wish.description)) };
  return whereItChanges(services, { caller, project, mergeRequest }, how, (_act, _standing, change) => change(wish));
}

interface Which {
  readonly caller: SignedInCaller;
  readonly project: Project;
  readonly mergeRequest: MergeRequest;
}

interface How {
  readonly wish?: MergeRequestChange;
  /** Quick actions may open it, too. */
  readonly reopens: boolean;
  readonly turn?: readonly string[];
}

type Changing = (wish: MergeRequestChange) => Promise<MergeRequest | Failure<ChangeFailure>>;

/**
 * Runs an act in which it is changed as it stands then. Author and assignees change its texts, its branch and its state,
 * Developers all of it; what the caller may not is as if he had not sent it.
 */
export function whereItChanges<T>(
  services: RefServices,
  { caller, project, mergeRequest }: Which,
  { wish = {}, reopens: byCommand, turn = [] }: How,
  work: (uow: UnitOfWork<SignedInCaller>, standing: Standing, change: Changing) => Promise<T>,
): Promise<T> {
  const { iid, source_branch, head_sha: head } = mergeRequest;
  // Only where it leads and whether it is open can make it one too many.
  const moves = wish.target_branch !== undefined || wish.state_event === 'reopen' || byCommand;
  const isReopened = mergeRequest.state === 'closed' && (wish.state_event === 'reopen' || byCommand);
  const source = isReopened ? source_branch : null;
  const branches = moves ? { source, head, target: targetOf(mergeRequest, wish) } : null;
  const options = { turn: moves ? [...turn, mergeRequestsTurn(project)] : turn };
  return actingAtTips(services, { caller, project, branches, options }, (uow, standing, tips) =>
    work(uow, standing, (wanted) => changeDescribed(uow, standing, iid, wanted, tips)),
  );
}

/** With what its description commands. */
export async function changeDescribed(
  uow: UnitOfWork<SignedInCaller>,
  standing: Standing,
  iid: number,
  asked: MergeRequestChange,
  tips: Tips | null,
): Promise<MergeRequest | Failure<ChangeFailure>> {
  const row = await findMergeRequest(uow, uow.actor, standing.project.id, iid);
  if (row === null) return fail('gone');
  const { wish, besides } = await described(uow, asked, () => mergeRequestSubject(uow, standing, row));
  const after = await change(uow, standing, row, wish, tips);
  if (isFailure(after)) return after;
  return afterBesides(after, besides, async (id) => stillThere((await findMergeRequests(uow, uow.actor, [id]))[0]));
}

/** `tips`: of where the wish would lead it, read before. */
async function change(
  uow: UnitOfWork<SignedInCaller>,
  standing: Standing,
  row: MergeRequest,
  wish: MergeRequestChange,
  tips: Tips | null,
): Promise<MergeRequest | Failure<ChangeFailure>> {
  const { caller, project } = standing;
  const { iid } = row;
  if (!mayUpdateMergeRequest(caller, project, row)) throw new AccessRevoked();
  const moved = await ledElsewhere(uow, row, wish, tips?.head ?? null);
  if (isFailure(moved)) return moved;
  const errors = fieldErrors({
    title: titleErrors(wish.title),
    target_branch:
      wishesNowhere(wish) || (moved.target_branch !== undefined && tips?.start == null) ? ['is invalid'] : [],
  });
  if (errors) return invalid(errors);
  const before = await withPeople(uow, row);
  const { labels, assignees, reviewers, ...metadata } = await changedMetadata(
    uow,
    project,
    before,
    sentBy(standing, wish),
  );
  const title = wish.title ?? row.title;
  const columns = differing<MergeRequest>(row, {
    title,
    draft: isDraft(title),
    description: wish.description === undefined ? row.description : wish.description,
    ...metadata,
    ...moved,
  });
  const { id } = row;
  const labelIds = before.labels.map((one) => one.id);
  await label(uow, MERGE_REQUESTS, id, { before: labelIds, now: labels });
  await assign(uow, MERGE_REQUESTS, id, { before: before.assignees, now: assignees });
  await assign(uow, REVIEWED, id, { before: before.reviewers, now: reviewers });
  const touched =
    Object.keys(columns).length > 0 ||
    !sameSet(labelIds, labels) ||
    !sameSet(before.assignees, assignees) ||
    !sameSet(before.reviewers, reviewers);
  if (touched) await updateMergeRequestRow(uow, id, { ...columns, ...besideTexts(columns), updated_at: uow.now });
  if ('target_branch' in columns) await abortAutoMerges(uow, [id], 'target branch was changed');
  if (columns.state === 'closed') await abortAutoMerges(uow, [id], 'merge request was closed');
  if ('title' in columns) await mergeSoonIfWaiting(uow, id);
  if (tips !== null) await checkSoon(uow, project.id);
  if (tips !== null && ('head_sha' in columns || 'target_branch' in columns)) {
    await keepHeadsSoon(uow, project.id, [iid]);
    const head = columns.head_sha ?? row.head_sha;
    // Of a head that came meanwhile git is asked later.
    const { start, base } = head === tips.head ? tips : NOT_LOOKED;
    await insertVersion(uow, { id, head, start, base });
  }
  const [after] = (await findMergeRequests(uow, uow.actor, [id])) as [MergeRequest];
  if ('description' in columns) await keepClosed(uow, after);
  await recordChangedThing(uow, 'MergeRequest', before, { ...after, assignees, reviewers });
  const about = { type: 'MergeRequest', id } as const;
  await tellChanged(uow, about, { ...before, labels: labelIds }, { ...after, labels, assignees, reviewers });
  await tellReworded(uow, { ...about, iid, project }, row, columns);
  return after;
}

const NOT_LOOKED = { start: null, base: null };

/** Where it leads by the wish; '': nowhere. */
const targetOf = (
  { target_branch: now }: Pick<MergeRequest, 'target_branch'>,
  { target_branch }: MergeRequestChange,
) => (target_branch === undefined ? now : (target_branch ?? ''));

const wishesNowhere = (wish: MergeRequestChange) => targetOf({ target_branch: 'somewhere' }, wish).trim() === '';

/**
 * Its state, where it leads and from where, by the wish; nothing knows yet whether that can be merged. What is merged stays as
 * it is. Of each two branches one is open at most.
 */
async function ledElsewhere(
  uow: UnitOfWork<SignedInCaller>,
  row: MergeRequest,
  wish: MergeRequestChange,
  head: string | null,
): Promise<Partial<MergeRequest> | Failure<'sameBranches' | 'exists'>> {
  const state = stateAfter(row.state, wish.state_event, uow);
  if (row.state === 'merged') return {};
  const target = targetOf(row, wish);
  if (target === row.source_branch) return fail('sameBranches');
  const reopened = state.state === 'opened';
  if (reopened || (row.state === 'opened' && state.state !== 'closed')) {
    const other = await openFor(uow, row.project_id, row.source_branch, target);
    if (other !== null && other.id !== row.id) return fail('exists', { iid: other.iid });
  }
  const changed = target !== row.target_branch;
  return {
    ...state,
    ...(changed ? { target_branch: target } : {}),
    // While it is closed nobody follows its source branch.
    ...(reopened && head !== null ? { head_sha: head } : {}),
    ...(reopened || changed ? { merge_status: 'unchecked', merge_check: null } : {}),
  };
}

/** Who updates it as its author or assignee leaves to others what only Developers set. */
function sentBy({ caller, project }: Standing, wish: MergeRequestChange): Partial<MergeRequestChange> {
  if (mayInProject(caller, 'update_merge_request', project)) return wish;
  const { squash, remove_source_branch } = wish;
  return { squash, remove_source_branch };
}

/** With its labels, and the ids of its assignees and reviewers. */
async function withPeople(uow: UnitOfWork, row: MergeRequest) {
  const labels = await labelsOn(uow, MERGE_REQUESTS, [row.id]);
  const assigned = await assigneesOf(uow, MERGE_REQUESTS, [row.id]);
  const asked = await assigneesOf(uow, REVIEWED, [row.id]);
  const ids = (people: typeof assigned) => people.map(({ user_id }) => user_id);
  return { ...row, labels, assignees: ids(assigned), reviewers: ids(asked) };
}
