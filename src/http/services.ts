import type { KeyObject } from 'node:crypto';
import type { TokenUsage } from '#authentication/tokens/token-usage.ts';
import type { BlobStore } from '#blobs/store.ts';
import type { Config } from '#config.ts';
import type { Database } from '#database/database.ts';
import type { RunUnitOfWork } from '#events/unit-of-work.ts';
import type { Git } from '#git/git.ts';
import type { Mailer } from '#mail/mailer.ts';
import type { Outbound } from '#outbound-http/client.ts';
import type { CountRequest } from '#rate-limits/window-counters.ts';
import type { PushOptionHandler } from '#repositories/ref-updates/push-options.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import type { Metrics } from '#runtime/metrics.ts';

/**
 * The services of this process, assembled by server.ts. Handlers pass on only the services that a domain function needs.
 */
export interface Services {
  readonly config: Config;
  readonly clock: Clock;
  readonly database: Database;
  readonly blobs: BlobStore;
  readonly git: Git;
  /** Runs a function in a transaction with an actor. */
  readonly runUnitOfWork: RunUnitOfWork;
  readonly log: Log;
  readonly mailer: Mailer;
  /** Sends requests to other servers that the settings allow. */
  readonly outbound: Outbound;
  /** The key of the instance for encryption and signatures; read on first use. */
  readonly secretKey: () => Promise<KeyObject>;
  readonly metrics: Metrics;
  /** Records the use of tokens and sessions. */
  readonly tokenUsage: TokenUsage;
  /** Counts a request in the window of a rate limit. */
  readonly countRequest: CountRequest;
  /** Returns the OpenAPI document. */
  readonly describeApi: DescribeApi;
  /** Handlers of `git push -o` options. */
  readonly pushOptionHandlers: readonly PushOptionHandler[];
  /** The base of absolute URLs for work outside of requests. */
  readonly serverUrl: () => string;
  /** Whether load balancers may send requests here: true between start and stop. */
  readonly isServing: () => boolean;
}

/** The OpenAPI 3.1 document of this server (contract/conventions.md §10). */
export interface ApiDocument {
  readonly openapi: string;
  readonly info: Json;
  readonly servers: { url: string }[];
  readonly tags: { name: string; description: string }[];
  readonly 'x-tagGroups': { name: string; tags: string[] }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly components: Json;
}

export type Json = Readonly<Record<string, unknown>>;

/** URL and version of the server that the document describes. */
export interface ApiServer {
  readonly url: string;
  readonly version: string;
}

/** Returns the document of all endpoints. It is one of `Services`, so that an endpoint can respond with it. */
type DescribeApi = (server: ApiServer) => Promise<ApiDocument>;
