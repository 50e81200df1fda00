import { Type } from 'typebox';
import { entity } from '#http/endpoint/entity.ts';
import { date, dateTime, nullable } from '#http/endpoint/responses.ts';
import { requireRow } from '#runtime/failure.ts';
import { getIterationState, type IterationRow, loadIterationRelations } from './store.ts';

/** An iteration (contract/planning.md §1 "Iteration"). */
export const Iteration = entity('Iteration', {
  id: Type.Integer(),
  iid: Type.Integer(),
  sequence: Type.Integer({ description: 'Position in its cadence by start date, from 1.' }),
  group_id: Type.Integer(),
  title: nullable(Type.String({ description: 'Null in automatic cadences.' })),
  description: nullable(Type.String()),
  state: Type.Integer({ description: '1 upcoming, 2 current, 3 closed.' }),
  created_at: dateTime,
  updated_at: dateTime,
  start_date: date,
  due_date: date,
  web_url: Type.String(),
})
  .columns('id', 'iid', 'group_id', 'title', 'description', 'created_at', 'updated_at', 'start_date', 'due_date')
  .from(
    (rows: readonly IterationRow[], { db }) => loadIterationRelations(db, rows),
    (row, context, { sequencesById, groupPathsById }) => ({
      sequence: requireRow(sequencesById.get(row.id)),
      state: getIterationState(row, context.db.today),
      web_url: `${context.url}/groups/${requireRow(groupPathsById.get(row.group_id))}/-/iterations/${row.id}`,
    }),
  );
