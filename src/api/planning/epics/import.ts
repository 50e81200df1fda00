import { type Epic, findEpic, findEpics } from '#authorization/epics.ts';
import type { EpicState } from '#database/schema.ts';
import { IID_TAKEN, reserveIid } from '#domain/iids.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import { requireRow } from '#domain/row-deleted.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { compactFieldErrors, type Failure, invalid } from '#runtime/failure.ts';
import {
  EPICS,
  IMPORTED_VALUES,
  type ImportedState,
  insertImportedLabels,
  newTextColumns,
  resolveLabels,
  validateTitle,
} from '../issuables/index.ts';
import { parseEpicColor } from './color.ts';
import { validateConfidentiality } from './confidentiality.ts';
import { validateParent } from './parents.ts';
import { insertEpic, updateEpicRow } from './store.ts';

/** An epic exported from another server. */
export interface EpicImport extends ImportedState<EpicState> {
  readonly iid: number;
  readonly title: string;
  readonly description: string | null;
  readonly author_id: number;
  readonly confidential: boolean;
  readonly color: string | null;
  readonly dates_are_fixed: boolean;
  readonly start_date_fixed: string | null;
  readonly due_date_fixed: string | null;
  /** Titles of labels. */
  readonly labels: readonly string[];
}

/** Imports an epic with its original iid and without a parent, without notifications (contract/operations.md §1.4). */
export async function importEpic(
  uow: UnitOfWork,
  group: Group,
  { labels, title, description, color: requestedColor, ...epic }: EpicImport,
): Promise<Epic | Failure<'invalid'>> {
  const { color, errors: colorErrors } = parseEpicColor(requestedColor);
  const errors = compactFieldErrors({ title: validateTitle(title), color: colorErrors });
  if (errors) return invalid(errors);
  if ((await findEpic(uow, group.id, epic.iid)) !== null) return IID_TAKEN;
  await reserveIid(uow, { groupId: group.id }, 'epic', epic.iid);
  const texts = newTextColumns({ title, description });
  const id = await insertEpic(uow, {
    ...epic,
    ...texts,
    ...IMPORTED_VALUES,
    group_id: group.id,
    color,
    parent_id: null,
  });
  await insertImportedLabels(uow, EPICS, id, await resolveLabels(uow, { group }, [], { labels }));
  return requireRow((await findEpics(uow, [id]))[0]);
}

/** Sets the parent of an imported epic, without changing `updated_at`. Does nothing if an epic does not exist or the parent is invalid. */
export async function setImportedParent(uow: UnitOfWork, parentId: number, id: number): Promise<void> {
  const [parent] = await findEpics(uow, [parentId]);
  const [epic] = await findEpics(uow, [id]);
  if (parent === undefined || epic === undefined) return;
  const errors = compactFieldErrors({
    confidential: await validateConfidentiality(uow, epic, { confidential: epic.confidential, parent }),
    parent: await validateParent(uow, id, parentId),
  });
  if (errors === null) await updateEpicRow(uow, id, { parent_id: parentId });
}
