import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

/**
 * Ingestion of error reports and sessions from SDKs.
 *
 * - Authentication (`access.ts`): before the body is read, unless only the body carries the key; repeated when the report
 *   is stored.
 * - Decoding (`receive.ts`, `envelope-reader.ts`): the body stays in memory as sent and is decoded as a stream. Only the
 *   items that are stored are kept. At most two large bodies are decoded at the same time.
 * - Parsing (`event-reader.ts`, `session-reader.ts`, `grouping.ts`): pure; accepts every JSON object.
 * - Storing (`store-report.ts`): concurrent reports are written in one transaction, with the same number of statements as
 *   a single report, under the locks of their projects. An event id that is sent twice is stored once.
 * - Aggregates of an error (events, users, environments, hours) are counted when events are stored. `errors/` therefore
 *   reads only the newest and the oldest event of an error. Stack traces are built from the payload when they are read.
 * - Retention: a daily job deletes expired events in batches (`errors/retention.ts`).
 */
export const envelopes = resourceModule({ endpoints });
