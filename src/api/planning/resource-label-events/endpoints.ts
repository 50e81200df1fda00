import { Type } from 'typebox';
import { getForeignKeyColumn, type Resource } from '#activity/index.ts';
import type { Caller } from '#authentication/caller.ts';
import type { Columns, Reader } from '#database/database.ts';
import { hasRow, paginate } from '#database/page.ts';
import { forNoteables } from '#http/access/noteables.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { entity } from '#http/endpoint/entity.ts';
import { nullable, ok, page } from '#http/endpoint/responses.ts';
import { NOT_FOUND } from '#http/errors/error-messages.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { LabelBasic, loadLabelsByIds } from '../labels/index.ts';
import {
  ISSUABLE_KINDS,
  labelOrMilestoneVisibleTo,
  loadEventUsers,
  parseEventId,
  resourceEventFields,
  serializeResourceEvent,
} from '../noteables/index.ts';

/** A label event with the current state of its label (contract/planning.md §1 "LabelEvent"). */
const LabelEvent = entity('LabelEvent', {
  ...resourceEventFields,
  /** Null if the label was deleted. */
  label: nullable(LabelBasic.schema),
  action: Type.Enum(['add', 'remove']),
}).from(
  async (rows: readonly LabelEventRow[], context) => {
    const ids = [...new Set(rows.flatMap(({ label_id }) => label_id ?? []))];
    const [users, labels] = await Promise.all([loadEventUsers(context.db, rows), loadLabelsByIds(context.db, ids)]);
    const labelJsons = await LabelBasic.serializeAll(labels, context);
    return { users, labelsById: new Map(labelJsons.map((label) => [label.id, label])) };
  },
  (row, context, { users, labelsById }) => ({
    ...serializeResourceEvent(row, context, users),
    label: labelsById.get(row.label_id ?? 0) ?? null,
    action: row.action,
  }),
);

// Label events of issues, merge requests and epics (contract/planning.md §3.11).

export const [listIssueLabelEvents, listMergeRequestLabelEvents, listEpicLabelEvents] = forNoteables(
  ISSUABLE_KINDS,
  (kind) =>
    endpoint({
      get: `${kind.path}/resource_label_events`,
      summary: `List label events of ${kind.nounWithArticle}`,
      description:
        'Lists each addition and removal of a label, oldest first, with the label as it is now. Events whose label the caller may not read are left out.',
      access: kind.readAccess(),
      response: page(LabelEvent),
      read: (db, { noteable, caller, page }) =>
        paginate(db, selectReadableEvents(db, caller, noteable).orderBy('resource_label_events.id', 'asc'), page),
    }),
);

export const [getIssueLabelEvent, getMergeRequestLabelEvent, getEpicLabelEvent] = forNoteables(ISSUABLE_KINDS, (kind) =>
  endpoint({
    get: `${kind.path}/resource_label_events/:event_id`,
    summary: `Get a label event of ${kind.nounWithArticle}`,
    description:
      'Returns one event. Answers 404 if the caller may not read its label, and for an ID that is not a number.',
    access: kind.readAccess(),
    errors: { notFound: NOT_FOUND, labelHidden: [404, '404 ResourceLabelEvent Not Found'] },
    response: ok(LabelEvent),
    read: (db, { noteable, caller, params }) => findLabelEvent(db, caller, noteable, parseEventId(params)),
  }),
);

type LabelEventRow = Columns<'resource_label_events'>;

/**
 * Selects the events of the noteable.
 * index: resource_label_events_by_issue, resource_label_events_by_merge_request, resource_label_events_by_epic
 */
function selectEvents(db: Reader, { type, id }: Resource) {
  return db.selectFrom('resource_label_events').where(`resource_label_events.${getForeignKeyColumn(type)}`, '=', id);
}

/** Selects the events whose label is deleted or readable for the caller. index: labels primary key */
function selectReadableEvents(db: Reader, caller: Caller, noteable: Resource) {
  return selectEvents(db, noteable)
    .leftJoin('labels', 'labels.id', 'resource_label_events.label_id')
    .selectAll('resource_label_events')
    .where((eb) => eb.or([eb('labels.id', 'is', null), labelOrMilestoneVisibleTo('labels', caller, db.today)]));
}

/** Returns one event of the noteable, or `labelHidden` if the caller may not read its label. */
async function findLabelEvent(
  db: Reader,
  caller: Caller,
  noteable: Resource,
  id: number,
): Promise<LabelEventRow | Failure<'notFound' | 'labelHidden'>> {
  const event = await selectReadableEvents(db, caller, noteable)
    .where('resource_label_events.id', '=', id)
    .executeTakeFirst();
  if (event !== undefined) return event;
  const eventById = selectEvents(db, noteable).select('id').where('resource_label_events.id', '=', id);
  return fail((await hasRow(eventById)) ? 'labelHidden' : 'notFound');
}
