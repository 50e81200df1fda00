import type { Caller } from '#authentication/caller.ts';
import { baseWithoutRequest, type Config, type Tier } from '#config.ts';
import type { SerializationContext } from '#http/endpoint/entity.ts';
import type { Incoming } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { timestamp } from '#runtime/clock.ts';

/** What one request is shown, and what is noted of how it was made. */
export class View implements SerializationContext {
  readonly url: string;
  readonly caller: Caller;
  readonly params: SerializationContext['params'];
  /** Has anybody asked for the moment? What is made of it is true for that moment only. */
  timed = false;
  readonly #rooms: Services;
  #now: string | undefined;

  constructor(services: Services, request: Incoming, caller: Caller, params: SerializationContext['params']) {
    this.#rooms = services;
    this.url = request.baseUrl;
    this.caller = caller;
    this.params = params;
  }

  get db() {
    return this.#rooms.database.reader;
  }

  get git() {
    return this.#rooms.git;
  }

  get secretKey() {
    return this.#rooms.secretKey;
  }

  get tier(): Tier {
    return this.#rooms.config.tier;
  }

  get instance(): string {
    return instanceName(this.#rooms.config);
  }

  get site(): string {
    return this.#rooms.config.siteName ?? this.url;
  }

  get now(): string {
    this.timed = true;
    this.#now ??= timestamp(this.#rooms.clock);
    return this.#now;
  }
}

/** Of one that chooses its port anew at each start always the same. */
function instanceName(config: Config): string {
  return config.siteName ?? baseWithoutRequest(config);
}
