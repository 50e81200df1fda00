import { Type } from 'typebox';
import { entity } from '#http/endpoint/entity.ts';
import { nullable } from '#http/endpoint/responses.ts';
import { LabelBasic, loadLabelsByIds } from '../labels/index.ts';
import { loadEventUsers, resourceEventFields, serializeResourceEvent } from '../noteables/index.ts';
import type { LabelEventRow } from './store.ts';

/** A label event with the current state of its label (contract/planning.md §1 "LabelEvent"). */
export const LabelEvent = entity('LabelEvent', {
  ...resourceEventFields,
  /** Null if deleted. */
  label: nullable(LabelBasic.schema),
  action: Type.Enum(['add', 'remove']),
}).from(
  async (rows: readonly LabelEventRow[], context) => {
    const ids = [...new Set(rows.flatMap(({ label_id }) => label_id ?? []))];
    const [users, labels] = await Promise.all([loadEventUsers(context.db, rows), loadLabelsByIds(context.db, ids)]);
    const labelJsons = await LabelBasic.serializeAll(labels, context);
    return { users, labelsById: new Map(labelJsons.map((label) => [label.id, label])) };
  },
  (row, context, { users, labelsById }) => ({
    ...serializeResourceEvent(row, context, users),
    label: labelsById.get(row.label_id ?? 0) ?? null,
    action: row.action,
  }),
);
