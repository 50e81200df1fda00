import { importEpic, setImportedParent } from '#api/planning/epics/index.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { shortText } from '#http/parameters/texts.ts';
import { boolean, date, dateTime, integer, oneOf } from '#http/parameters/types.ts';
import { isFailure } from '#runtime/failure.ts';
import { declareRelation, findStoredObject, type ImportTarget } from './relation.ts';
import { labelTitles, numberedFields, timestampFields, toTimestamps, toTitleAndUrl } from './shared-fields.ts';
import { sourceUser, toAttributedText } from './users.ts';

/** Epics of groups. Each group lists only its own epics. The free tier has no epics. */
export const epics = declareRelation({
  name: 'epics',
  kind: 'epic',
  isInStats: true,
  list: {
    group: ({ id }) =>
      `/groups/${id}/epics?include_ancestor_groups=false&include_descendant_groups=false&order_by=created_at&sort=asc`,
  },
  unavailableStatuses: [403, 404],
  fields: {
    ...numberedFields,
    ...timestampFields,
    state: required(oneOf('opened', 'closed')),
    closed_at: optional(dateTime),
    confidential: optional(boolean, false),
    color: optional(shortText),
    start_date_is_fixed: optional(boolean),
    due_date_is_fixed: optional(boolean),
    start_date_fixed: optional(date),
    due_date_fixed: optional(date),
    labels: labelTitles,
    parent_id: optional(integer),
    author: optional(sourceUser),
  },
  referencedUsers: ({ author }) => [author],
  toTitleAndUrl,
  async store(uow, target, epic, users) {
    if (uow.tier === 'free') return null;
    const { iid, state, confidential, color, labels, start_date_fixed, due_date_fixed } = epic;
    const { author_id, text: description } = toAttributedText(uow.actor, users, epic.author, epic.description);
    const result = await importEpic(uow, target.destination.group!, {
      ...{ iid, title: epic.title, description, author_id, state, confidential, labels },
      color: color ?? null,
      dates_are_fixed: epic.start_date_is_fixed === true || epic.due_date_is_fixed === true,
      start_date_fixed: start_date_fixed ?? null,
      due_date_fixed: due_date_fixed ?? null,
      closed_at: state === 'closed' ? (epic.closed_at ?? toTimestamps(epic).updated_at) : null,
      closed_by_id: null,
      ...toTimestamps(epic),
    });
    if (isFailure(result)) return result;
    await setParentOrWait(uow, target, { id: result.id, parentSourceId: epic.parent_id ?? null });
    await adoptWaitingEpics(uow, target, { id: result.id, sourceId: epic.id });
    return result.id;
  },
});

// Sets the parents of imported epics. A source may list a child before its parent; the child then waits for the parent.

type ImportIds = Pick<ImportTarget, 'importId' | 'entityId'>;

interface Child {
  readonly id: number;
  /** Id of the parent on the source; null: no parent. */
  readonly parentSourceId: number | null;
}

/**
 * Sets the parent of a new epic, or records that the epic waits for it. If the parent is never imported, the epic has no
 * parent.
 */
async function setParentOrWait(uow: UnitOfWork, target: ImportIds, { id, parentSourceId }: Child): Promise<void> {
  if (parentSourceId === null) return;
  const parentId = await findStoredObject(uow, target, 'epic', parentSourceId);
  if (parentId !== null) return setImportedParent(uow, parentId, id);
  await uow
    .insertInto('bulk_import_awaited_epics')
    .values({ bulk_import_id: target.importId, source_id: parentSourceId, epic_id: id })
    .execute();
}

/** Sets a new epic as the parent of all epics that wait for it. index: bulk_import_awaited_epics_by_source */
async function adoptWaitingEpics(
  uow: UnitOfWork,
  { importId }: ImportIds,
  { id, sourceId }: { readonly id: number; readonly sourceId: number },
): Promise<void> {
  const waitingEpics = await uow
    .deleteFrom('bulk_import_awaited_epics')
    .where('bulk_import_id', '=', importId)
    .where('source_id', '=', sourceId)
    .returning('epic_id')
    .execute();
  for (const { epic_id } of waitingEpics) await setImportedParent(uow, id, epic_id);
}
