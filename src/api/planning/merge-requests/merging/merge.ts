import { storedAttributes } from '#api/namespaces/projects/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { readUser } from '#authentication/users/users.ts';
import { AccessRevoked, standingOf } from '#authorization/current-access.ts';
import { findMergeRequest, type MergeRequest } from '#authorization/merge-requests.ts';
import { headPipelines } from '#authorization/pipelines.ts';
import { rulesFor } from '#authorization/protected-branches/branch-rules.ts';
import { protectionRules } from '#authorization/protected-branches/protected-branches.ts';
import type { Reader } from '#database/database.ts';
import { findProject, type Project } from '#domain/namespaces/projects.ts';
import { stillThere } from '#domain/row-deleted.ts';
import { withOpenThreads } from '#domain/threads.ts';
import type { Merge } from '#events/domain-events.ts';
import { HEADS } from '#git/ref-names.ts';
import { zeroId } from '#git/refs/refs.ts';
import { inBranchTurn } from '#repositories/commits/branch-lock.ts';
import { isBeingMerged } from '#repositories/ref-updates/intents.ts';
import { moveRefs } from '#repositories/ref-updates/move-refs.ts';
import { mayMergeInto, type RefRight } from '#repositories/ref-updates/ref-permissions.ts';
import type { RefServices } from '#repositories/services.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { setAutoMerge } from '../auto-merge/set.ts';
import { isAutoMerged, type KeptWish } from '../auto-merge/store.ts';
import { autoMergeWay, isReady } from '../auto-merge/strategy.ts';
import { type Branches, lookAtBranches } from './branch-comparison.ts';
import { type MergeCommits, writeMerge } from './merge-commits.ts';
import { mergeSettingsOf } from './merge-settings.ts';
import { type Checked, hasWantedTitle, holdsBack, mergeFailure, squashes } from './mergeability.ts';

/** What may be said of a merge when it is asked for; what is not said is as the merge request and its project say. */
export interface MergeWish extends KeptWish {
  /** Only while the source branch is there. */
  readonly sha?: string | null | undefined;
  /** Once what is waited for has come. The second is its old name. */
  readonly auto_merge?: boolean | null | undefined;
  readonly merge_when_pipeline_succeeds?: boolean | null | undefined;
}

/** `onItsWay`: somebody is merging it; `outrun`: somebody else has moved its branches each time. */
export type MergeRefused = 'gone' | 'readOnly' | 'notMergeable' | 'onItsWay' | 'conflict' | 'outrun' | 'shaDiffers';

/** So often a merge is begun anew when somebody else has moved one of the branches meanwhile. */
const MOST_TRIES = 5;

/**
 * Merges it, as it stands when its branches move: whoever comes second finds it merged. Nothing is done to the merge request
 * but by the act that records the move, which follows it whatever becomes of this process.
 */
export function merge(
  services: RefServices,
  caller: SignedInCaller,
  place: Project,
  mergeRequest: MergeRequest,
  wish: MergeWish,
): Promise<MergeRequest | Failure<MergeRefused>> {
  const mode = (wish.auto_merge ?? wish.merge_when_pipeline_succeeds) ? 'when ready' : 'at once';
  return inMode(services, caller, place, mergeRequest, { ...wish, mode });
}

/**
 * The same for who has been told to merge this head when all has come that was waited for: refused (`notMergeable`) while it has
 * not, and when that has been taken back.
 */
export function mergeByItself(
  services: RefServices,
  caller: SignedInCaller,
  place: Project,
  mergeRequest: MergeRequest,
  wish: KeptWish,
): Promise<MergeRequest | Failure<MergeRefused>> {
  return inMode(services, caller, place, mergeRequest, { ...wish, sha: mergeRequest.head_sha, mode: 'by itself' });
}

/** `when ready`: at once, or later by itself; `by itself`: it is later, and has not been taken back. */
interface Asked extends MergeWish {
  readonly mode: 'at once' | 'when ready' | 'by itself';
}

function inMode(
  services: RefServices,
  caller: SignedInCaller,
  place: Project,
  { iid, target_branch: name }: MergeRequest,
  wish: Asked,
): Promise<MergeRequest | Failure<MergeRefused>> {
  return inBranchTurn(services.git, { project: place, name }, async () => {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const done = await mergeOnce(services, caller, { projectId: place.id, iid }, wish);
      if (done !== undefined) return done;
    }
    return fail('outrun');
  });
}

interface Named {
  readonly projectId: number;
  readonly iid: number;
}

/** Undefined: something has changed on the way. */
async function mergeOnce(
  services: RefServices,
  caller: SignedInCaller,
  { projectId, iid }: Named,
  wish: Asked,
): Promise<MergeRequest | Failure<MergeRefused> | undefined> {
  const { database, git } = services;
  const db = database.current().reader;
  const project = await findProject(db, caller, String(projectId));
  const mergeRequest = await findMergeRequest(db, caller, projectId, iid);
  if (project === null || mergeRequest === null) return fail('gone');
  if (project.read_only) return fail('readOnly');
  const branches = await lookAtBranches(git, project, mergeRequest);
  const seen = { project, mergeRequest, branches };
  const refusal = await refusalOf(db, seen, wish);
  if (refusal === 'later') return mergeLater(services, caller, seen, wish);
  if (refusal !== null) return refusal;
  const removes = await removesSource(db, seen, wish);
  const commits = await commitsOf(services, caller, seen, wish);
  if (commits === null) return fail('conflict');
  const moved = await moveRefs(services, {
    project,
    by: { caller, may: toMerge(seen, wish, removes) },
    changes: changesOf(seen, commits, removes),
    merge: mergeOf(seen, commits, wish),
  });
  if (!isFailure(moved)) return findMergeRequest(database.current().reader, caller, projectId, iid).then(orGone);
  switch (moved.code) {
    case 'readOnly':
    case 'notMergeable':
    case 'onItsWay':
      return fail(moved.code);
    case 'changed':
    case 'moved':
    case 'locked':
      return undefined;
    default:
      return fail('conflict');
  }
}

const orGone = (found: MergeRequest | null) => found ?? fail('gone');

/** What a merge is decided by. */
interface Seen {
  readonly project: Project;
  readonly mergeRequest: MergeRequest;
  readonly branches: Branches;
}

/** `later`: it is to be merged by itself once it can. */
async function refusalOf(
  db: Reader,
  seen: Seen,
  { sha, mode }: Asked,
): Promise<Failure<'notMergeable' | 'onItsWay' | 'conflict' | 'shaDiffers'> | 'later' | null> {
  const { id, head_sha: head } = seen.mergeRequest;
  const checked = await checkedNow(db, seen, mode);
  const way = wayOf(mode, checked);
  if (way === 'notMergeable' || way === 'conflict') return fail(way);
  if (await isBeingMerged(db, id)) return fail('onItsWay');
  if (sha && sha !== head) return fail('shaDiffers', { sha: head });
  return way;
}

function wayOf(mode: Asked['mode'], checked: Checked): 'notMergeable' | 'conflict' | 'later' | null {
  if (mode === 'at once') return mergeFailure(checked);
  if (mode === 'by itself') return isReady(checked) ? null : 'notMergeable';
  const way = autoMergeWay(checked);
  return way === 'not' ? 'notMergeable' : way === 'later' ? way : null;
}

/** What decides about the merge, as it is in the database at this moment. */
async function checkedNow(
  db: Reader,
  { project, mergeRequest, branches }: Seen,
  mode: Asked['mode'],
): Promise<Checked> {
  const waitsFor = await whatItWaitsFor(db, project, mergeRequest, mode);
  const titled = hasWantedTitle(mergeRequest.title, waitsFor.wants);
  return { ...mergeRequest, titled, check: branches.check, ...waitsFor };
}

/** What counts for the merge, and if they count too: what has become of the head's pipeline (null: there is none), whether a thread is open. */
async function whatItWaitsFor(
  db: Reader,
  { id: projectId }: Project,
  { id }: MergeRequest,
  mode: Asked['mode'],
): Promise<Pick<Checked, 'wants' | 'threadsOpen' | 'pipeline'>> {
  const wants = stillThere((await mergeSettingsOf(db, [projectId])).get(projectId));
  const threadsOpen =
    wants.only_allow_merge_if_all_discussions_are_resolved && (await withOpenThreads(db, [id])).has(id);
  if (mode === 'at once' && !wants.only_allow_merge_if_pipeline_succeeds) return { wants, threadsOpen, pipeline: null };
  return { wants, threadsOpen, pipeline: (await headPipelines(db, [id])).get(id)?.status ?? null };
}

/** Undefined: what is waited for has come meanwhile, or something has changed. */
async function mergeLater(
  { database, runUnitOfWork }: RefServices,
  caller: SignedInCaller,
  seen: Seen,
  wish: Asked,
): Promise<MergeRequest | Failure<'gone'> | undefined> {
  const { project_id, iid } = seen.mergeRequest;
  const refusal = await runUnitOfWork(caller, async (uow) => {
    const standing = await standingOf(uow, caller, project_id);
    const now = await findMergeRequest(uow, caller, project_id, iid);
    if (now === null || !isAsSeen(seen, standing.project, now)) return fail('changed');
    if (wayOf(wish.mode, await checkedNow(uow, seen, wish.mode)) !== 'later') return fail('changed');
    await setAutoMerge(uow, standing, now, wish);
  });
  return refusal ? undefined : findMergeRequest(database.current().reader, caller, project_id, iid).then(orGone);
}

/** A branch that is protected, the default one, or has gone on stays, whatever was wished. */
async function removesSource(
  db: Reader,
  { project, mergeRequest, branches }: Seen,
  { should_remove_source_branch: asked }: MergeWish,
): Promise<boolean> {
  const { source_branch, force_remove_source_branch: wanted, head_sha } = mergeRequest;
  const usual = storedAttributes(project).remove_source_branch_after_merge;
  if (!(asked ?? wanted ?? usual) || branches.source !== head_sha) return false;
  if (source_branch === project.default_branch) return false;
  return rulesFor(await protectionRules(db, project.id), source_branch).length === 0;
}

async function commitsOf(
  { database, git }: RefServices,
  caller: SignedInCaller,
  { project, mergeRequest, branches }: Seen,
  wish: MergeWish,
): Promise<MergeCommits | null> {
  const wants = storedAttributes(project);
  const author = await readUser(database.reader, mergeRequest.author_id);
  return writeMerge(git, {
    project,
    mergeRequest,
    method: wants.merge_method,
    target: branches.target!,
    base: branches.base!,
    squash: squashes(wish.squash ?? mergeRequest.squash, wants),
    merger: caller.user,
    author: author ?? caller.user,
    mergeMessage: wish.merge_commit_message,
    squashMessage: wish.squash_commit_message,
  });
}

/** All is asked again in the transaction after which there is no way back: the right, and what has been decided by. */
function toMerge(seen: Seen, wish: Asked, removes: boolean): RefRight<'notMergeable' | 'onItsWay' | 'changed'> {
  const { id, iid, target_branch } = seen.mergeRequest;
  return async (db, { caller, project }) => {
    // Why not is told at the door.
    if (!(await mayMergeInto(db, caller, project, target_branch))) throw new AccessRevoked();
    if (await isBeingMerged(db, id)) return fail('onItsWay');
    if (wish.mode === 'by itself' && !(await isAutoMerged(db, id))) return fail('notMergeable');
    const mergeRequest = await findMergeRequest(db, caller, project.id, iid);
    if (mergeRequest === null || !isAsSeen(seen, project, mergeRequest)) return fail('changed');
    const { wants, threadsOpen, pipeline } = await whatItWaitsFor(db, project, mergeRequest, wish.mode);
    if (threadsOpen || holdsBack(pipeline, wants)) return fail('changed');
    return (await removesSource(db, { ...seen, project }, wish)) === removes ? undefined : fail('changed');
  };
}

function isAsSeen(seen: Seen, project: Project, mergeRequest: MergeRequest): boolean {
  const decisive = [
    'state',
    'title',
    'draft',
    'source_branch',
    'target_branch',
    'head_sha',
    'squash',
    'force_remove_source_branch',
  ] as const;
  return (
    project.attributes === seen.project.attributes &&
    decisive.every((column) => mergeRequest[column] === seen.mergeRequest[column])
  );
}

function changesOf({ mergeRequest, branches }: Seen, { tip }: MergeCommits, removes: boolean) {
  const { source_branch, target_branch, head_sha } = mergeRequest;
  return [
    { ref: HEADS + target_branch, oldId: branches.target!, newId: tip },
    ...(removes ? [{ ref: HEADS + source_branch, oldId: head_sha, newId: zeroId }] : []),
  ];
}

function mergeOf({ mergeRequest, branches }: Seen, commits: MergeCommits, wish: MergeWish): Merge {
  return {
    mergeRequestId: mergeRequest.id,
    ref: HEADS + mergeRequest.target_branch,
    newId: commits.tip,
    head: mergeRequest.head_sha,
    mergeCommit: commits.mergeCommit,
    squashCommit: commits.squashCommit,
    base: branches.base!,
    start: branches.target!,
    shouldRemoveSourceBranch: wish.should_remove_source_branch ?? null,
  };
}
