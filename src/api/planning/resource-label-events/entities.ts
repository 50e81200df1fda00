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
    const serialized = await LabelBasic.serializeAll(labels, context);
    return { users, labels: new Map(serialized.map((label) => [label.id, label])) };
  },
  (row, context, { users, labels }) => ({
    ...serializeResourceEvent(row, context, users),
    label: labels.get(row.label_id ?? 0) ?? null,
    action: row.action,
  }),
);
