import type { Client, Loaded } from '../api/call.ts';
import type { Discussion, EpicDetails, LabelEvent, StateEvent } from '../api/operations.ts';
import { callAll, joinEtags, NO_ROWS, type Query, queryAll } from '../api/query.ts';
import type { PageLocation } from '../page.ts';
import type { Noteable } from './discussion.tsx';
import { readThreadPages } from './timeline.tsx';

/** The seconds after which an epic is read again. */
const REFETCH_SECONDS = 30;

/** An epic with its timeline. */
interface EpicWithActivity {
  readonly epic: EpicDetails;
  readonly discussions: Loaded<readonly Discussion[]>;
  /** The last thread of the page before. */
  readonly previous: Loaded<readonly Discussion[]>;
  readonly states: Loaded<readonly StateEvent[]>;
  readonly labels: Loaded<readonly LabelEvent[]>;
}

/** Returns the reads of the page of an epic. Visitors may read neither its issues nor its timeline. */
export const epicQueries = (id: string, epic_iid: string, location: PageLocation) => ({
  activity: activityQuery(id, epic_iid, location),
  issues:
    location.session.userId === null ? NO_ROWS : queryAll('GET /groups/:id/epics/:epic_iid/issues', { id, epic_iid }),
  // An epic itself has neither its children nor the colours of its labels.
  epics: queryAll('GET /groups/:id/epics', { id, with_labels_details: true, include_ancestor_groups: true }),
  awards: queryAll('GET /groups/:id/epics/:epic_iid/award_emoji', { id, epic_iid }),
});

/** Declares the read of an epic and its timeline: the address has its number, but its discussions and events take its id. */
const activityQuery = (id: string, epic_iid: string, { search, session }: PageLocation): Query<EpicWithActivity> => ({
  refetchSeconds: REFETCH_SECONDS,
  load: async (client) => {
    const epic = await client.call('GET /groups/:id/epics/:epic_iid', { id, epic_iid });
    if (session.userId === null) {
      const none = await NO_ROWS.load(client);
      return { ...epic, value: { epic: epic.value, discussions: none, previous: none, states: none, labels: none } };
    }
    const path = { id, epic_id: epic.value.id };
    const pages = readThreadPages(search);
    const [discussions, previous, states, labels] = await Promise.all([
      client.call('GET /groups/:id/epics/:epic_id/discussions', { ...path, ...pages.page }),
      pages.previous === null
        ? NO_ROWS.load(client)
        : client.call('GET /groups/:id/epics/:epic_id/discussions', { ...path, ...pages.previous }),
      callAll(client, 'GET /groups/:id/epics/:epic_id/resource_state_events', path),
      callAll(client, 'GET /groups/:id/epics/:epic_id/resource_label_events', path),
    ]);
    return {
      ...epic,
      value: { epic: epic.value, discussions, previous, states, labels },
      etag: joinEtags([epic, discussions, states, labels]),
    };
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
