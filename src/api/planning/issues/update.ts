import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { findIssue, findIssues, type Issue } from '#authorization/issues.ts';
import { OWNER } from '#domain/members/roles.ts';
import { type Project, roleIn } from '#domain/namespaces/projects.ts';
import { stillThere } from '#domain/row-deleted.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { ParameterValues } from '#http/parameters/declarations.ts';
import { type Failure, fail, fieldErrors, invalid, isFailure } from '#runtime/failure.ts';
import {
  assign,
  assigneesOf,
  besideTexts,
  differing,
  ISSUES,
  label,
  labelsOn,
  recordChangedThing,
  sameSet,
  stateAfter,
  tellChanged,
  tellReworded,
  titleErrors,
} from '../issuables/index.ts';
import { afterBesides, described } from '../quick-actions/index.ts';
import { ownTextsOf, recordWeight, resourceOf } from './activity.ts';
import { moveToEpic, publicErrors, wishedEpic } from './epic.ts';
import { changedMetadata, weightErrors } from './metadata.ts';
import type { issueChangeParams } from './parameters.ts';
import { issueSubject } from './quick-actions/subject.ts';
import { updateIssueRow } from './store.ts';

export type IssueChange = Partial<ParameterValues<typeof issueChangeParams>>;

/**
 * Changes an issue as it stands now. Author and assignees change its text and its state, members from Planner on its
 * metadata too, Owners when it was made and changed; what the caller may not is as if he had not sent it.
 */
export async function changeIssue(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  iid: number,
  asked: IssueChange,
): Promise<Issue | Failure<ChangeFailure>> {
  const issue = await findIssue(uow, uow.actor, project.id, iid);
  if (issue === null) return fail('gone');
  const { wish, besides } = await described(uow, asked, () => issueSubject(uow, project, issue));
  const after = await change(uow, project, issue, wish);
  if (isFailure(after)) return after;
  return afterBesides(after, besides, async (id) => stillThere((await findIssues(uow, uow.actor, [id]))[0]));
}

type ChangeFailure = 'invalid' | 'noEpic' | 'epicUnreadable' | 'archived' | 'gone';

async function change(
  uow: UnitOfWork<SignedInCaller>,
  project: Project,
  issue: Issue,
  wish: IssueChange,
): Promise<Issue | Failure<ChangeFailure>> {
  const { iid } = issue;
  const mayAll = mayInProject(uow.actor, 'update_issue', project);
  const sent: Partial<IssueChange> = mayAll ? wish : {};
  const confidential = sent.confidential ?? issue.confidential;
  const epic = await wishedEpic(uow, project, sent);
  if (isFailure(epic)) return epic;
  const errors = fieldErrors({
    title: titleErrors(wish.title),
    weight: weightErrors(uow, sent),
    issue: confidential ? [] : await publicErrors(uow, issue, epic),
  });
  if (errors) return invalid(errors);
  const [labelled, assigned] = [await labelsOn(uow, ISSUES, [issue.id]), await assigneesOf(uow, ISSUES, [issue.id])];
  const before = { ...issue, labels: labelled, assignees: assigned.map(({ user_id }) => user_id) };
  const { labels, assignees, ...metadata } = await changedMetadata(
    uow,
    project,
    { ...issue, confidential },
    before,
    sent,
  );
  const columns = differing<Issue>(issue, {
    title: wish.title ?? issue.title,
    description: wish.description === undefined ? issue.description : wish.description,
    issue_type: wish.issue_type ?? issue.issue_type,
    confidential,
    ...metadata,
    ...stateAfter(issue.state, wish.state_event, uow),
    ...(roleIn(uow.actor, project) >= OWNER ? { created_at: wish.created_at ?? issue.created_at } : {}),
  });
  const labelIds = labelled.map(({ id }) => id);
  await label(uow, ISSUES, issue.id, { before: labelIds, now: labels });
  await assign(uow, ISSUES, issue.id, { before: before.assignees, now: assignees });
  const related = await moveToEpic(uow, { issue, project }, epic);
  if (isFailure(related)) return related;
  const touched =
    related || Object.keys(columns).length > 0 || !sameSet(labelIds, labels) || !sameSet(before.assignees, assignees);
  const updatedAt = roleIn(uow.actor, project) >= OWNER ? wish.updated_at : null;
  if (touched || updatedAt != null) {
    await updateIssueRow(uow, issue.id, { ...columns, ...besideTexts(columns), updated_at: updatedAt ?? uow.now });
  }
  const [after] = (await findIssues(uow, uow.actor, [issue.id])) as [Issue];
  await recordChangedThing(uow, 'Issue', before, { ...after, assignees }, ownTextsOf(issue, after));
  await recordWeight(uow, issue.weight, after);
  await tellChanged(uow, resourceOf(issue), { ...before, labels: labelIds }, { ...after, labels, assignees });
  await tellReworded(uow, { type: 'Issue', id: issue.id, iid, project }, issue, columns);
  return after;
}
