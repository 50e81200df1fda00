import { forNoteables } from '#http/access/noteables.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok, page } from '#http/endpoint/responses.ts';
import { NOT_FOUND } from '#http/errors/error-messages.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { MILESTONE_KINDS } from '../noteables/index.ts';
import { MilestoneEvent } from './entities.ts';
import { findMilestoneEvent, listMilestoneEvents } from './store.ts';

// Milestone events of issues and merge requests (contract/planning.md §2.3).

export const [listIssueMilestoneEvents, listMergeRequestMilestoneEvents] = forNoteables(MILESTONE_KINDS, (kind) =>
  endpoint({
    get: `${kind.path}/resource_milestone_events`,
    summary: `List milestone events of ${kind.nounWithArticle}`,
    access: kind.readAccess(),
    response: page(MilestoneEvent),
    read: (db, { noteable, caller, page }) => listMilestoneEvents(db, caller, noteable, page),
  }),
);

export const [getIssueMilestoneEvent, getMergeRequestMilestoneEvent] = forNoteables(MILESTONE_KINDS, (kind) =>
  endpoint({
    get: `${kind.path}/resource_milestone_events/:resource_milestone_event_id`,
    summary: `Get a milestone event of ${kind.nounWithArticle}`,
    access: kind.readAccess(),
    params: { resource_milestone_event_id: required(integer) },
    errors: { notFound: NOT_FOUND, milestoneHidden: [404, '404 ResourceMilestoneEvent Not Found'] },
    response: ok(MilestoneEvent),
    read: (db, { noteable, caller, params }) =>
      findMilestoneEvent(db, caller, noteable, params.resource_milestone_event_id),
  }),
);
