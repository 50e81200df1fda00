import { importIssue, issuesLockKey } from '#api/planning/issues/index.ts';
import type { IssueType } from '#database/tables/issues.ts';
import { object, optional, required } from '#http/parameters/declarations.ts';
import { title } from '#http/parameters/texts.ts';
import { boolean, date, dateTime, integer, integerIn, oneOf } from '#http/parameters/types.ts';
import { isFailure } from '#runtime/failure.ts';
import { notesOf } from './notes.ts';
import { relation, storedAs } from './relation.ts';
import { importProblemOf, labelTitles, numbered, times, timesOf } from './shared-fields.ts';
import { asWritten, known, sourceUser, sourceUsers } from './source-users.ts';

/** Issues with their notes. */
export const issues = relation({
  name: 'issues',
  kind: 'issue',
  counted: true,
  list: { project: ({ id }) => `/projects/${id}/issues?scope=all&state=all&order_by=created_at&sort=asc` },
  turn: ({ place }) => issuesLockKey(place.project!),
  fields: {
    ...numbered,
    ...times,
    state: required(oneOf('opened', 'closed')),
    closed_at: optional(dateTime),
    closed_by: optional(sourceUser),
    labels: labelTitles,
    milestone: optional(object({ title: required(title) })),
    author: optional(sourceUser),
    assignees: sourceUsers,
    confidential: optional(boolean, false),
    discussion_locked: optional(boolean),
    due_date: optional(date),
    weight: optional(integerIn({ min: 0, max: 2 ** 31 - 1 })),
    issue_type: optional(title),
    epic: optional(object({ id: required(integer) })),
  },
  people: ({ author, assignees, closed_by }) => [author, closed_by, ...assignees],
  told: importProblemOf,
  async store(uow, target, issue, users) {
    const { iid, state, labels, confidential } = issue;
    const { author_id, text: description } = asWritten(uow.actor, users, issue.author, issue.description);
    const isClosed = state === 'closed';
    const moments = timesOf(issue);
    const made = await importIssue(uow, target.place.project!, {
      ...{ iid, title: issue.title, description, author_id, labels, confidential },
      assignees: known(users, issue.assignees),
      issue_type: typeOf(issue.issue_type),
      discussion_locked: issue.discussion_locked ?? null,
      due_date: issue.due_date ?? null,
      weight: issue.weight ?? null,
      milestone: issue.milestone?.title ?? null,
      epic_id: issue.epic == null ? null : await storedAs(uow, target, 'epic', issue.epic.id),
      importedState: {
        state,
        closed_at: isClosed ? (issue.closed_at ?? moments.updated_at) : null,
        closed_by_id: isClosed ? users.of(issue.closed_by) : null,
        ...moments,
      },
    });
    return isFailure(made) ? made : made.id;
  },
  children: [notesOf('Issue', 'issues')],
});

const TYPES: readonly string[] = ['issue', 'incident', 'task', 'test_case'] satisfies IssueType[];

/** What other servers have besides is an issue here. */
const typeOf = (said: string | null | undefined) => (TYPES.includes(said ?? '') ? (said as IssueType) : 'issue');
