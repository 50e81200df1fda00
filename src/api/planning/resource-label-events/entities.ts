import { Type } from 'typebox';
import { entity } from '#http/endpoint/entity.ts';
import { nullable } from '#http/endpoint/responses.ts';
import { LabelBasic, labelsByIds } from '../labels/index.ts';
import { shownStep, stepFields, stepUsers } from '../noteables/index.ts';
import type { LabelEventRow } from './store.ts';

/** contract/planning.md §1 "LabelEvent"; the label is shown as it is now. */
export const LabelEvent = entity('LabelEvent', {
  ...stepFields,
  /** Null once it is deleted. */
  label: nullable(LabelBasic.schema),
  action: Type.Enum(['add', 'remove']),
}).from(
  async (rows: readonly LabelEventRow[], to) => {
    const ids = [...new Set(rows.flatMap(({ label_id }) => label_id ?? []))];
    const [users, labels] = await Promise.all([stepUsers(to.db, rows), labelsByIds(to.db, ids)]);
    const shown = await LabelBasic.serializeAll(labels, to);
    return { users, labels: new Map(shown.map((label) => [label.id, label])) };
  },
  (row, to, { users, labels }) => ({
    ...shownStep(row, to, users),
    label: labels.get(row.label_id ?? 0) ?? null,
    action: row.action,
  }),
);
