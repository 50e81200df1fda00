import { type Static, Type } from 'typebox';
import { toNoteTarget } from '#activity/index.ts';
import { loadUsersById, UserBasic } from '#api/identity/users/index.ts';
import { createTextLoader } from '#database/long-texts.ts';
import { prepareForIds } from '#database/prepare.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { dateTime, nullable, objectSchema } from '#http/endpoint/responses.ts';
import { requireRow } from '#runtime/failure.ts';
import { isResolvable, type NoteListRow } from '../note-rows/index.ts';
import { NoteCommandsChanges, type QuickActionChanges } from '../quick-actions/index.ts';

// The position of a note in a diff, as its author sent it (contract/planning.md §1 "Note").

const textField = Type.String();
const nullableInteger = nullable(Type.Integer());

const lineEnd = objectSchema('LineRangeEnd', {
  line_code: nullable(textField),
  type: nullable(textField),
  old_line: nullableInteger,
  new_line: nullableInteger,
});

export const Position = objectSchema('Position', {
  base_sha: textField,
  start_sha: textField,
  head_sha: textField,
  old_path: nullable(textField),
  new_path: nullable(textField),
  position_type: Type.Enum(['text', 'image', 'file']),
  // Present in text positions.
  old_line: Type.Optional(nullableInteger),
  new_line: Type.Optional(nullableInteger),
  line_range: Type.Optional(nullable(objectSchema('LineRange', { start: lineEnd, end: lineEnd }))),
  // Present in image positions.
  width: Type.Optional(nullableInteger),
  height: Type.Optional(nullableInteger),
  x: Type.Optional(nullableInteger),
  y: Type.Optional(nullableInteger),
});
export type Position = Static<typeof Position>;

/** Fields of a note (contract/planning.md §1 "Note"). */
const noteFields = {
  id: Type.Integer(),
  type: nullable(Type.String({ description: '`DiscussionNote` or `DiffNote` in a thread; null for a plain comment.' })),
  body: Type.String(),
  author: UserBasic.schema,
  created_at: dateTime,
  updated_at: dateTime,
  system: Type.Boolean({ description: 'Whether the server has written the note about an action of the author.' }),
  noteable_id: nullable(Type.Integer({ description: 'Global ID; null for commits.' })),
  noteable_type: Type.String(),
  project_id: nullable(Type.Integer({ description: 'Null for notes on epics.' })),
  resolvable: Type.Boolean(),
  confidential: Type.Boolean({ description: 'Deprecated: equals `internal`.' }),
  internal: Type.Boolean({ description: 'Whether only callers with at least the Planner role see the note.' }),
  imported: Type.Boolean(),
  imported_from: Type.String(),
  noteable_iid: nullable(Type.Integer({ description: 'Null for notes on epics, commits and snippets.' })),
  /** The changes that the quick actions of this request have made; empty in all other responses. */
  commands_changes: NoteCommandsChanges,
  // Present for resolvable notes.
  resolved: Type.Optional(Type.Boolean()),
  resolved_by: Type.Optional(nullable(UserBasic.schema)),
  resolved_at: Type.Optional(nullable(dateTime)),
  // Present for notes in a diff.
  position: Type.Optional(Position),
  // Present for notes in a merge request diff.
  commit_id: Type.Optional(
    nullable(Type.String({ description: 'The commit, if the diff is that of a single commit.' })),
  ),
  suggestions: Type.Optional(Type.Array(Type.Never(), { description: 'Always empty: suggestions are not supported.' })),
};

interface NoteableRef {
  readonly id: number;
  readonly iid: number | null;
  readonly project_id: number;
}

const createNoteableLoader = (table: 'issues' | 'merge_requests') =>
  prepareForIds((db, ids) => db.selectFrom(table).select(['id', 'iid', 'project_id']).where('id', 'in', ids));

// index: issues primary key
const loadIssues = createNoteableLoader('issues');
// index: merge_requests primary key
const loadMergeRequests = createNoteableLoader('merge_requests');

// index: commented_commits primary key
const loadCommits = prepareForIds((db, ids) =>
  db.selectFrom('commented_commits').select(['id', 'project_id']).where('id', 'in', ids),
);

// index: snippets primary key
const loadSnippets = prepareForIds<{ readonly id: number; readonly project_id: number }>((db, ids) =>
  db.selectFrom('snippets').select(['id', 'project_id']).where('id', 'in', ids).$narrowType<{ project_id: number }>(),
);

const loadBodies = createTextLoader('notes', 'body');

/** Loads bodies, users and noteables of notes. Epics are not loaded: they have no project, and the API omits their iid. */
async function loadRelations(notes: readonly NoteListRow[], { db }: SerializationContext) {
  const collectIds = (column: 'issue_id' | 'merge_request_id' | 'commented_commit_id' | 'snippet_id') => [
    ...new Set(notes.flatMap((note) => note[column] ?? [])),
  ];
  const [users, issues, mergeRequests, commits, snippets, bodies] = await Promise.all([
    loadUsersById(
      db,
      notes.flatMap(({ author_id, resolved_by_id }) => [author_id, resolved_by_id]),
    ),
    loadIssues(db, collectIds('issue_id')),
    loadMergeRequests(db, collectIds('merge_request_id')),
    loadCommits(db, collectIds('commented_commit_id')),
    loadSnippets(db, collectIds('snippet_id')),
    loadBodies(
      db,
      notes.map(({ id }) => id),
    ),
  ]);
  const toMapById = (references: readonly NoteableRef[]) =>
    new Map(references.map((reference) => [reference.id, reference]));
  const toReferenceWithoutIid = (reference: Omit<NoteableRef, 'iid'>) => ({ ...reference, iid: null });
  return {
    users,
    bodies,
    references: {
      Issue: toMapById(issues),
      MergeRequest: toMapById(mergeRequests),
      Epic: toMapById([]),
      Commit: toMapById(commits.map(toReferenceWithoutIid)),
      Snippet: toMapById(snippets.map(toReferenceWithoutIid)),
    },
  };
}

type NoteWithChanges = NoteListRow & { readonly changes?: QuickActionChanges };

export const Note = entity('Note', noteFields)
  .columns('id', 'type', 'created_at', 'updated_at', 'system', 'internal', 'imported_from')
  .from(loadRelations, (note: NoteWithChanges, context, { users, references, bodies }) => {
    const { type: noteable_type, id: noteable_id } = toNoteTarget(note);
    const reference = references[noteable_type].get(noteable_id);
    return {
      body: bodies.get(note.id) ?? '',
      author: UserBasic.serialize(requireRow(users.get(note.author_id)), context),
      noteable_id: noteable_type === 'Commit' ? null : noteable_id,
      noteable_type,
      project_id: reference?.project_id ?? null,
      resolvable: isResolvable(note),
      confidential: note.internal,
      imported: note.imported_from !== 'none',
      noteable_iid: reference?.iid ?? null,
      commands_changes: note.changes ?? {},
      ...serializeResolution(note, context, users),
      ...serializePosition(note),
    };
  });

/** Returns the fields `resolved`, `resolved_by` and `resolved_at` of a resolvable note, else none. */
function serializeResolution(
  note: NoteListRow,
  context: SerializationContext,
  users: Awaited<ReturnType<typeof loadUsersById>>,
) {
  if (!isResolvable(note)) return {};
  const resolver = users.get(note.resolved_by_id ?? 0);
  const resolved_by = resolver === undefined ? null : UserBasic.serialize(resolver, context);
  return { resolved: note.resolved_at !== null, resolved_by, resolved_at: note.resolved_at };
}

function serializePosition({ position, merge_request_id, commit_sha }: NoteListRow) {
  if (position === null) return {};
  const positionField = { position: JSON.parse(position) as Static<typeof Position> };
  return merge_request_id === null ? positionField : { ...positionField, commit_id: commit_sha, suggestions: [] };
}
