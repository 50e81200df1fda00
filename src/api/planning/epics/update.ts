import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInGroup } from '#authorization/abilities.ts';
import { type Epic, findEpic, findEpics } from '#authorization/epics.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import { requireRow } from '#domain/row-deleted.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { ParameterValues } from '#http/parameters/declarations.ts';
import { compactFieldErrors, type Failure, fail, invalid, isFailure } from '#runtime/failure.ts';
import {
  derivedTextColumns,
  EPICS,
  isSameSet,
  loadLabels,
  pickChangedColumns,
  publishIssuableChanges,
  publishTextChanges,
  resolveLabels,
  stateColumnsAfter,
  updateLabels,
  validateTitle,
} from '../issuables/index.ts';
import { applyDescriptionCommands, runAfterUpdate } from '../quick-actions/index.ts';
import { recordEpicChanges, toResource } from './activity.ts';
import { parseEpicColor } from './color.ts';
import { validateConfidentiality } from './confidentiality.ts';
import { resolveFixedDates } from './fixed-dates.ts';
import type { updateEpicParams } from './parameters.ts';
import { findParent, validateParent } from './parents.ts';
import { loadEpicSubject } from './quick-actions/subject.ts';
import { updateEpicRow } from './store.ts';

export type UpdateEpicInput = Partial<ParameterValues<typeof updateEpicParams>>;

/** Updates an epic and runs the quick actions in its description. Owners may set the timestamps. */
export async function updateEpicWithQuickActions(
  uow: UnitOfWork<SignedInCaller>,
  group: Group,
  iid: number,
  params: UpdateEpicInput,
): Promise<Epic | Failure<'invalid' | 'parentNotFound' | 'notFound'>> {
  const epic = await findEpic(uow, group.id, iid);
  if (epic === null) return fail('notFound');
  const { input, afterUpdate } = await applyDescriptionCommands(uow, params, () => loadEpicSubject(uow, group, epic));
  const updatedEpic = await applyUpdate(uow, group, epic, input);
  if (isFailure(updatedEpic)) return updatedEpic;
  return runAfterUpdate(updatedEpic, afterUpdate, async (id) => requireRow((await findEpics(uow, [id]))[0]));
}

async function applyUpdate(
  uow: UnitOfWork<SignedInCaller>,
  group: Group,
  epic: Epic,
  input: UpdateEpicInput,
): Promise<Epic | Failure<'invalid' | 'parentNotFound'>> {
  const parent = await resolveParent(uow, epic, input);
  if (isFailure(parent)) return parent;
  const requestedColumns = await resolveColumns(uow, epic, parent, input);
  if (isFailure(requestedColumns)) return requestedColumns;
  const maySetTimestamps = mayInGroup(uow.actor, 'set_epic_timestamps', group);
  const columns = pickChangedColumns<Epic>(epic, {
    ...requestedColumns,
    ...stateColumnsAfter(epic.state, input.state_event, uow),
    ...(maySetTimestamps && input.created_at ? { created_at: input.created_at } : {}),
  });
  const currentLabels = await loadLabels(uow, EPICS, [epic.id]);
  const labelIdsBefore = currentLabels.map(({ id }) => id);
  const labelIds = await resolveLabels(uow, { group }, currentLabels, input);
  await updateLabels(uow, EPICS, epic.id, { before: labelIdsBefore, after: labelIds });
  const updatedAt = maySetTimestamps ? input.updated_at : null;
  if (Object.keys(columns).length > 0 || !isSameSet(labelIdsBefore, labelIds) || updatedAt != null) {
    await updateEpicRow(uow, epic.id, { ...columns, ...derivedTextColumns(columns), updated_at: updatedAt ?? uow.now });
  }
  const updatedEpic = requireRow((await findEpics(uow, [epic.id]))[0]);
  await recordEpicChanges(uow, epic, updatedEpic);
  const { confidential } = epic;
  await publishIssuableChanges(
    uow,
    toResource(epic),
    { labels: labelIdsBefore, confidential },
    { ...updatedEpic, labels: labelIds },
  );
  await publishTextChanges(uow, { ...toResource(epic), iid: epic.iid, group }, epic, columns);
  return updatedEpic;
}

/** Returns the parent after the update, or null for none. Only a new parent must be readable for the caller. */
async function resolveParent(
  uow: UnitOfWork,
  { parent_id: currentParentId }: Epic,
  { parent_id: requestedParentId }: UpdateEpicInput,
): Promise<Epic | null | Failure<'parentNotFound'>> {
  if (requestedParentId === undefined || requestedParentId === currentParentId)
    return currentParentId === null ? null : ((await findEpics(uow, [currentParentId]))[0] ?? null);
  return requestedParentId === null ? null : findParent(uow, requestedParentId);
}

async function resolveColumns(
  uow: UnitOfWork,
  epic: Epic,
  parent: Epic | null,
  input: UpdateEpicInput,
): Promise<Partial<Epic> | Failure<'invalid'>> {
  const confidential = input.confidential ?? epic.confidential;
  const { color, errors: colorErrors } = parseEpicColor(input.color === undefined ? epic.color : input.color);
  const isMoved = parent !== null && parent.id !== epic.parent_id;
  const errors = compactFieldErrors({
    title: validateTitle(input.title),
    color: colorErrors,
    confidential: await validateConfidentiality(uow, epic, { confidential, parent }),
    parent: isMoved ? await validateParent(uow, epic.id, parent.id) : [],
  });
  if (errors) return invalid(errors);
  return {
    title: input.title ?? epic.title,
    description: input.description === undefined ? epic.description : input.description,
    confidential,
    color,
    parent_id: parent?.id ?? null,
    ...resolveFixedDates(epic, input),
  };
}
