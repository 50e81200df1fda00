import { type Static, Type } from 'typebox';
import { date, dateTime, nullable, objectSchema } from '#http/endpoint/responses.ts';

// The attributes that quick actions change, and their values in responses.

const id = Type.Integer();
const ids = Type.Array(id);

const fields = {
  state_event: Type.Enum(['close', 'reopen']),
  title: Type.String(),
  add_label_ids: ids,
  remove_label_ids: ids,
  label_ids: ids,
  assignee_ids: ids,
  reviewer_ids: ids,
  milestone_id: nullable(id),
  iteration: nullable(id),
  due_date: nullable(date),
  weight: nullable(Type.Integer()),
  epic: nullable(id),
  canonical_issue_id: Type.Integer({ description: 'Global ID of the issue of which this one is a duplicate.' }),
  confidential: Type.Boolean(),
  time_estimate: Type.Integer(),
  spend_time: objectSchema('SpentByCommand', {
    duration: nullable(Type.Integer({ description: 'In seconds; null removes all spent time.' })),
    user_id: id,
    spent_at: nullable(dateTime),
  }),
  todo_event: Type.Enum(['add', 'done']),
  subscription_event: Type.Enum(['subscribe', 'unsubscribe']),
  discussion_locked: Type.Boolean(),
  emoji_award: Type.String(),
  target_branch: Type.String(),
  tag_name: Type.String(),
  tag_message: nullable(Type.String()),
  merge: Type.String({ description: 'SHA of the head that is merged.' }),
  rebase: Type.Boolean(),
  wip_event: Type.Enum(['draft', 'ready']),
};

type Fields = typeof fields;

/** The changes made by quick actions. Each field is present if a command has set it. */
export const NoteCommandsChanges = objectSchema(
  'NoteCommandsChanges',
  Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)])) as unknown as {
    [Name in keyof Fields]: ReturnType<typeof Type.Optional<Fields[Name]>>;
  },
);

/** The changes made by quick actions, while they are collected. */
export type QuickActionChanges = { -readonly [Name in keyof Fields]?: Static<Fields[Name]> };
