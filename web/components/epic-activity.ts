import type { Client, Loaded } from '../api/call.ts';
import type { Discussion, EpicDetails } from '../api/operations.ts';
import { joinEtags, NO_ROWS, type Query, query, queryAll } from '../api/query.ts';
import type { PageLocation } from '../page.ts';
import type { Noteable } from './discussion.tsx';
import { readThreadPages } from './timeline.tsx';

/** The seconds after which an epic is read again. */
const REFETCH_SECONDS = 30;

/** An epic with its threads. */
interface EpicWithThreads {
  readonly epic: EpicDetails;
  readonly discussions: Loaded<readonly Discussion[]>;
}

/** Returns the first reads of the page of an epic. Visitors may read neither its issues nor its timeline. */
export const epicQueries = (id: string, epic_iid: string, location: PageLocation) => ({
  threads: threadsQuery(id, epic_iid, location),
  issues:
    location.session.userId === null ? NO_ROWS : queryAll('GET /groups/:id/epics/:epic_iid/issues', { id, epic_iid }),
});

/** Returns the other reads of the page of an epic. */
export function epicLaterQueries(id: string, epic: EpicDetails, { search, session }: PageLocation) {
  const path = { id, epic_id: epic.id };
  const { previous } = readThreadPages(search);
  return {
    // An epic itself has neither its children nor the colours of its labels.
    epics: queryAll('GET /groups/:id/epics', { id, with_labels_details: true, include_ancestor_groups: true }),
    awards: queryAll('GET /groups/:id/epics/:epic_iid/award_emoji', { id, epic_iid: epic.iid }),
    ...(session.userId === null
      ? { previous: NO_ROWS, states: NO_ROWS, labels: NO_ROWS }
      : {
          previous:
            previous === null ? NO_ROWS : query('GET /groups/:id/epics/:epic_id/discussions', { ...path, ...previous }),
          states: queryAll('GET /groups/:id/epics/:epic_id/resource_state_events', path),
          labels: queryAll('GET /groups/:id/epics/:epic_id/resource_label_events', path),
        }),
  };
}

/** Declares the read of an epic and its threads: the address has its number, but its discussions take its id. */
const threadsQuery = (id: string, epic_iid: string, { search, session }: PageLocation): Query<EpicWithThreads> => ({
  refetchSeconds: REFETCH_SECONDS,
  load: async (client) => {
    const epic = await client.call('GET /groups/:id/epics/:epic_iid', { id, epic_iid });
    const discussions = await (session.userId === null
      ? NO_ROWS.load(client)
      : client.call('GET /groups/:id/epics/:epic_id/discussions', {
          id,
          epic_id: epic.value.id,
          ...readThreadPages(search).page,
        }));
    return { ...epic, value: { epic: epic.value, discussions }, etag: joinEtags([epic, discussions]) };
  },
});

/** Returns an epic as its threads and comments use it. */
export function createEpicNoteable(
  client: Client,
  epic: { readonly id: number; readonly epic_id: number },
  access: Pick<Noteable, 'mayComment' | 'mayWriteInternally' | 'mayChangeAll' | 'mayResolveAll'>,
): Noteable {
  return {
    ...access,
    project: null,
    createNote: (body, internal) => client.call('POST /groups/:id/epics/:epic_id/notes', { ...epic, body, internal }),
    createDiscussion: (body) => client.call('POST /groups/:id/epics/:epic_id/discussions', { ...epic, body }),
    reply: (discussion_id, body) =>
      client.call('POST /groups/:id/epics/:epic_id/discussions/:discussion_id/notes', {
        ...epic,
        discussion_id,
        body,
      }),
    updateNote: (note_id, body) =>
      client.call('PUT /groups/:id/epics/:epic_id/notes/:note_id', { ...epic, note_id, body }),
    deleteNote: (note_id) => client.call('DELETE /groups/:id/epics/:epic_id/notes/:note_id', { ...epic, note_id }),
    resolve: (discussion_id, resolved) =>
      client.call('PUT /groups/:id/epics/:epic_id/discussions/:discussion_id', { ...epic, discussion_id, resolved }),
  };
}
