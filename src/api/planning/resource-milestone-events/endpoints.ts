import { forThings } from '#http/access/noteables.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { ok, page } from '#http/endpoint/responses.ts';
import { NOT_FOUND } from '#http/errors/error-messages.ts';
import { required } from '#http/parameters/declarations.ts';
import { integer } from '#http/parameters/types.ts';
import { WITH_MILESTONE } from '../noteables/index.ts';
import { MilestoneEvent } from './entities.ts';
import { findMilestoneEvent, listMilestoneEvents } from './store.ts';

// Which milestones issues and merge requests were given and lost (contract/planning.md §2.3).

export const [listIssueMilestoneEvents, listMergeRequestMilestoneEvents] = forThings(WITH_MILESTONE, (kind) =>
  endpoint({
    get: `${kind.path}/resource_milestone_events`,
    summary: `List the changes of ${kind.aThing}'s milestone`,
    access: kind.reading(),
    response: page(MilestoneEvent),
    read: (db, { thing, caller, page }) => listMilestoneEvents(db, caller, thing, page),
  }),
);

export const [readIssueMilestoneEvent, readMergeRequestMilestoneEvent] = forThings(WITH_MILESTONE, (kind) =>
  endpoint({
    get: `${kind.path}/resource_milestone_events/:resource_milestone_event_id`,
    summary: `One change of ${kind.aThing}'s milestone`,
    access: kind.reading(),
    params: { resource_milestone_event_id: required(integer) },
    errors: { notFound: NOT_FOUND, unread: [404, '404 ResourceMilestoneEvent Not Found'] },
    response: ok(MilestoneEvent),
    read: (db, { thing, caller, params }) => findMilestoneEvent(db, caller, thing, params.resource_milestone_event_id),
  }),
);
