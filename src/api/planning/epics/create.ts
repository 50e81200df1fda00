import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInGroup } from '#authorization/abilities.ts';
import { type Epic, findEpics } from '#authorization/epics.ts';
import { nextIid } from '#domain/iids.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import { stillThere } from '#domain/row-deleted.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { ParameterValues } from '#http/parameters/declarations.ts';
import { type Failure, fieldErrors, invalid, isFailure } from '#runtime/failure.ts';
import { EPICS, label, newlyMade, newTexts, tellMentioned, titleErrors, wishedLabels } from '../issuables/index.ts';
import { afterBesides, described } from '../quick-actions/index.ts';
import { resourceOf } from './activity.ts';
import { wishedColor } from './color.ts';
import { confidentialErrors } from './confidentiality.ts';
import { fixedDates } from './fixed-dates.ts';
import type { newEpicParams } from './parameters.ts';
import { parentErrors, wishedParent } from './parents.ts';
import { newEpicSubject } from './quick-actions/subject.ts';
import { insertEpic } from './store.ts';
import { changeEpic } from './update.ts';

type Wish = ParameterValues<typeof newEpicParams> & { readonly title: string };

const NO_DATES = { dates_are_fixed: false, start_date_fixed: null, due_date_fixed: null };

/** Makes an epic of the group. When it was made Owners may say. */
export async function createEpic(
  uow: UnitOfWork<SignedInCaller>,
  group: Group,
  asked: Wish,
): Promise<Epic | Failure<'invalid' | 'noParent' | 'gone'>> {
  const { wish, besides, closes } = await described(uow, asked, async () =>
    newEpicSubject(uow, group, asked.title, asked.confidential === true),
  );
  const made = await create(uow, group, wish);
  if (isFailure(made)) return made;
  const after = await afterBesides(made, besides, async (id) => stillThere((await findEpics(uow, [id]))[0]));
  return closes && !isFailure(after) ? changeEpic(uow, group, made.iid, { state_event: 'close' }) : after;
}

async function create(
  uow: UnitOfWork<SignedInCaller>,
  group: Group,
  wish: Wish,
): Promise<Epic | Failure<'invalid' | 'noParent'>> {
  const parent = wish.parent_id == null ? null : await wishedParent(uow, wish.parent_id);
  if (isFailure(parent)) return parent;
  const confidential = wish.confidential ?? false;
  const { color, errors: colorErrors } = wishedColor(wish.color);
  const errors = fieldErrors({
    title: titleErrors(wish.title),
    color: colorErrors,
    confidential: await confidentialErrors(uow, null, { confidential, parent }),
    parent: parent === null ? [] : await parentErrors(uow, null, parent.id),
  });
  if (errors) return invalid(errors);
  const made = (mayInGroup(uow.actor, 'date_epic', group) && wish.created_at) || uow.now;
  const iid = await nextIid(uow, { groupId: group.id }, 'epic');
  const description = wish.description ?? null;
  const id = await insertEpic(uow, {
    group_id: group.id,
    iid,
    ...newTexts({ title: wish.title, description }),
    author_id: uow.actor.user.id,
    confidential,
    color,
    parent_id: parent?.id ?? null,
    ...fixedDates(NO_DATES, wish),
    ...newlyMade(made),
  });
  await label(uow, EPICS, id, { before: [], now: await wishedLabels(uow, { group }, [], wish) });
  await uow.publish('occurred', { event: 'new_epic', about: { type: 'Epic', id } });
  await tellMentioned(uow, { ...resourceOf({ id }), iid, group }, [wish.title, description ?? '']);
  return stillThere((await findEpics(uow, [id]))[0]);
}
