import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInGroup } from '#authorization/abilities.ts';
import { type Epic, findEpic, findEpics } from '#authorization/epics.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import { stillThere } from '#domain/row-deleted.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { ParameterValues } from '#http/parameters/declarations.ts';
import { type Failure, fail, fieldErrors, invalid, isFailure } from '#runtime/failure.ts';
import {
  besideTexts,
  differing,
  EPICS,
  label,
  labelsOn,
  sameSet,
  stateAfter,
  tellChanged,
  tellReworded,
  titleErrors,
  wishedLabels,
} from '../issuables/index.ts';
import { afterBesides, described } from '../quick-actions/index.ts';
import { recordChange, resourceOf } from './activity.ts';
import { wishedColor } from './color.ts';
import { confidentialErrors } from './confidentiality.ts';
import { fixedDates } from './fixed-dates.ts';
import type { epicChangeParams } from './parameters.ts';
import { parentErrors, wishedParent } from './parents.ts';
import { epicSubject } from './quick-actions/subject.ts';
import { updateEpicRow } from './store.ts';

export type EpicChange = Partial<ParameterValues<typeof epicChangeParams>>;

/** Changes an epic as it stands now, closes or reopens it. When it was made and changed Owners may say. */
export async function changeEpic(
  uow: UnitOfWork<SignedInCaller>,
  group: Group,
  iid: number,
  asked: EpicChange,
): Promise<Epic | Failure<'invalid' | 'noParent' | 'gone'>> {
  const epic = await findEpic(uow, group.id, iid);
  if (epic === null) return fail('gone');
  const { wish, besides } = await described(uow, asked, () => epicSubject(uow, group, epic));
  const after = await change(uow, group, epic, wish);
  if (isFailure(after)) return after;
  return afterBesides(after, besides, async (id) => stillThere((await findEpics(uow, [id]))[0]));
}

async function change(
  uow: UnitOfWork<SignedInCaller>,
  group: Group,
  epic: Epic,
  wish: EpicChange,
): Promise<Epic | Failure<'invalid' | 'noParent'>> {
  const parent = await parentAfter(uow, epic, wish);
  if (isFailure(parent)) return parent;
  const wished = await wishedColumns(uow, epic, parent, wish);
  if (isFailure(wished)) return wished;
  const mayDate = mayInGroup(uow.actor, 'date_epic', group);
  const columns = differing<Epic>(epic, {
    ...wished,
    ...stateAfter(epic.state, wish.state_event, uow),
    ...(mayDate && wish.created_at ? { created_at: wish.created_at } : {}),
  });
  const labelled = await labelsOn(uow, EPICS, [epic.id]);
  const before = labelled.map(({ id }) => id);
  const now = await wishedLabels(uow, { group }, labelled, wish);
  await label(uow, EPICS, epic.id, { before, now });
  const updatedAt = mayDate ? wish.updated_at : null;
  if (Object.keys(columns).length > 0 || !sameSet(before, now) || updatedAt != null) {
    await updateEpicRow(uow, epic.id, { ...columns, ...besideTexts(columns), updated_at: updatedAt ?? uow.now });
  }
  const after = stillThere((await findEpics(uow, [epic.id]))[0]);
  await recordChange(uow, epic, after);
  const { confidential } = epic;
  await tellChanged(uow, resourceOf(epic), { labels: before, confidential }, { ...after, labels: now });
  await tellReworded(uow, { ...resourceOf(epic), iid: epic.iid, group }, epic, columns);
  return after;
}

/** What it shall be below; null: nothing. Where it stands already it stays, whoever may read that. */
async function parentAfter(
  uow: UnitOfWork,
  { parent_id: before }: Epic,
  { parent_id: wished }: EpicChange,
): Promise<Epic | null | Failure<'noParent'>> {
  if (wished === undefined || wished === before)
    return before === null ? null : ((await findEpics(uow, [before]))[0] ?? null);
  return wished === null ? null : wishedParent(uow, wished);
}

async function wishedColumns(
  uow: UnitOfWork,
  epic: Epic,
  parent: Epic | null,
  wish: EpicChange,
): Promise<Partial<Epic> | Failure<'invalid'>> {
  const confidential = wish.confidential ?? epic.confidential;
  const { color, errors: colorErrors } = wishedColor(wish.color === undefined ? epic.color : wish.color);
  const isElsewhere = parent !== null && parent.id !== epic.parent_id;
  const errors = fieldErrors({
    title: titleErrors(wish.title),
    color: colorErrors,
    confidential: await confidentialErrors(uow, epic, { confidential, parent }),
    parent: isElsewhere ? await parentErrors(uow, epic.id, parent.id) : [],
  });
  if (errors) return invalid(errors);
  return {
    title: wish.title ?? epic.title,
    description: wish.description === undefined ? epic.description : wish.description,
    confidential,
    color,
    parent_id: parent?.id ?? null,
    ...fixedDates(epic, wish),
  };
}
