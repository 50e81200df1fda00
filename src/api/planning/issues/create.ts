import { nextIid } from '../../../access/iids.ts';
import { findIssues, type Issue } from '../../../access/issues.ts';
import type { Project } from '../../../access/projects.ts';
import { foldCase } from '../../../database/keys.ts';
import type { IssueType } from '../../../database/tables/issues.ts';
import type { Act } from '../../../facts/act.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { fieldErrors, invalid, type Refused } from '../../../refused.ts';
import { insertIssue, lastPosition } from './store.ts';

/** Between two neighbours in the order that users give issues. */
const GAP = 2 ** 20;

interface Wish {
  readonly title: string;
  readonly description: string | null;
  readonly confidential: boolean;
  readonly issueType: IssueType;
}

/** Files an issue as the last one of the project. */
export async function createIssue(
  act: Act<SignedIn>,
  project: Project,
  { title, description, confidential, issueType }: Wish,
): Promise<Issue | Refused<'invalid'>> {
  const errors = fieldErrors({ title: title.trim() === '' ? ["can't be blank"] : [] });
  if (errors) return invalid(errors);
  const iid = await nextIid(act, { projectId: project.id }, 'issue');
  const id = await insertIssue(act, {
    project_id: project.id,
    iid,
    title,
    title_key: foldCase(title),
    description,
    description_key: description === null ? null : foldCase(description),
    author_id: act.by.user.id,
    state: 'opened',
    closed_at: null,
    closed_by_id: null,
    confidential,
    discussion_locked: null,
    issue_type: issueType,
    start_date: null,
    due_date: null,
    weight: null,
    relative_position: (await lastPosition(act, project.id)) + GAP,
    milestone_id: null,
    moved_to_id: null,
    created_at: act.now,
    updated_at: act.now,
  });
  await act.record({
    projectId: project.id,
    authorId: act.by.user.id,
    action: 'created',
    target: { type: 'Issue', id, iid },
  });
  const [made] = await findIssues(act, act.by, [id]);
  return made as Issue;
}
