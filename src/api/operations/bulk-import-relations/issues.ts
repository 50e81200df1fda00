import { importIssue, issuesLockKey } from '#api/planning/issues/index.ts';
import type { IssueType } from '#database/schema.ts';
import { object, optional, required } from '#http/parameters/declarations.ts';
import { shortText } from '#http/parameters/texts.ts';
import { boolean, date, dateTime, integer, integerIn, oneOf } from '#http/parameters/types.ts';
import { isFailure } from '#runtime/failure.ts';
import { declareRelation, findStoredObject } from './relation.ts';
import {
  createNotesRelation,
  labelTitles,
  numberedFields,
  timestampFields,
  toTimestamps,
  toTitleAndUrl,
} from './shared-fields.ts';
import { mapUserIds, sourceUser, sourceUsers, toAttributedText } from './users.ts';

/** Issues with their notes. */
export const issues = declareRelation({
  name: 'issues',
  kind: 'issue',
  isInStats: true,
  list: { project: ({ id }) => `/projects/${id}/issues?scope=all&state=all&order_by=created_at&sort=asc` },
  lock: ({ destination }) => issuesLockKey(destination.project!),
  fields: {
    ...numberedFields,
    ...timestampFields,
    state: required(oneOf('opened', 'closed')),
    closed_at: optional(dateTime),
    closed_by: optional(sourceUser),
    labels: labelTitles,
    milestone: optional(object({ title: required(shortText) })),
    author: optional(sourceUser),
    assignees: sourceUsers,
    confidential: optional(boolean, false),
    discussion_locked: optional(boolean),
    due_date: optional(date),
    weight: optional(integerIn({ min: 0, max: 2 ** 31 - 1 })),
    issue_type: optional(shortText),
    epic: optional(object({ id: required(integer) })),
  },
  referencedUsers: ({ author, assignees, closed_by }) => [author, closed_by, ...assignees],
  toTitleAndUrl,
  async store(uow, target, issue, users) {
    const { iid, state, labels, confidential } = issue;
    const { author_id, text: description } = toAttributedText(uow.actor, users, issue.author, issue.description);
    const isClosed = state === 'closed';
    const timestamps = toTimestamps(issue);
    const result = await importIssue(uow, target.destination.project!, {
      ...{ iid, title: issue.title, description, author_id, labels, confidential },
      assignees: mapUserIds(users, issue.assignees),
      issue_type: toIssueType(issue.issue_type),
      discussion_locked: issue.discussion_locked ?? null,
      due_date: issue.due_date ?? null,
      weight: issue.weight ?? null,
      milestone: issue.milestone?.title ?? null,
      epic_id: issue.epic == null ? null : await findStoredObject(uow, target, 'epic', issue.epic.id),
      importedState: {
        state,
        closed_at: isClosed ? (issue.closed_at ?? timestamps.updated_at) : null,
        closed_by_id: isClosed ? users.getLocalUserId(issue.closed_by) : null,
        ...timestamps,
      },
    });
    return isFailure(result) ? result : result.id;
  },
  children: [createNotesRelation('Issue', 'issues')],
});

const ISSUE_TYPES: readonly string[] = ['issue', 'incident', 'task', 'test_case'] satisfies IssueType[];

/** Returns the issue type; `issue` for a type that Hearth does not know. */
const toIssueType = (type: string | null | undefined) =>
  ISSUE_TYPES.includes(type ?? '') ? (type as IssueType) : 'issue';
