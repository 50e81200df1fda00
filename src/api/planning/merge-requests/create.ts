import { storedAttributes } from '#api/namespaces/projects/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { requireStill, type Standing } from '#authorization/current-access.ts';
import { findMergeRequests, type MergeRequest } from '#authorization/merge-requests.ts';
import { nextIid } from '#domain/iids.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { stillThere } from '#domain/row-deleted.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { ParameterValues } from '#http/parameters/declarations.ts';
import type { RefServices } from '#repositories/services.ts';
import { type Failure, fail, fieldErrors, invalid, isFailure } from '#runtime/failure.ts';
import { newlyMade, recordNewThing, tellMentioned, titleErrors } from '../issuables/index.ts';
import { afterBesides, described } from '../quick-actions/index.ts';
import { isDraft } from './draft.ts';
import { actingAtTips, type Tips } from './heads/branch-heads.ts';
import { addMergeRequest } from './insert.ts';
import { mergeRequestsTurn } from './lock-key.ts';
import { changedMetadata } from './metadata.ts';
import type { newMergeRequestParams } from './parameters.ts';
import { newMergeRequestSubject } from './quick-actions/subject.ts';
import { openFor } from './store.ts';
import { changeDescribed } from './update.ts';

type Wish = ParameterValues<typeof newMergeRequestParams>;
type CreateFailure = 'notAFork' | 'sameBranches' | 'exists' | 'invalid';

/** Makes a merge request of two branches of the project; of each two branches one is open at most. */
export async function createMergeRequest(
  services: RefServices,
  caller: SignedInCaller,
  project: Project,
  wish: Wish,
): Promise<MergeRequest | Failure<CreateFailure | 'gone'>> {
  if (wish.target_project_id != null && wish.target_project_id !== project.id) return fail('notAFork');
  if (wish.source_branch === wish.target_branch) return fail('sameBranches');
  const branches = { source: wish.source_branch, head: null, target: wish.target_branch };
  const options = { turn: mergeRequestsTurn(project) };
  return actingAtTips(services, { caller, project, branches, options }, (uow, standing, tips) =>
    createDescribed(uow, standing, wish, tips!),
  );
}

async function createDescribed(
  uow: UnitOfWork<SignedInCaller>,
  standing: Standing,
  asked: Wish,
  tips: Tips,
): Promise<MergeRequest | Failure<CreateFailure | 'gone'>> {
  const { wish, besides, closes } = await described(uow, asked, async () =>
    newMergeRequestSubject(uow, standing.project, asked.title),
  );
  const made = await create(uow, standing, wish, tips);
  if (isFailure(made)) return made;
  const after = await afterBesides(made, besides, async (id) =>
    stillThere((await findMergeRequests(uow, uow.actor, [id]))[0]),
  );
  return closes && !isFailure(after) ? changeDescribed(uow, standing, made.iid, { state_event: 'close' }, null) : after;
}

async function create(
  uow: UnitOfWork<SignedInCaller>,
  standing: Standing,
  wish: Wish,
  { head, start, base }: Tips,
): Promise<MergeRequest | Failure<CreateFailure>> {
  requireStill(standing, 'create_merge_request');
  const { project } = standing;
  const other = await openFor(uow, project.id, wish.source_branch, wish.target_branch);
  if (other !== null) return fail('exists', { iid: other.iid });
  const errors = fieldErrors({
    title: titleErrors(wish.title),
    source_branch: head === null ? ['is invalid'] : [],
    target_branch: start === null ? ['is invalid'] : [],
  });
  if (errors || head === null) return invalid(errors ?? {});
  const { labels, assignees, reviewers, ...metadata } = await changedMetadata(uow, project, nothingOf(project), wish);
  const iid = await nextIid(uow, { projectId: project.id }, 'merge_request');
  const description = wish.description ?? null;
  const made = await addMergeRequest(uow, {
    project_id: project.id,
    iid,
    title: wish.title,
    description,
    author_id: uow.actor.user.id,
    draft: isDraft(wish.title),
    source_branch: wish.source_branch,
    target_branch: wish.target_branch,
    merge_status: 'unchecked',
    ...metadata,
    ...newlyMade(uow.now),
    ...{ labels, assignees, reviewers, compared: { head, start, base } },
  });
  await recordNewThing(uow, 'MergeRequest', made);
  await tellMentioned(uow, { type: 'MergeRequest', id: made.id, iid, project }, [wish.title, description ?? '']);
  return made;
}

/** As a new one has it that says nothing of its own. */
function nothingOf(project: Project) {
  const { squash_option } = storedAttributes(project);
  return {
    discussion_locked: null,
    milestone_id: null,
    squash: squash_option === 'always' || squash_option === 'default_on',
    force_remove_source_branch: null,
    assignees: [],
    reviewers: [],
    labels: [],
  };
}
