import type { Client } from '../api/call.ts';
import type { Issue } from '../api/operations.ts';
import { NO_ROWS, query, queryAll } from '../api/query.ts';
import type { PageLocation } from '../page.ts';
import type { Noteable } from './discussion.tsx';
import { readThreadPages } from './timeline.tsx';

/** The activity of an issue: queries of its timeline, and the API calls of its threads and comments. */

/** The seconds after which the comments are read again; the page also follows changes of the issue. */
const REFETCH_SECONDS = 5;

/** Returns the read of the threads of an issue. Visitors may not read them. */
export const issueThreadQueries = (id: string, issue_iid: string, { search, session }: PageLocation) => ({
  discussions:
    session.userId === null
      ? NO_ROWS
      : query(
          'GET /projects/:id/issues/:issue_iid/discussions',
          { id, issue_iid, ...readThreadPages(search).page },
          REFETCH_SECONDS,
        ),
});

/** Returns the other reads of the timeline of an issue: its events. Visitors may not read them. */
export function issueEventQueries(id: string, { iid, weight }: Issue, { search, session }: PageLocation) {
  const issue = { id, issue_iid: iid };
  const { previous } = readThreadPages(search);
  return session.userId === null
    ? { previous: NO_ROWS, states: NO_ROWS, labels: NO_ROWS, milestones: NO_ROWS, weights: NO_ROWS }
    : {
        previous:
          previous === null
            ? NO_ROWS
            : query('GET /projects/:id/issues/:issue_iid/discussions', { ...issue, ...previous }),
        states: queryAll('GET /projects/:id/issues/:issue_iid/resource_state_events', issue),
        labels: queryAll('GET /projects/:id/issues/:issue_iid/resource_label_events', issue),
        milestones: queryAll('GET /projects/:id/issues/:issue_iid/resource_milestone_events', issue),
        // The free tier has no weights.
        weights:
          weight === undefined
            ? NO_ROWS
            : queryAll('GET /projects/:id/issues/:issue_iid/resource_weight_events', issue),
      };
}

/** Returns an issue as its threads and comments use it. */
export function createIssueNoteable(
  client: Client,
  id: string,
  issue_iid: string,
  access: Omit<Noteable, 'createNote' | 'createDiscussion' | 'reply' | 'updateNote' | 'deleteNote' | 'resolve'>,
): Noteable {
  const issue = { id, issue_iid };
  return {
    ...access,
    createNote: (body, internal) =>
      client.call('POST /projects/:id/issues/:issue_iid/notes', { ...issue, body, internal }),
    createDiscussion: (body) => client.call('POST /projects/:id/issues/:issue_iid/discussions', { ...issue, body }),
    reply: (discussion_id, body) =>
      client.call('POST /projects/:id/issues/:issue_iid/discussions/:discussion_id/notes', {
        ...issue,
        discussion_id,
        body,
      }),
    updateNote: (note_id, body) =>
      client.call('PUT /projects/:id/issues/:issue_iid/notes/:note_id', { ...issue, note_id, body }),
    deleteNote: (note_id) =>
      client.call('DELETE /projects/:id/issues/:issue_iid/notes/:note_id', { ...issue, note_id }),
    resolve: (discussion_id, resolved) =>
      client.call('PUT /projects/:id/issues/:issue_iid/discussions/:discussion_id', {
        ...issue,
        discussion_id,
        resolved,
      }),
  };
}
