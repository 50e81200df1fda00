import { Readable } from 'node:stream';
import type { Caller } from '#authentication/caller.ts';
import { toUniqueFailure } from '#events/unit-of-work.ts';
import type { Endpoint, EndpointHandler } from '#http/endpoint/endpoint.ts';
import { Reply, type StreamReply, serializeResponse } from '#http/endpoint/responses.ts';
import { fillTemplate } from '#http/errors/error-messages.ts';
import { HttpError } from '#http/errors/http-error.ts';
import type { Services } from '#http/services.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { createSharedYielder } from '#runtime/yielding.ts';
import { ResponseContext } from '../response/request-view.ts';
import { type OutgoingResponse, type ResponseInput, toSuccessResponse } from '../response/response.ts';

/** The state of a request that has passed all stages. */
interface ReadyRequest extends ResponseInput {
  readonly services: Services;
  readonly caller: Caller;
  readonly params: Readonly<Record<string, unknown>>;
  /** The resources that access has loaded. */
  readonly resources: unknown;
}

/** The argument of the handler, and the context that serializes its result. */
interface PreparedCall {
  readonly context: ResponseContext;
  /** The argument of the handler: the values that access provides, and the parameters of the request. */
  readonly call: object;
}

/** Returns the argument of the handler and the context of its response. */
export function prepareCall({
  services,
  request,
  endpoint,
  resources,
  params,
  page,
  caller,
}: ReadyRequest): PreparedCall {
  const provided = endpoint.access.provide(resources as never) as { readonly caller?: Caller };
  // Access may provide another caller than the credentials stage: pages take the user of the session cookie.
  const context = new ResponseContext(services, request, provided.caller ?? caller, params);
  return { context, call: { ...provided, params, page, base: context } };
}

const yieldIfDue = createSharedYielder();

/** Runs the handler and serializes its result. */
export async function executeEndpoint(
  readyRequest: ReadyRequest,
  { context, call }: PreparedCall,
): Promise<OutgoingResponse> {
  const { endpoint, request } = readyRequest;
  const { client } = request;
  // Yields before the result exists, so that it is not held in memory while other responses are built.
  const pause = yieldIfDue(client);
  if (pause !== undefined) await pause;
  const result = await runHandler(readyRequest, { context, call });
  if (isFailure(result)) throw toHttpError(endpoint, result);
  if (endpoint.response.kind === 'stream') ignoreEarlyErrors(result as StreamReply | Reply<StreamReply>);
  // Many requests may get the same shared result in one turn of the event loop.
  const secondPause = yieldIfDue(client);
  if (secondPause !== undefined) await secondPause;
  return toSuccessResponse(await serializeResponse(endpoint.response, result, context), readyRequest);
}

/** Ignores errors of a stream before it is read, for example of a disconnected client. Its reader gets them. */
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
  { context, call }: PreparedCall,
): Promise<unknown> {
  const { kind, run } = endpoint.handler as { kind: EndpointHandler['kind']; run: (...values: unknown[]) => unknown };
  try {
    switch (kind) {
      case 'read':
        return await run(context.db, call, context.git);
      case 'write':
        return await services.runUnitOfWork(context.caller, async (uow) => run(uow, call), {
          lock: endpoint.lock?.(call),
        });
      case 'handle':
        return await run({ ...call, request, rawParams }, services);
    }
  } catch (error) {
    const uniqueFailure = toUniqueFailure(error, endpoint.uniqueErrors);
    if (uniqueFailure === undefined) throw error;
    return fail(uniqueFailure.code, { ...params, ...uniqueFailure.values });
  }
}

/** Converts a failure into the status and message of the endpoint's error table. */
export function toHttpError(endpoint: Endpoint, failure: Failure): HttpError {
  const entry = endpoint.errors[failure.code];
  if (entry === undefined) {
    throw new Error(
      `${endpoint.source}: ${endpoint.name} returned the failure '${failure.code}', which is not declared in its errors`,
    );
  }
  const [status, body, headers = {}] = entry;
  return new HttpError(
    status,
    fillBody(typeof body === 'string' ? { message: body } : body, failure.values),
    fillHeaders(headers, failure.values),
  );
}

/** Fills header templates; numbers become text. */
function fillHeaders(headers: Readonly<Record<string, string>>, values: Failure['values']): Record<string, string> {
  const filledHeaders = Object.entries(headers).map(([name, template]) => [
    name,
    String(fillTemplate(template, values)),
  ]);
  return Object.fromEntries(filledHeaders) as Record<string, string>;
}

function fillBody(template: unknown, values: Readonly<Record<string, unknown>>): unknown {
  if (typeof template === 'string') return fillTemplate(template, values);
  if (Array.isArray(template)) return template.map((item) => fillBody(item, values));
  if (typeof template === 'object' && template !== null)
    return Object.fromEntries(Object.entries(template).map(([key, value]) => [key, fillBody(value, values)]));
  return template;
}
