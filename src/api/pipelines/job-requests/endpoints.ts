import { ANONYMOUS } from '#authentication/caller.ts';
import { findRunnerByToken } from '#authorization/runners.ts';
import { checkRunnerLimit } from '#http/access/job-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { type StreamReply, streamWith } from '#http/endpoint/responses.ts';
import { FORBIDDEN, TOO_MANY_REQUESTS } from '#http/errors/error-messages.ts';
import { describe, object, optional } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { timestamp } from '#runtime/clock.ts';
import { fail, isFailure } from '#runtime/failure.ts';
import { findUnchangedManagerId, machineParams, recordContact, runnerTokenAccess } from '../runners/index.ts';
import { claimJob } from './claim-job.ts';
import { buildPayloadOrFailJob } from './deliver-job.ts';
import { waitForQueueChange } from './long-poll.ts';

/** contract/runners.md §3.3 */
export const requestJob = endpoint({
  post: '/jobs/request',
  summary: 'Request a job to run',
  description:
    'Assigns the next pending job to the runner and returns its payload with 201: script, variables, token and artifacts of other jobs. Answers 204 if there is no job, with a queue version in `X-GitLab-Last-Update`, which the runner sends as `last_update`. While the version is unchanged, the request waits for the seconds of the setting `runner_long_polling_seconds`. On 409, another runner was faster: the runner asks again.',
  access: runnerTokenAccess(),
  stageOrder: 'clientToken',
  params: {
    ...machineParams,
    last_update: describe(optional(string), 'Queue version from the header `X-GitLab-Last-Update` of the last answer.'),
    session: describe(
      optional(object({ url: optional(string), certificate: optional(string), authorization: optional(string) })),
      'Accepted and ignored.',
    ),
  },
  errors: { conflict: [409, '409 Conflict'], tokenInvalid: FORBIDDEN, tooMany: TOO_MANY_REQUESTS },
  response: streamWith({
    status: 201,
    otherStatuses: [204],
    mediaTypes: ['application/json'],
    headers: ['X-GitLab-Last-Update'],
  }),
  async handle({ runner: requestingRunner, params, request }, services) {
    await checkRunnerLimit(services, 'runner_jobs_request_api_limit', requestingRunner.id);
    const { system_id: systemId, info, last_update } = params;
    const machine = { systemId, address: request.clientAddress, info };
    const { reader } = services.database;
    const now = timestamp(services.clock);
    const managerId =
      (await findUnchangedManagerId(reader, requestingRunner, machine, now)) ??
      (await services.runUnitOfWork(ANONYMOUS, (uow) => recordContact(uow, requestingRunner, machine)));
    // The version is read before the queue: a job that arrives in between changes it, and the runner asks again.
    const { runner, version } = await waitForQueueChange(services, requestingRunner, last_update, request);
    if (runner.paused || last_update === version) return createNoJobReply(version);
    // The token of a held request may have been reset or expired while the request waited.
    const hasWaited = runner !== requestingRunner;
    if (hasWaited && (await findRunnerByToken(reader, params.token, timestamp(services.clock))) === null) {
      return fail('tokenInvalid');
    }
    const requester = { runner, managerId, features: info?.features, client: request.client };
    const claim = await claimJob(services, requester);
    if (isFailure(claim)) return claim.code === 'conflict' ? fail('conflict') : createNoJobReply(version);
    const payload = await buildPayloadOrFailJob(services, requester, claim, request.baseUrl);
    // The claimed job has failed; the runner may request another one.
    if (isFailure(payload)) return fail('conflict');
    return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(payload) };
  },
});

/** Creates the response without a job; the runner sends the queue version with its next request. */
function createNoJobReply(version: string): StreamReply {
  return { status: 204, headers: { 'X-GitLab-Last-Update': version } };
}
