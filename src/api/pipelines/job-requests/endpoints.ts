import { ANONYMOUS } from '#authentication/caller.ts';
import { runnerWithToken } from '#authorization/runners.ts';
import { limitRunner } from '#http/access/job-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { type StreamReply, stream } from '#http/endpoint/responses.ts';
import { FORBIDDEN } from '#http/errors/error-messages.ts';
import { hash, optional } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { timestamp } from '#runtime/clock.ts';
import { fail, isFailure } from '#runtime/failure.ts';
import { byRunnerToken, contact, heardJustNow, machineParams } from '../runners/index.ts';
import { takeJob } from './claim-job.ts';
import { toldOrFailed } from './deliver-job.ts';
import { queueValue } from './long-poll.ts';

/** contract/runners.md §3.3 */
export const requestJob = endpoint({
  post: '/jobs/request',
  summary: 'Take a job to run',
  access: byRunnerToken(),
  stageOrder: 'ownProof',
  params: {
    ...machineParams,
    last_update: optional(string),
    session: optional(hash({ url: optional(string), certificate: optional(string), authorization: optional(string) })),
  },
  errors: { lost: [409, '409 Conflict'], tokenEnded: FORBIDDEN },
  response: stream,
  async handle({ runner: asked, params, request }, services) {
    await limitRunner(services, 'runner_jobs_request_api_limit', asked.id);
    const { system_id: systemId, info, last_update } = params;
    const machine = { systemId, address: request.clientAddress, info };
    const { reader } = services.database;
    const now = timestamp(services.clock);
    const managerId =
      (await heardJustNow(reader, asked, machine, now)) ??
      (await services.runUnitOfWork(ANONYMOUS, (uow) => contact(uow, asked, machine)));
    // Before the queue is looked at: what comes into it meanwhile has another value.
    const { runner, value } = await queueValue(services, asked, last_update, request);
    if (runner.paused || last_update === value) return nothing(value);
    // Of a question that was held the token may have been reset meanwhile, or have ended.
    const wasHeld = runner !== asked;
    if (wasHeld && (await runnerWithToken(reader, params.token, timestamp(services.clock))) === null) {
      return fail('tokenEnded');
    }
    const asking = { runner, managerId, features: info?.features };
    const taken = await takeJob(services, asking);
    if (isFailure(taken)) return taken.code === 'lost' ? fail('lost') : nothing(value);
    const payload = await toldOrFailed(services, asking, taken, request.baseUrl);
    if (isFailure(payload)) return fail('lost');
    return { status: 201, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(payload) };
  },
});

/** There is no job; with this value it is worth asking again once there is another. */
function nothing(value: string): StreamReply {
  return { status: 204, headers: { 'X-GitLab-Last-Update': value } };
}
