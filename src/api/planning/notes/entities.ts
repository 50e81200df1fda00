import { Type } from 'typebox';
import { stillThere } from '../../../access/gone.ts';
import { prepareForIds } from '../../../database/prepare.ts';
import { moment, nullable, shape } from '../../../http/endpoint/answers.ts';
import { entity, type Showing } from '../../../http/endpoint/entity.ts';
import { UserBasic, usersById } from '../../identity/users/index.ts';
import type { NoteRow } from './store.ts';

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

// index: issues primary key
const issuesOf = prepareForIds((db, ids) =>
  db.selectFrom('issues').select(['id', 'iid', 'project_id']).where('id', 'in', ids),
);

/** What notes need beside their rows: who wrote them, and on what. */
async function beside(notes: readonly NoteRow[], { db }: Showing) {
  const ids = notes.flatMap(({ issue_id }) => issue_id ?? []);
  const [users, issues] = await Promise.all([
    usersById(
      db,
      notes.map(({ author_id }) => author_id),
    ),
    issuesOf(db, [...new Set(ids)]),
  ]);
  return { users, issues: new Map(issues.map((issue) => [issue.id, issue])) };
}

export const Note = entity('Note', noteFields).from(beside, (note: NoteRow, to, { users, issues }) => {
  const issue = issues.get(note.issue_id ?? 0);
  return {
    id: note.id,
    type: note.type,
    body: note.body,
    author: UserBasic.one(stillThere(users.get(note.author_id)), to),
    created_at: note.created_at,
    updated_at: note.updated_at,
    system: note.system,
    noteable_id: note.issue_id,
    noteable_type: 'Issue',
    project_id: issue?.project_id ?? null,
    resolvable: false,
    confidential: note.internal,
    internal: note.internal,
    imported: note.imported_from !== 'none',
    imported_from: note.imported_from,
    noteable_iid: issue?.iid ?? null,
    commands_changes: {},
  };
});
