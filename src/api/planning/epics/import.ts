import { type Epic, findEpic, findEpics } from '#authorization/epics.ts';
import type { EpicState } from '#database/tables/epics.ts';
import { IID_TAKEN, reserveIid } from '#domain/iids.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import { stillThere } from '#domain/row-deleted.ts';
import type { Act } from '#events/unit-of-work.ts';
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
  act: Act,
  group: Group,
  { labels, title, description, color: said, ...epic }: ImportedEpic,
): Promise<Epic | Failure<'invalid'>> {
  const { color, errors: colorErrors } = wishedColor(said);
  const errors = fieldErrors({ title: titleErrors(title), color: colorErrors });
  if (errors) return invalid(errors);
  if ((await findEpic(act, group.id, epic.iid)) !== null) return IID_TAKEN;
  await reserveIid(act, { groupId: group.id }, 'epic', epic.iid);
  const texts = newTexts({ title, description });
  const id = await insertEpic(act, { ...epic, ...texts, ...IMPORTED, group_id: group.id, color, parent_id: null });
  await labelImported(act, EPICS, id, await wishedLabels(act, { group }, [], { labels }));
  return stillThere((await findEpics(act, [id]))[0]);
}

/** Puts an imported epic below another one, unless it may not be there; it is as new as it was. */
export async function adoptEpic(act: Act, parentId: number, id: number): Promise<void> {
  const [parent] = await findEpics(act, [parentId]);
  const [epic] = await findEpics(act, [id]);
  if (parent === undefined || epic === undefined) return;
  const errors = fieldErrors({
    confidential: await confidentialErrors(act, epic, { confidential: epic.confidential, parent }),
    parent: await parentErrors(act, id, parentId),
  });
  if (errors === null) await updateEpicRow(act, id, { parent_id: parentId });
}
