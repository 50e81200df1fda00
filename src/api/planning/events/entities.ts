import { Type } from 'typebox';
import { loadUsersById, UserBasic } from '#api/identity/users/index.ts';
import { entity, rawEntity } from '#http/endpoint/entity.ts';
import { dateTime, nullable, objectSchema } from '#http/endpoint/responses.ts';
import { parsePageName } from '#repositories/wikis/page-names.ts';
import { Note } from '../notes/index.ts';
import type { EventWithTarget } from './event-targets.ts';
import type { ActivityEventRow } from './store.ts';

const text = Type.String();
const integer = Type.Integer();

const PushData = objectSchema('PushData', {
  commit_count: integer,
  action: Type.Enum(['created', 'pushed', 'removed']),
  ref_type: Type.Enum(['branch', 'tag']),
  commit_from: nullable(text),
  commit_to: nullable(text),
  ref: nullable(text),
  commit_title: nullable(text),
  ref_count: nullable(Type.Integer({ description: 'Set, in place of `ref`, if one event stands for many refs.' })),
});

/** A note in the shape of the notes endpoints, plus `attachment`. */
const EventNote = objectSchema('EventNote', { ...Note.schema.properties, attachment: Type.Null() });

const EventWikiPage = objectSchema('EventWikiPage', {
  format: text,
  slug: text,
  title: text,
  wiki_page_meta_id: integer,
});

/** An activity event (contract/activity.md "Activity event"). */
export const ActivityEvent = entity('ActivityEvent', {
  id: integer,
  title: Type.Null({ description: 'Always null, for old clients.' }),
  project_id: integer,
  action_name: text,
  target_id: nullable(integer),
  target_iid: nullable(integer),
  target_type: nullable(text),
  author_id: integer,
  target_title: nullable(Type.String({ description: 'The current title of the target.' })),
  data: Type.Null({ description: 'Always null, for old clients.' }),
  created_at: dateTime,
  imported: Type.Boolean(),
  imported_from: text,
  author: Type.Optional(UserBasic.schema),
  // Present for comments.
  note: Type.Optional(EventNote),
  // Present for wiki pages, with their current names; null for deleted pages.
  wiki_page: Type.Optional(nullable(EventWikiPage)),
  // Present for pushes.
  push_data: Type.Optional(PushData),
  author_username: nullable(text),
}).from(
  async (events: readonly EventWithTarget[], context) => {
    const rows = events.flatMap(({ target: { note } }) => note ?? []);
    const [usersById, notes] = await Promise.all([
      loadUsersById(
        context.db,
        events.map(({ event }) => event.author_id),
      ),
      Note.serializeAll(rows, context),
    ]);
    return { usersById, notesById: new Map(notes.map((note) => [note.id, note])) };
  },
  ({ event, target }, context, { usersById, notesById }) => {
    const author = usersById.get(event.author_id);
    const note = notesById.get(target.note?.id ?? 0);
    return {
      id: event.id,
      title: null,
      project_id: event.project_id,
      action_name: event.action_name,
      target_id: event.target_id,
      target_iid: event.target_iid,
      target_type: event.target_type,
      author_id: event.author_id,
      target_title: target.title,
      data: null,
      created_at: event.created_at,
      imported: event.imported_from !== 'none',
      imported_from: event.imported_from,
      ...(author === undefined ? {} : { author: UserBasic.serialize(author, context) }),
      ...(note === undefined ? {} : { note: { ...note, attachment: null } }),
      ...serializeWikiPage(target),
      ...serializePushData(event),
      author_username: author?.username ?? null,
    };
  },
);

function serializeWikiPage({ wikiPage }: EventWithTarget['target']) {
  if (wikiPage === undefined) return {};
  const pageName = wikiPage?.path == null ? null : parsePageName(wikiPage.path);
  if (wikiPage === null || pageName === null) return { wiki_page: null };
  const { format, slug, title } = pageName;
  return { wiki_page: { format, slug, title, wiki_page_meta_id: wikiPage.id } };
}

function serializePushData(event: ActivityEventRow) {
  const { push_action: action, ref_type, commit_count, commit_from, commit_to, ref, commit_title, ref_count } = event;
  if (action === null || ref_type === null || commit_count === null) return {};
  return { push_data: { commit_count, action, ref_type, commit_from, commit_to, ref, commit_title, ref_count } };
}

/** Numbers of events by day, `YYYY-MM-DD`; days without events are absent. */
export const EventCounts = rawEntity(Type.Record(text, integer, { title: 'EventCounts' }));
