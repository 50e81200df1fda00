import { ownReach, type Reach, reachOf } from '../../../access/reach.ts';
import type { AccessCall } from '../../../http/access/access.ts';
import type { InParent } from '../../../http/access/parents.ts';
import { optional, required } from '../../../http/parameters/declarations.ts';
import { text } from '../../../http/parameters/texts.ts';
import { boolean, integer } from '../../../http/parameters/types.ts';
import { notFound } from '../../../http/refusals/refusal.ts';
import { findLabel, findLabelTitled } from './store.ts';

/** Who may see and manage labels, and which label a path or body names (contract/planning.md §3.5). */

export const SEEING = { group: 'read_label', project: 'read_label' } as const;
export const MANAGING = { group: 'admin_label', project: 'admin_label' } as const;

const missing = () => notFound('Label');

/** The label that the path names by id or title, one of a group above too unless that is switched off. */
export const anyLabel = {
  name: 'label',
  params: { label_id: required(text), include_ancestor_groups: optional(boolean, true) },
  find: async (
    { db, params }: AccessCall<{ readonly label_id: string; readonly include_ancestor_groups: boolean }>,
    { parent }: InParent,
  ) => idOrTitle(db, params.include_ancestor_groups ? await reachOf(db, parent) : ownReach(parent), params),
  missing,
} as const;

/** The same, of the project or group itself: those of groups above are changed there. */
export const ownLabel = {
  name: 'label',
  params: { label_id: required(text) },
  find: ({ db, params }: AccessCall<{ readonly label_id: string }>, { parent }: InParent) =>
    idOrTitle(db, ownReach(parent), params),
  missing,
} as const;

/** A label of the project or group itself that the body names. */
export const labelInBody = {
  name: 'label',
  params: { label_id: optional(integer), name: optional(text) },
  find: ({ db, params }: AccessCall<NamedInBody>, { parent }: InParent) =>
    params.label_id == null
      ? findLabelTitled(db, ownReach(parent), params.name ?? '')
      : findLabel(db, ownReach(parent), params.label_id),
  missing,
} as const;

interface NamedInBody {
  readonly label_id?: number | null | undefined;
  readonly name?: string | null | undefined;
}

async function idOrTitle(db: AccessCall['db'], reach: Reach, { label_id: named }: { readonly label_id: string }) {
  const id = /^\d+$/.test(named) ? Number(named) : Number.NaN;
  const byId = Number.isSafeInteger(id) ? await findLabel(db, reach, id) : null;
  return byId ?? findLabelTitled(db, reach, named);
}
