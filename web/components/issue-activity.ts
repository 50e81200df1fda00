import type { Client } from '../api/call.ts';
import { NO_ROWS, query, queryAll } from '../api/query.ts';
import type { PageLocation } from '../page.ts';
import type { Noteable } from './discussion.tsx';
import { readThreadPages } from './timeline.tsx';

/** The activity of an issue: queries of its timeline, and the API calls of its threads and comments. */

/** The seconds after which the comments are read again; the page also follows changes of the issue. */
const REFETCH_SECONDS = 5;

/** Returns the reads of the timeline of an issue. Visitors may read only its reactions. */
export const issueActivityQueries = (id: string, issue_iid: string, { search, session }: PageLocation) => ({
  awards: queryAll('GET /projects/:id/issues/:issue_iid/award_emoji', { id, issue_iid }),
  ...(session.userId === null
    ? {
        discussions: NO_ROWS,
        previous: NO_ROWS,
        states: NO_ROWS,
        labels: NO_ROWS,
        milestones: NO_ROWS,
        weights: NO_ROWS,
      }
    : timelineQueries({ id, issue_iid }, search)),
});

function timelineQueries(issue: { readonly id: string; readonly issue_iid: string }, search: URLSearchParams) {
  const { page, previous } = readThreadPages(search);
  return {
    discussions: query('GET /projects/:id/issues/:issue_iid/discussions', { ...issue, ...page }, REFETCH_SECONDS),
    previous:
      previous === null ? NO_ROWS : query('GET /projects/:id/issues/:issue_iid/discussions', { ...issue, ...previous }),
    states: queryAll('GET /projects/:id/issues/:issue_iid/resource_state_events', issue),
    labels: queryAll('GET /projects/:id/issues/:issue_iid/resource_label_events', issue),
    milestones: queryAll('GET /projects/:id/issues/:issue_iid/resource_milestone_events', issue),
    weights: queryAll('GET /projects/:id/issues/:issue_iid/resource_weight_events', issue),
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
