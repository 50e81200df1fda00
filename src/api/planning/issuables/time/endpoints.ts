import type { Caller, SignedInCaller } from '#authentication/caller.ts';
import type { Access } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, ok } from '#http/endpoint/responses.ts';
import { INVALID, NOT_FOUND } from '#http/errors/error-messages.ts';
import { optional, required } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { TimeStats } from '../entities.ts';
import { estimate, resetEstimate, resetSpent, spend, type Timed, type Times } from './time-tracking.ts';

/** A kind of things that take time, as the declarations see it. */
interface TimedKind {
  readonly path: '/projects/:id/issues/:issue_iid' | '/projects/:id/merge_requests/:merge_request_iid';
  readonly aThing: 'an issue' | 'a merge request';
  /** Who may change its times. */
  readonly changing: () => Access<{ readonly thing: Timed; readonly caller: SignedInCaller }>;
  readonly reading: () => Access<{ readonly thing: Times; readonly caller: Caller }>;
}

/** How long things take: `export const { estimate: estimateIssue, ... } = timeTracking({ ... })`. */
export const timeTracking = ({ path, aThing, changing, reading }: TimedKind) => ({
  estimate: endpoint({
    post: `${path}/time_estimate`,
    summary: `Set how long ${aThing} should take`,
    access: changing(),
    params: { duration: required(string) },
    errors: {
      estimateInvalid: [
        400,
        '400 Bad request - Time estimate must have a valid format and be greater than or equal to zero.',
      ],
      gone: NOT_FOUND,
    },
    activity: ['note time'],
    response: ok(TimeStats),
    write: (uow, { thing, params }) => estimate(uow, thing, params.duration),
  }),
  resetEstimate: endpoint({
    post: `${path}/reset_time_estimate`,
    summary: `Forget how long ${aThing} should take`,
    access: changing(),
    errors: { gone: NOT_FOUND },
    activity: ['note time'],
    response: ok(TimeStats),
    write: (uow, { thing }) => resetEstimate(uow, thing),
  }),
  spend: endpoint({
    post: `${path}/add_spent_time`,
    summary: `Add to the time that ${aThing} has taken, or take from it`,
    access: changing(),
    params: { duration: required(string), summary: optional(string) },
    errors: {
      spentInvalid: [400, '400 Bad request - Time spent must have a valid format.'],
      invalid: INVALID,
      gone: NOT_FOUND,
    },
    activity: ['note time'],
    response: created(TimeStats),
    write: (uow, { thing, params }) => spend(uow, thing, params.duration),
  }),
  resetSpent: endpoint({
    post: `${path}/reset_spent_time`,
    summary: `Forget the time that ${aThing} has taken`,
    access: changing(),
    errors: { gone: NOT_FOUND },
    activity: ['note time'],
    response: ok(TimeStats),
    write: (uow, { thing }) => resetSpent(uow, thing),
  }),
  read: endpoint({
    get: `${path}/time_stats`,
    summary: `How long ${aThing} should take, and has taken`,
    access: reading(),
    response: ok(TimeStats),
    read: (_db, { thing }) => thing,
  }),
});
