import { Readable } from 'node:stream';
import type { Caller } from '#authentication/caller.ts';
import { toUniqueFailure } from '#events/unit-of-work.ts';
import type { EndpointHandler } from '#http/endpoint/endpoint.ts';
import { Reply, type StreamReply, serializeResponse } from '#http/endpoint/responses.ts';
import type { Services } from '#http/services.ts';
import { fail, isFailure } from '#runtime/failure.ts';
import { createSharedYielder } from '#runtime/yielding.ts';
import { ResponseContext } from '../response/request-view.ts';
import { type OutgoingResponse, type ResponseInput, toSuccessResponse } from '../response/response.ts';
import { toHttpError } from './failure-response.ts';

/** The state of a request that has passed all stages. */
interface ReadyRequest extends ResponseInput {
  readonly services: Services;
  readonly caller: Caller;
  readonly params: Readonly<Record<string, unknown>>;
  /** The resources that access has loaded. */
  readonly found: unknown;
}

interface PreparedCall {
  readonly context: ResponseContext;
  /** The argument of the handler: what access provides, and the parameters of the request. */
  readonly call: object;
}

export function prepareCall({
  services,
  request,
  endpoint,
  found,
  params,
  page,
  ...progress
}: ReadyRequest): PreparedCall {
  const provided = endpoint.access.provide(found as never) as { readonly caller?: Caller };
  const view = new ResponseContext(services, request, provided.caller ?? progress.caller, params);
  return { context: view, call: { ...provided, params, page, base: view } };
}

const giveWay = createSharedYielder();

/** Runs the handler and serializes its result. */
export async function executeEndpoint(
  progress: ReadyRequest,
  { context: view, call }: PreparedCall,
): Promise<OutgoingResponse> {
  const { endpoint, request } = progress;
  const { client } = request;
  // A result is not kept while others of the same turn are built.
  const way = giveWay(client);
  if (way !== undefined) await way;
  const result = await runHandler(progress, { context: view, call });
  if (isFailure(result)) throw toHttpError(endpoint, result);
  if (endpoint.response.kind === 'stream') ignoreEarlyErrors(result as StreamReply | Reply<StreamReply>);
  // Many requests may get the same shared result in one event loop turn.
  const again = giveWay(client);
  if (again !== undefined) await again;
  return toSuccessResponse(await serializeResponse(endpoint.response, result, view), progress);
}

/** A stream may fail before it is read, for instance when its client disconnects. The reader gets the error. */
function ignoreEarlyErrors(result: StreamReply | Reply<StreamReply>): void {
  const { body } = result instanceof Reply ? result.value : result;
  if (body instanceof Readable) body.on('error', () => undefined);
}

/**
 * Returns the result of the handler, or its failure. A violation of a unique index becomes the declared failure, whose message
 * may contain parameters.
 */
async function runHandler(
  { endpoint, services, request, rawParams, params }: ReadyRequest,
  { context: view, call }: PreparedCall,
): Promise<unknown> {
  const { kind, run } = endpoint.handler as { kind: EndpointHandler['kind']; run: (...values: unknown[]) => unknown };
  try {
    switch (kind) {
      case 'read':
        return await run(view.db, call, view.git);
      case 'write':
        return await services.runUnitOfWork(view.caller, async (uow) => run(uow, call), {
          client: request.client,
          lock: endpoint.lock?.(call),
        });
      case 'handle':
        return await run({ ...call, request, rawParams }, services);
    }
  } catch (error) {
    const taken = toUniqueFailure(error, endpoint.uniqueErrors);
    if (taken === undefined) throw error;
    return fail(taken.code, { ...params, ...taken.values });
  }
}
