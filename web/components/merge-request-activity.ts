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

/** Returns the reads of the timeline of a merge request. Visitors may read only its reactions. */
export function mergeRequestActivityQueries(id: string, merge_request_iid: string, { search, session }: PageLocation) {
  const path = { id, merge_request_iid };
  const isVisitor = session.userId === null;
  const { page, previous } = readThreadPages(search);
  return {
    awards: queryAll('GET /projects/:id/merge_requests/:merge_request_iid/award_emoji', path, REFETCH_SECONDS),
    discussions: isVisitor
      ? NO_ROWS
      : query('GET /projects/:id/merge_requests/:merge_request_iid/discussions', { ...path, ...page }, REFETCH_SECONDS),
    previous:
      isVisitor || previous === null
        ? NO_ROWS
        : query('GET /projects/:id/merge_requests/:merge_request_iid/discussions', { ...path, ...previous }),
    states: isVisitor
      ? NO_ROWS
      : queryAll('GET /projects/:id/merge_requests/:merge_request_iid/resource_state_events', path, REFETCH_SECONDS),
    labels: isVisitor
      ? NO_ROWS
      : queryAll('GET /projects/:id/merge_requests/:merge_request_iid/resource_label_events', path, REFETCH_SECONDS),
    milestones: isVisitor
      ? NO_ROWS
      : queryAll(
          'GET /projects/:id/merge_requests/:merge_request_iid/resource_milestone_events',
          path,
          REFETCH_SECONDS,
        ),
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
