import { type Epic, findEpic, findEpics } from '#authorization/epics.ts';
import type { EpicState } from '#database/tables/epics.ts';
import { IID_TAKEN, reserveIid } from '#domain/iids.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import { stillThere } from '#domain/row-deleted.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fieldErrors, invalid } from '#runtime/failure.ts';
import { EPICS, IMPORTED, labelImported, newTexts, type Past, titleErrors, wishedLabels } from '../issuables/index.ts';
import { wishedColor } from './color.ts';
import { confidentialErrors } from './confidentiality.ts';
import { parentErrors } from './parents.ts';
import { insertEpic, updateEpicRow } from './store.ts';

/** An epic as another server tells of it. */
export interface ImportedEpic extends Past<EpicState> {
  readonly iid: number;
  readonly title: string;
  readonly description: string | null;
  readonly author_id: number;
  readonly confidential: boolean;
  readonly color: string | null;
  readonly dates_are_fixed: boolean;
  readonly start_date_fixed: string | null;
  readonly due_date_fixed: string | null;
  /** By their titles. */
  readonly labels: readonly string[];
}

/** An epic of another server, with the number that it has there, below none yet; nobody hears of it (contract/operations.md §1.4). */
export async function importEpic(
  uow: UnitOfWork,
  group: Group,
  { labels, title, description, color: said, ...epic }: ImportedEpic,
): Promise<Epic | Failure<'invalid'>> {
  const { color, errors: colorErrors } = wishedColor(said);
  const errors = fieldErrors({ title: titleErrors(title), color: colorErrors });
  if (errors) return invalid(errors);
  if ((await findEpic(uow, group.id, epic.iid)) !== null) return IID_TAKEN;
  await reserveIid(uow, { groupId: group.id }, 'epic', epic.iid);
  const texts = newTexts({ title, description });
  const id = await insertEpic(uow, { ...epic, ...texts, ...IMPORTED, group_id: group.id, color, parent_id: null });
  await labelImported(uow, EPICS, id, await wishedLabels(uow, { group }, [], { labels }));
  return stillThere((await findEpics(uow, [id]))[0]);
}

/** Puts an imported epic below another one, unless it may not be there; it is as new as it was. */
export async function adoptEpic(uow: UnitOfWork, parentId: number, id: number): Promise<void> {
  const [parent] = await findEpics(uow, [parentId]);
  const [epic] = await findEpics(uow, [id]);
  if (parent === undefined || epic === undefined) return;
  const errors = fieldErrors({
    confidential: await confidentialErrors(uow, epic, { confidential: epic.confidential, parent }),
    parent: await parentErrors(uow, id, parentId),
  });
  if (errors === null) await updateEpicRow(uow, id, { parent_id: parentId });
}
