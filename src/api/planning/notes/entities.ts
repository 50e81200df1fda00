import { Type } from 'typebox';
import { stillThere } from '../../../access/gone.ts';
import { textsOf } from '../../../database/long-texts.ts';
import { prepareForIds } from '../../../database/prepare.ts';
import { resourceOfRow } from '../../../history/index.ts';
import { moment, nullable, shape } from '../../../http/endpoint/answers.ts';
import { entity, type Showing } from '../../../http/endpoint/entity.ts';
import { UserBasic, usersById } from '../../identity/users/index.ts';
import type { NoteListed } from './store.ts';

/** A note (contract/planning.md §1 "Note"). */

export const noteFields = {
  id: Type.Integer(),
  type: nullable(Type.String()),
  body: Type.String(),
  author: UserBasic.schema,
  created_at: moment,
  updated_at: moment,
  system: Type.Boolean(),
  noteable_id: nullable(Type.Integer()),
  noteable_type: Type.String(),
  project_id: nullable(Type.Integer()),
  resolvable: Type.Boolean(),
  confidential: Type.Boolean(),
  internal: Type.Boolean(),
  imported: Type.Boolean(),
  imported_from: Type.String(),
  noteable_iid: nullable(Type.Integer()),
  /** Of what its quick actions changed: none are done yet. */
  commands_changes: shape('NoteCommandsChanges', {}),
};

const placesOf = (things: 'issues' | 'merge_requests') =>
  prepareForIds((db, ids) => db.selectFrom(things).select(['id', 'iid', 'project_id']).where('id', 'in', ids));

// index: issues primary key
const issuesAt = placesOf('issues');
// index: merge_requests primary key
const mergeRequestsAt = placesOf('merge_requests');

const bodiesOf = textsOf('notes', 'body');

/** What notes need beside their rows: what they say, who wrote them, and on what. Epics are in no project, and tell no number. */
async function beside(notes: readonly NoteListed[], { db }: Showing) {
  const ids = (column: 'issue_id' | 'merge_request_id') => [...new Set(notes.flatMap((note) => note[column] ?? []))];
  const [users, issues, mergeRequests, bodies] = await Promise.all([
    usersById(
      db,
      notes.map(({ author_id }) => author_id),
    ),
    issuesAt(db, ids('issue_id')),
    mergeRequestsAt(db, ids('merge_request_id')),
    bodiesOf(
      db,
      notes.map(({ id }) => id),
    ),
  ]);
  const byId = (places: typeof issues) => new Map(places.map((place) => [place.id, place]));
  return { users, bodies, places: { Issue: byId(issues), MergeRequest: byId(mergeRequests), Epic: byId([]) } };
}

export const Note = entity('Note', noteFields).from(beside, (note: NoteListed, to, { users, places, bodies }) => {
  const { type: noteable_type, id: noteable_id } = resourceOfRow(note);
  const place = places[noteable_type].get(noteable_id);
  return {
    id: note.id,
    type: note.type,
    body: bodies.get(note.id) ?? '',
    author: UserBasic.one(stillThere(users.get(note.author_id)), to),
    created_at: note.created_at,
    updated_at: note.updated_at,
    system: note.system,
    noteable_id,
    noteable_type,
    project_id: place?.project_id ?? null,
    resolvable: false,
    confidential: note.internal,
    internal: note.internal,
    imported: note.imported_from !== 'none',
    imported_from: note.imported_from,
    noteable_iid: place?.iid ?? null,
    commands_changes: {},
  };
});
