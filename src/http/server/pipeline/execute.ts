import type { Caller } from '#authentication/caller.ts';
import { failureOfUniqueIndex } from '#events/unit-of-work.ts';
import type { EndpointHandler } from '#http/endpoint/endpoint.ts';
import { serializeResponse } from '#http/endpoint/responses.ts';
import type { Services } from '#http/services.ts';
import { fail, isFailure } from '#runtime/failure.ts';
import { View } from '../response/request-view.ts';
import { type Outgoing, type ReplyFacts, successReply } from '../response/response.ts';
import { refusalOf } from './failure-response.ts';

/** What is known of a request that has passed all stages. */
interface Ready extends ReplyFacts {
  readonly services: Services;
  readonly caller: Caller;
  readonly params: Readonly<Record<string, unknown>>;
  /** By access. */
  readonly found: unknown;
}

interface Prepared {
  readonly view: View;
  /** What every way of doing it gets: what access provides, and what the request says. */
  readonly call: object;
}

export function prepared({ services, request, endpoint, found, params, page, ...progress }: Ready): Prepared {
  const provided = endpoint.access.provide(found as never) as { readonly caller?: Caller };
  const view = new View(services, request, provided.caller ?? progress.caller, params);
  return { view, call: { ...provided, params, page, base: view } };
}

/** Does what the endpoint does, and shows what came of it. */
export async function carryOut(progress: Ready, { view, call }: Prepared): Promise<Outgoing> {
  const { endpoint } = progress;
  const result = await outcomeOf(progress, { view, call });
  if (isFailure(result)) throw refusalOf(endpoint, result);
  return successReply(await serializeResponse(endpoint.response, result, view), progress);
}

/**
 * What the endpoint's own code hands over, or its refusal: its own, or that of a unique index, whose text may name
 * parameters.
 */
async function outcomeOf(
  { endpoint, services, request, given, params }: Ready,
  { view, call }: Prepared,
): Promise<unknown> {
  const { kind, run } = endpoint.handler as { kind: EndpointHandler['kind']; run: (...values: unknown[]) => unknown };
  try {
    switch (kind) {
      case 'read':
        return await run(view.db, call, view.git);
      case 'write':
        return await services.runUnitOfWork(view.caller, async (uow) => run(uow, call), {
          client: request.client,
          turn: endpoint.lock?.(call),
        });
      case 'handle':
        return await run({ ...call, request, given }, services);
    }
  } catch (error) {
    const taken = failureOfUniqueIndex(error, endpoint.uniqueErrors);
    if (taken === undefined) throw error;
    return fail(taken.code, { ...params, ...taken.values });
  }
}
