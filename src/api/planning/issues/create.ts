import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { findIssues, type Issue } from '#authorization/issues.ts';
import { allocateIid, reserveIid } from '#domain/iids.ts';
import { OWNER } from '#domain/members/roles.ts';
import { getProjectRole, type Project } from '#domain/namespaces/projects.ts';
import { requireRow } from '#domain/row-deleted.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { ProjectIssuable } from '#http/access/noteables.ts';
import type { ParameterValues } from '#http/parameters/declarations.ts';
import { compactFieldErrors, type Failure, invalid, isFailure } from '#runtime/failure.ts';
import { validateTitle } from '../issuables/index.ts';
import { applyDescriptionCommands, runAfterUpdate } from '../quick-actions/index.ts';
import { resolveEpic, updateEpicAssociation } from './epic.ts';
import { describeFollowUp, loadFollowUp, resolveFollowedThreads } from './follow-up.ts';
import { insertIssueWithRelations, recordIssueCreated } from './insert.ts';
import { NO_METADATA, resolveIssueMetadata, validateWeight } from './metadata.ts';
import type { createIssueParams } from './parameters.ts';
import { newIssueSubject } from './quick-actions/subject.ts';
import { updateIssueWithQuickActions } from './update.ts';

type CreateIssueInput = ParameterValues<typeof createIssueParams> & { readonly title: string };

/**
 * Creates an issue as the last one of the project. Ignores metadata from non-members, and `iid` and `created_at` from callers below
 * Owner. An issue that continues threads of a merge request resolves them.
 */
export async function createIssue(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  params: CreateIssueInput,
  { mergeRequest, baseUrl }: { readonly mergeRequest: ProjectIssuable | null; readonly baseUrl: string },
): Promise<Issue | Failure<'invalid' | 'epicNotFound' | 'epicUnreadable' | 'archived' | 'notFound'>> {
  if (mergeRequest === null) return createIssueWithQuickActions(uow, project, params);
  const followUp = await loadFollowUp(uow, uow.actor, mergeRequest, params.discussion_to_resolve);
  const description =
    params.description === undefined ? await describeFollowUp(uow, followUp, baseUrl) : params.description;
  if (isFailure(description)) return description;
  const issue = await createIssueWithQuickActions(uow, project, { ...params, description });
  if (!isFailure(issue)) await resolveFollowedThreads(uow, followUp, issue);
  return issue;
}

async function createIssueWithQuickActions(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  params: CreateIssueInput,
): Promise<Issue | Failure<'invalid' | 'epicNotFound' | 'epicUnreadable' | 'archived' | 'notFound'>> {
  const { input, afterUpdate, closesAfterCreation } = await applyDescriptionCommands(uow, params, async () =>
    newIssueSubject(uow, project, params.title, params.confidential === true),
  );
  const issue = await insertNewIssue(uow, project, input);
  if (isFailure(issue)) return issue;
  const updatedIssue = await runAfterUpdate(issue, afterUpdate, async (id) =>
    requireRow((await findIssues(uow, uow.actor, [id]))[0]),
  );
  return closesAfterCreation && !isFailure(updatedIssue)
    ? updateIssueWithQuickActions(uow, project, issue.iid, { state_event: 'close' })
    : updatedIssue;
}

async function insertNewIssue(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  input: CreateIssueInput,
): Promise<Issue | Failure<'invalid' | 'epicNotFound' | 'epicUnreadable'>> {
  const metadataInput: Partial<CreateIssueInput> = mayInProject(uow.actor, 'set_new_issue_metadata', project)
    ? input
    : {};
  const errors = compactFieldErrors({
    title: validateTitle(input.title),
    weight: validateWeight(uow, metadataInput),
  });
  if (errors) return invalid(errors);
  const epic = await resolveEpic(uow, project, metadataInput);
  if (isFailure(epic)) return epic;
  const ownerInput: Partial<CreateIssueInput> = getProjectRole(uow.actor, project) >= OWNER ? input : {};
  const confidential = input.confidential === true || epic?.confidential === true;
  const visibility = { confidential, author_id: uow.actor.user.id };
  // Every reader of the project's public issues may be assigned: assignees may read the issue even if it is confidential.
  const assignmentVisibility = { ...visibility, confidential: false };
  const { labels, assignees, ...metadata } = await resolveIssueMetadata(
    uow,
    project,
    assignmentVisibility,
    NO_METADATA,
    metadataInput,
  );
  const iid = await resolveIid(uow, project, ownerInput);
  const issue = await insertIssueWithRelations(uow, project, {
    ...visibility,
    ...metadata,
    iid,
    title: input.title,
    description: input.description ?? null,
    issue_type: input.issue_type ?? 'issue',
    labels,
    assignees,
    createdAt: ownerInput.created_at ?? uow.now,
  });
  await updateEpicAssociation(uow, { issue, project }, epic);
  await recordIssueCreated(uow, project, issue);
  return issue;
}

/** Returns the requested iid, or the next iid if none or one below 1 is requested. The unique index rejects an iid in use. */
async function resolveIid(
  uow: UnitOfWork,
  { id: projectId }: Project,
  { iid }: { readonly iid?: number | null | undefined },
) {
  if (iid == null || iid < 1) return allocateIid(uow, { projectId }, 'issue');
  await reserveIid(uow, { projectId }, 'issue', iid);
  return iid;
}
