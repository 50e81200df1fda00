import type { Client } from '../api/call.ts';
import type { MergeRequest } from '../api/operations.ts';
import { NO_ROWS, query, queryAll } from '../api/query.ts';
import type { PageActions, PageLocation } from '../page.ts';
import type { Noteable } from './discussion.tsx';
import { can, type ProjectAbilities, type ProjectDetails } from './project-navigation.tsx';
import { readThreadPages } from './timeline.tsx';

/** The activity of a merge request: queries of its timeline, and the API calls of its threads and comments. */

/** The seconds after which the timeline is read again. */
const REFETCH_SECONDS = 5;

/** Returns the read of the threads of a merge request. Visitors may not read them. */
export const mergeRequestThreadQueries = (
  id: string,
  merge_request_iid: string,
  { search, session }: PageLocation,
) => ({
  discussions:
    session.userId === null
      ? NO_ROWS
      : query(
          'GET /projects/:id/merge_requests/:merge_request_iid/discussions',
          { id, merge_request_iid, ...readThreadPages(search).page },
          REFETCH_SECONDS,
        ),
});

/** Returns the other reads of the timeline of a merge request: its events. Visitors may not read them. */
export function mergeRequestEventQueries(id: string, merge_request_iid: string, { search, session }: PageLocation) {
  const path = { id, merge_request_iid };
  const { previous } = readThreadPages(search);
  return session.userId === null
    ? { previous: NO_ROWS, states: NO_ROWS, labels: NO_ROWS, milestones: NO_ROWS }
    : {
        previous:
          previous === null
            ? NO_ROWS
            : query('GET /projects/:id/merge_requests/:merge_request_iid/discussions', { ...path, ...previous }),
        states: queryAll('GET /projects/:id/merge_requests/:merge_request_iid/resource_state_events', path),
        labels: queryAll('GET /projects/:id/merge_requests/:merge_request_iid/resource_label_events', path),
        milestones: queryAll('GET /projects/:id/merge_requests/:merge_request_iid/resource_milestone_events', path),
      };
}

/** Returns a merge request as its threads and comments use it. */
export function createMergeRequestNoteable(
  { client, user }: Pick<PageActions, 'client' | 'user'>,
  project: ProjectDetails,
  abilities: ProjectAbilities,
  mergeRequest: MergeRequest,
): Noteable {
  return {
    ...createNoteCalls(client, { id: project.id, merge_request_iid: mergeRequest.iid }),
    mayComment: user !== null && can(abilities, 'create_note'),
    mayWriteInternally: can(abilities, 'read_internal_note'),
    mayChangeAll: can(abilities, 'change_note'),
    mayResolveAll: can(abilities, 'resolve_note') || isOwnMergeRequest(user, mergeRequest),
    project: project.path_with_namespace,
  };
}

/** Returns whether the user is the author or an assignee: they may change the texts and the state without a role. */
export const isOwnMergeRequest = (user: PageActions['user'], { author, assignees }: MergeRequest): boolean =>
  user !== null && [author, ...assignees].some(({ id }) => id === user.id);

function createNoteCalls(client: Client, path: { readonly id: number; readonly merge_request_iid: number }) {
  return {
    createNote: (body: string, internal: boolean) =>
      client.call('POST /projects/:id/merge_requests/:merge_request_iid/notes', { ...path, body, internal }),
    createDiscussion: (body: string) =>
      client.call('POST /projects/:id/merge_requests/:merge_request_iid/discussions', { ...path, body }),
    reply: (discussion_id: string, body: string) =>
      client.call('POST /projects/:id/merge_requests/:merge_request_iid/discussions/:discussion_id/notes', {
        ...path,
        discussion_id,
        body,
      }),
    updateNote: (note_id: number, body: string) =>
      client.call('PUT /projects/:id/merge_requests/:merge_request_iid/notes/:note_id', { ...path, note_id, body }),
    deleteNote: (note_id: number) =>
      client.call('DELETE /projects/:id/merge_requests/:merge_request_iid/notes/:note_id', { ...path, note_id }),
    resolve: (discussion_id: string, resolved: boolean) =>
      client.call('PUT /projects/:id/merge_requests/:merge_request_iid/discussions/:discussion_id', {
        ...path,
        discussion_id,
        resolved,
      }),
  };
}
