import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInGroup } from '#authorization/abilities.ts';
import { type Epic, findEpics } from '#authorization/epics.ts';
import { allocateIid } from '#domain/iids.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import { requireRow } from '#domain/row-deleted.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { ParameterValues } from '#http/parameters/declarations.ts';
import { compactFieldErrors, type Failure, invalid, isFailure } from '#runtime/failure.ts';
import {
  EPICS,
  newStateColumns,
  newTextColumns,
  recordMentions,
  resolveLabels,
  updateLabels,
  validateTitle,
} from '../issuables/index.ts';
import { applyDescriptionCommands, runAfterUpdate } from '../quick-actions/index.ts';
import { toResource } from './activity.ts';
import { parseEpicColor } from './color.ts';
import { validateConfidentiality } from './confidentiality.ts';
import { resolveFixedDates } from './fixed-dates.ts';
import type { createEpicParams } from './parameters.ts';
import { findParent, validateParent } from './parents.ts';
import { newEpicSubject } from './quick-actions/subject.ts';
import { insertEpic } from './store.ts';
import { updateEpicWithQuickActions } from './update.ts';

type CreateEpicInput = ParameterValues<typeof createEpicParams> & { readonly title: string };

const NO_DATES = { dates_are_fixed: false, start_date_fixed: null, due_date_fixed: null };

/** Creates an epic and runs the quick actions in its description. Owners may set the creation time. */
export async function createEpic(
  uow: UnitOfWork<SignedInCaller>,
  group: Group,
  params: CreateEpicInput,
): Promise<Epic | Failure<'invalid' | 'parentNotFound' | 'notFound'>> {
  const { input, afterUpdate, closesAfterCreation } = await applyDescriptionCommands(uow, params, async () =>
    newEpicSubject(uow, group, params.title, params.confidential === true),
  );
  const epic = await insertNewEpic(uow, group, input);
  if (isFailure(epic)) return epic;
  const updatedEpic = await runAfterUpdate(epic, afterUpdate, async (id) =>
    requireRow((await findEpics(uow, [id]))[0]),
  );
  return closesAfterCreation && !isFailure(updatedEpic)
    ? updateEpicWithQuickActions(uow, group, epic.iid, { state_event: 'close' })
    : updatedEpic;
}

async function insertNewEpic(
  uow: UnitOfWork<SignedInCaller>,
  group: Group,
  input: CreateEpicInput,
): Promise<Epic | Failure<'invalid' | 'parentNotFound'>> {
  const parent = input.parent_id == null ? null : await findParent(uow, input.parent_id);
  if (isFailure(parent)) return parent;
  const confidential = input.confidential ?? false;
  const { color, errors: colorErrors } = parseEpicColor(input.color);
  const errors = compactFieldErrors({
    title: validateTitle(input.title),
    color: colorErrors,
    confidential: await validateConfidentiality(uow, null, { confidential, parent }),
    parent: parent === null ? [] : await validateParent(uow, null, parent.id),
  });
  if (errors) return invalid(errors);
  const createdAt = (mayInGroup(uow.actor, 'set_epic_timestamps', group) && input.created_at) || uow.now;
  const iid = await allocateIid(uow, { groupId: group.id }, 'epic');
  const description = input.description ?? null;
  const id = await insertEpic(uow, {
    group_id: group.id,
    iid,
    ...newTextColumns({ title: input.title, description }),
    author_id: uow.actor.user.id,
    confidential,
    color,
    parent_id: parent?.id ?? null,
    ...resolveFixedDates(NO_DATES, input),
    ...newStateColumns(createdAt),
  });
  await updateLabels(uow, EPICS, id, { before: [], after: await resolveLabels(uow, { group }, [], input) });
  await uow.publish('notifiable-event-occurred', { event: 'new_epic', about: { type: 'Epic', id } });
  await recordMentions(uow, { ...toResource({ id }), iid, group }, [input.title, description ?? '']);
  return requireRow((await findEpics(uow, [id]))[0]);
}
