import type { SignedInCaller } from '#authentication/caller.ts';
import { findIssues, type Issue } from '#authorization/issues.ts';
import type { IssueSeverity, IssueState, IssueType } from '#database/tables/issues.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import {
  assign,
  IMPORTED,
  ISSUES,
  label,
  labelImported,
  newlyMade,
  newTexts,
  type Past,
  recordNewThing,
  tellMentioned,
} from '../issuables/index.ts';
import { recordWeight } from './activity.ts';
import type { Metadata } from './metadata.ts';
import { insertIssue, placeAtEnd } from './store.ts';

/** All that a new issue is, its number too. */
interface NewIssue extends Omit<Metadata, 'labels'> {
  readonly iid: number;
  readonly title: string;
  readonly description: string | null;
  readonly issue_type: IssueType;
  /** Of an incident. */
  readonly severity?: IssueSeverity;
  readonly confidential: boolean;
  readonly author_id: number;
  /** The ids of its labels. */
  readonly labels: readonly number[];
  readonly madeAt: string;
  /** Of one that was on another server before. */
  readonly past?: Past<IssueState>;
}

/** Adds an issue as the last one of the project; in the turn of those who do. */
export async function addIssue(uow: UnitOfWork<SignedInCaller>, project: Project, issue: NewIssue): Promise<Issue> {
  const { title, description, labels, assignees, madeAt, past, ...row } = issue;
  const id = await insertIssue(uow, {
    ...row,
    project_id: project.id,
    ...newTexts({ title, description }),
    start_date: null,
    relative_position: await placeAtEnd(uow, project.id),
    moved_to_id: null,
    ...newlyMade(madeAt),
    ...(past && { ...past, ...IMPORTED }),
  });
  await (past ? labelImported(uow, ISSUES, id, labels) : label(uow, ISSUES, id, { before: [], now: labels }));
  await assign(uow, ISSUES, id, { before: [], now: assignees });
  const [made] = await findIssues(uow, uow.actor, [id]);
  return made as Issue;
}

/** Tells of an issue that was added, and those whom its texts name. */
export async function tellOfIssue(uow: UnitOfWork<SignedInCaller>, project: Project, issue: Issue): Promise<void> {
  const { id, iid, title, description } = issue;
  await recordNewThing(uow, 'Issue', issue);
  await recordWeight(uow, null, issue);
  await tellMentioned(uow, { type: 'Issue', id, iid, project }, [title, description ?? '']);
}
