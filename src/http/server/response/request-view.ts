import type { Caller } from '#authentication/caller.ts';
import { type Config, getServerUrl, type Tier } from '#config.ts';
import type { SerializationContext } from '#http/endpoint/entity.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { timestamp } from '#runtime/clock.ts';

/** Data and services for serializing the response to one request. Records whether entities used the clock. */
export class ResponseContext implements SerializationContext {
  readonly url: string;
  readonly caller: Caller;
  readonly params: SerializationContext['params'];
  /** Whether the response depends on the current time; then it must not be cached. */
  usesClock = false;
  readonly #services: Services;
  #now: string | undefined;

  constructor(services: Services, request: IncomingRequest, caller: Caller, params: SerializationContext['params']) {
    this.#services = services;
    this.url = request.baseUrl;
    this.caller = caller;
    this.params = params;
  }

  get db() {
    return this.#services.database.reader;
  }

  get git() {
    return this.#services.git;
  }

  get secretKey() {
    return this.#services.secretKey;
  }

  get tier(): Tier {
    return this.#services.config.tier;
  }

  get instanceName(): string {
    return instanceName(this.#services.config);
  }

  get siteName(): string {
    return this.#services.config.siteName ?? this.url;
  }

  get now(): string {
    this.usesClock = true;
    this.#now ??= timestamp(this.#services.clock);
    return this.#now;
  }
}

/** Returns the name of the instance. It does not depend on the listening port, so it is stable when the port is chosen at start-up. */
function instanceName(config: Config): string {
  return config.siteName ?? getServerUrl(config);
}
