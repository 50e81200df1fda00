import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { findIssues, type Issue } from '#authorization/issues.ts';
import { nextIid, reserveIid } from '#domain/iids.ts';
import { OWNER } from '#domain/members/roles.ts';
import { type Project, roleIn } from '#domain/namespaces/projects.ts';
import { stillThere } from '#domain/row-deleted.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { ParameterValues } from '#http/parameters/declarations.ts';
import { type Failure, fieldErrors, invalid, isFailure } from '#runtime/failure.ts';
import { titleErrors } from '../issuables/index.ts';
import { afterBesides, described } from '../quick-actions/index.ts';
import { moveToEpic, wishedEpic } from './epic.ts';
import { addIssue, tellOfIssue } from './insert.ts';
import { changedMetadata, NO_METADATA, weightErrors } from './metadata.ts';
import type { newIssueParams } from './parameters.ts';
import { newIssueSubject } from './quick-actions/subject.ts';
import { changeIssue } from './update.ts';

type Wish = ParameterValues<typeof newIssueParams> & { readonly title: string };

/** Files an issue as the last one of the project. Metadata of who is no member are ignored, and what only Owners may set. */
export async function createIssue(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  asked: Wish,
): Promise<Issue | Failure<'invalid' | 'noEpic' | 'epicUnreadable' | 'archived' | 'gone'>> {
  const { wish, besides, closes } = await described(uow, asked, async () =>
    newIssueSubject(uow, project, asked.title, asked.confidential === true),
  );
  const made = await create(uow, project, wish);
  if (isFailure(made)) return made;
  const after = await afterBesides(made, besides, async (id) =>
    stillThere((await findIssues(uow, uow.actor, [id]))[0]),
  );
  return closes && !isFailure(after) ? changeIssue(uow, project, made.iid, { state_event: 'close' }) : after;
}

async function create(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  wish: Wish,
): Promise<Issue | Failure<'invalid' | 'noEpic' | 'epicUnreadable'>> {
  const sent: Partial<Wish> = mayInProject(uow.actor, 'set_new_issue_metadata', project) ? wish : {};
  const errors = fieldErrors({
    title: titleErrors(wish.title),
    weight: weightErrors(uow, sent),
  });
  if (errors) return invalid(errors);
  const epic = await wishedEpic(uow, project, sent);
  if (isFailure(epic)) return epic;
  const owners: Partial<Wish> = roleIn(uow.actor, project) >= OWNER ? wish : {};
  const confidential = wish.confidential === true || epic?.confidential === true;
  const whose = { confidential, author_id: uow.actor.user.id };
  const { labels, assignees, ...metadata } = await changedMetadata(uow, project, whose, NO_METADATA, sent);
  const iid = await numberOf(uow, project, owners);
  const made = await addIssue(uow, project, {
    ...whose,
    ...metadata,
    iid,
    title: wish.title,
    description: wish.description ?? null,
    issue_type: wish.issue_type ?? 'issue',
    labels,
    assignees,
    madeAt: owners.created_at ?? uow.now,
  });
  await moveToEpic(uow, { issue: made, project }, epic);
  await tellOfIssue(uow, project, made);
  return made;
}

/** The next one of the project, or which its Owner has chosen: one that is there already is the unique index's to refuse. */
async function numberOf(
  uow: UnitOfWork,
  { id: projectId }: Project,
  { iid }: { readonly iid?: number | null | undefined },
) {
  if (iid == null || iid < 1) return nextIid(uow, { projectId }, 'issue');
  await reserveIid(uow, { projectId }, 'issue', iid);
  return iid;
}
