import type { Caller, SignedInCaller } from '#authentication/caller.ts';
import type { Access } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, ok } from '#http/endpoint/responses.ts';
import { INVALID, NOT_FOUND } from '#http/errors/error-messages.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { TimeStats } from '../entities.ts';
import {
  addSpentTime,
  resetSpentTime,
  resetTimeEstimate,
  setTimeEstimate,
  type TimeTotals,
  type TimeTrackedResource,
} from './time-tracking.ts';

/** Paths and access of a resource type with time tracking. */
interface TimeTrackedKind {
  readonly path: '/projects/:id/issues/:issue_iid' | '/projects/:id/merge_requests/:merge_request_iid';
  readonly nounWithArticle: 'an issue' | 'a merge request';
  /** Access to update the time estimate and spent time. */
  readonly updateAccess: () => Access<{ readonly noteable: TimeTrackedResource; readonly caller: SignedInCaller }>;
  readonly readAccess: () => Access<{ readonly noteable: TimeTotals; readonly caller: Caller }>;
}

/** Declares the time tracking endpoints: `export const { estimate: estimateIssue, ... } = createTimeTrackingEndpoints({ ... })`. */
export const createTimeTrackingEndpoints = ({ path, nounWithArticle, updateAccess, readAccess }: TimeTrackedKind) => ({
  estimate: endpoint({
    post: `${path}/time_estimate`,
    summary: `Set the time estimate of ${nounWithArticle}`,
    access: updateAccess(),
    params: { duration: required(string) },
    errors: {
      estimateInvalid: [
        400,
        '400 Bad request - Time estimate must have a valid format and be greater than or equal to zero.',
      ],
      notFound: NOT_FOUND,
    },
    activity: ['note time'],
    response: ok(TimeStats),
    write: (uow, { noteable, params }) => setTimeEstimate(uow, noteable, params.duration),
  }),
  resetEstimate: endpoint({
    post: `${path}/reset_time_estimate`,
    summary: `Reset the time estimate of ${nounWithArticle}`,
    access: updateAccess(),
    errors: { notFound: NOT_FOUND },
    activity: ['note time'],
    response: ok(TimeStats),
    write: (uow, { noteable }) => resetTimeEstimate(uow, noteable),
  }),
  spend: endpoint({
    post: `${path}/add_spent_time`,
    summary: `Add spent time to ${nounWithArticle}`,
    access: updateAccess(),
    params: { duration: required(string), summary: optional(string) },
    errors: {
      spentInvalid: [400, '400 Bad request - Time spent must have a valid format.'],
      invalid: INVALID,
      notFound: NOT_FOUND,
    },
    activity: ['note time'],
    response: created(TimeStats),
    write: (uow, { noteable, params }) => addSpentTime(uow, noteable, params.duration),
  }),
  resetSpent: endpoint({
    post: `${path}/reset_spent_time`,
    summary: `Reset the spent time of ${nounWithArticle}`,
    access: updateAccess(),
    errors: { notFound: NOT_FOUND },
    activity: ['note time'],
    response: ok(TimeStats),
    write: (uow, { noteable }) => resetSpentTime(uow, noteable),
  }),
  read: endpoint({
    get: `${path}/time_stats`,
    summary: `Get the time tracking stats of ${nounWithArticle}`,
    access: readAccess(),
    response: ok(TimeStats),
    read: (_db, { noteable }) => noteable,
  }),
});
