import type { Caller, SignedInCaller } from '#authentication/caller.ts';
import type { Access } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, ok } from '#http/endpoint/responses.ts';
import { INVALID, NOT_FOUND } from '#http/errors/error-messages.ts';
import { describe, optional, required } from '#http/parameters/declarations.ts';
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

const DURATION_DESCRIPTION =
  'A duration such as `1w 2d 3h30m`: a month has 4 weeks, a week 5 days, a day 8 hours. A number without unit is in hours.';

/** Declares the time tracking endpoints: `export const { estimate: estimateIssue, ... } = createTimeTrackingEndpoints({ ... })`. */
export const createTimeTrackingEndpoints = ({ path, nounWithArticle, updateAccess, readAccess }: TimeTrackedKind) => ({
  estimate: endpoint({
    post: `${path}/time_estimate`,
    summary: `Set the time estimate of ${nounWithArticle}`,
    description: 'Replaces the time estimate and writes a system note. Returns the time tracking stats.',
    access: updateAccess(),
    params: { duration: describe(required(string), DURATION_DESCRIPTION) },
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
    description:
      'Sets the time estimate to 0 and returns the time tracking stats. Writes a system note if the estimate changes.',
    access: updateAccess(),
    errors: { notFound: NOT_FOUND },
    activity: ['note time'],
    response: ok(TimeStats),
    write: (uow, { noteable }) => resetTimeEstimate(uow, noteable),
  }),
  spend: endpoint({
    post: `${path}/add_spent_time`,
    summary: `Add spent time to ${nounWithArticle}`,
    description: 'Adds a duration to the spent time and writes a system note. Returns the time tracking stats.',
    access: updateAccess(),
    params: {
      duration: describe(
        required(string),
        `${DURATION_DESCRIPTION} A leading minus subtracts, at most what has been spent.`,
      ),
      summary: describe(optional(string), 'Accepted, but not stored.'),
    },
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
    description:
      'Sets the spent time to 0 and returns the time tracking stats. Writes a system note if the spent time changes.',
    access: updateAccess(),
    errors: { notFound: NOT_FOUND },
    activity: ['note time'],
    response: ok(TimeStats),
    write: (uow, { noteable }) => resetSpentTime(uow, noteable),
  }),
  read: endpoint({
    get: `${path}/time_stats`,
    summary: `Get the time tracking stats of ${nounWithArticle}`,
    description: 'Returns the time estimate and the spent time, in seconds and in human-readable form.',
    access: readAccess(),
    response: ok(TimeStats),
    read: (_db, { noteable }) => noteable,
  }),
});
