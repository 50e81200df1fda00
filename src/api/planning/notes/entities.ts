import { type Static, Type } from 'typebox';
import { notedOfRow } from '#activity/index.ts';
import { UserBasic, usersById } from '#api/identity/users/index.ts';
import { textsOf } from '#database/long-texts.ts';
import { prepareForIds } from '#database/prepare.ts';
import { stillThere } from '#domain/row-deleted.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { dateTime, nullable } from '#http/endpoint/responses.ts';
import { type Changes, CommandsChanges } from '../quick-actions/index.ts';
import { Position } from './position.ts';
import type { NoteListed } from './store.ts';
import { isResolvable } from './threads.ts';

/** A note (contract/planning.md §1 "Note"). */

export const noteFields = {
  id: Type.Integer(),
  type: nullable(Type.String()),
  body: Type.String(),
  author: UserBasic.schema,
  created_at: dateTime,
  updated_at: dateTime,
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
  /** Of the answer to whoever says it just now: what its quick actions have changed. */
  commands_changes: CommandsChanges,
  /** Of those that can be resolved. */
  resolved: Type.Optional(Type.Boolean()),
  resolved_by: Type.Optional(nullable(UserBasic.schema)),
  resolved_at: Type.Optional(nullable(dateTime)),
  /** Of those in a diff. */
  position: Type.Optional(Position),
  /** Of those in the diff of a merge request: the commit whose own diff it is; nobody suggests changes. */
  commit_id: Type.Optional(nullable(Type.String())),
  suggestions: Type.Optional(Type.Array(Type.Never())),
};

interface PlaceOfNotes {
  readonly id: number;
  readonly iid: number | null;
  readonly project_id: number;
}

const placesOf = (things: 'issues' | 'merge_requests') =>
  prepareForIds((db, ids) => db.selectFrom(things).select(['id', 'iid', 'project_id']).where('id', 'in', ids));

// index: issues primary key
const issuesAt = placesOf('issues');
// index: merge_requests primary key
const mergeRequestsAt = placesOf('merge_requests');

// index: commented_commits primary key
const commitsAt = prepareForIds((db, ids) =>
  db.selectFrom('commented_commits').select(['id', 'project_id']).where('id', 'in', ids),
);

const bodiesOf = textsOf('notes', 'body');

/** What notes need beside their rows: what they say, who wrote them, and on what. Epics are in no project, and tell no number. */
async function beside(notes: readonly NoteListed[], { db }: SerializationContext) {
  const ids = (column: 'issue_id' | 'merge_request_id' | 'commented_commit_id') => [
    ...new Set(notes.flatMap((note) => note[column] ?? [])),
  ];
  const [users, issues, mergeRequests, commits, bodies] = await Promise.all([
    usersById(
      db,
      notes.flatMap(({ author_id, resolved_by_id }) => [author_id, resolved_by_id]),
    ),
    issuesAt(db, ids('issue_id')),
    mergeRequestsAt(db, ids('merge_request_id')),
    commitsAt(db, ids('commented_commit_id')),
    bodiesOf(
      db,
      notes.map(({ id }) => id),
    ),
  ]);
  const byId = (places: readonly PlaceOfNotes[]) => new Map(places.map((place) => [place.id, place]));
  const unnumbered = commits.map((commit) => ({ ...commit, iid: null }));
  return {
    users,
    bodies,
    places: { Issue: byId(issues), MergeRequest: byId(mergeRequests), Epic: byId([]), Commit: byId(unnumbered) },
  };
}

type NoteShown = NoteListed & { readonly changes?: Changes };

export const Note = entity('Note', noteFields).from(beside, (note: NoteShown, to, { users, places, bodies }) => {
  const { type: noteable_type, id: noteable_id } = notedOfRow(note);
  const place = places[noteable_type].get(noteable_id);
  return {
    id: note.id,
    type: note.type,
    body: bodies.get(note.id) ?? '',
    author: UserBasic.serialize(stillThere(users.get(note.author_id)), to),
    created_at: note.created_at,
    updated_at: note.updated_at,
    system: note.system,
    noteable_id: noteable_type === 'Commit' ? null : noteable_id,
    noteable_type,
    project_id: place?.project_id ?? null,
    resolvable: isResolvable(note),
    confidential: note.internal,
    internal: note.internal,
    imported: note.imported_from !== 'none',
    imported_from: note.imported_from,
    noteable_iid: place?.iid ?? null,
    commands_changes: note.changes ?? {},
    ...resolutionOf(note, to, users),
    ...placeInDiff(note),
  };
});

/** Three keys more, of what can be resolved. */
function resolutionOf(note: NoteListed, to: SerializationContext, users: Awaited<ReturnType<typeof usersById>>) {
  if (!isResolvable(note)) return {};
  const by = users.get(note.resolved_by_id ?? 0);
  const resolved_by = by === undefined ? null : UserBasic.serialize(by, to);
  return { resolved: note.resolved_at !== null, resolved_by, resolved_at: note.resolved_at };
}

function placeInDiff({ position, merge_request_id, commit_sha }: NoteListed) {
  if (position === null) return {};
  const place = { position: JSON.parse(position) as Static<typeof Position> };
  return merge_request_id === null ? place : { ...place, commit_id: commit_sha, suggestions: [] };
}
