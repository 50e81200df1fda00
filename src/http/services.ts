import type { KeyObject } from 'node:crypto';
import type { TokenUses } from '#authentication/tokens/token-usage.ts';
import type { BlobStore } from '#blobs/index.ts';
import type { Config } from '#config.ts';
import type { Database } from '#database/database.ts';
import type { RunUnitOfWork } from '#events/unit-of-work.ts';
import type { Git } from '#git/git.ts';
import type { Mailer } from '#mail/mailer.ts';
import type { Outbound } from '#outbound-http/index.ts';
import type { CountRequest } from '#rate-limits/window-counters.ts';
import type { Clock } from '#runtime/clock.ts';
import type { Log } from '#runtime/log.ts';
import type { Metrics } from '#runtime/metrics.ts';
import type { DescribeApi } from './api-document.ts';

/** What server.ts has put together. Handlers take from it by name what they hand on to the domain; nothing holds it. */
export interface Services {
  readonly config: Config;
  readonly clock: Clock;
  readonly database: Database;
  readonly blobs: BlobStore;
  readonly git: Git;
  /** Runs verbs: a transaction in which somebody acts. */
  readonly runUnitOfWork: RunUnitOfWork;
  readonly log: Log;
  readonly mailer: Mailer;
  /** Asks other servers, within what the settings allow. */
  readonly outbound: Outbound;
  /** The instance's key, which protects what it keeps and signs; read when somebody first needs it. */
  readonly secretKey: () => Promise<KeyObject>;
  readonly metrics: Metrics;
  readonly tokenUses: TokenUses;
  readonly countRequest: CountRequest;
  readonly describeApi: DescribeApi;
  /** The base of absolute URLs for work that has no request. */
  readonly ownUrl: () => string;
  /** Between start and stop: whoever spreads requests over servers may send some here. */
  readonly isServing: () => boolean;
}
