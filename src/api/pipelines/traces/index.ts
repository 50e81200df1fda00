import { text } from 'node:stream/consumers';
import { openBlob, type StoredBlob, storeBlob } from '#blobs/store.ts';
import { defineSubscription } from '#events/event-bus.ts';
import { resourceModule } from '#http/endpoint/resource-module.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { isFailure } from '#runtime/failure.ts';
import { createYielder } from '#runtime/yielding.ts';
import { compileRegex, getRegexCost, MAX_MATCHING_WORK, parseRegexLiteral } from '#text/safe-regex.ts';
import * as endpoints from './endpoints.ts';
import { joinTraceChunks, streamTrace } from './get.ts';
import { findFinishedTrace, replaceChunks } from './store.ts';

/** The number of bytes at the end of a log that are searched, because test summaries are near the end. */
export const COVERAGE_SCAN_BYTES = 1024 * 1024;

/** The maximum line length in characters; longer lines are truncated. */
const MAX_LINE_LENGTH = 1_000;

/**
 * Returns the coverage percentage in a log: the first number in the last match, or in its last group if it has groups
 * (`coverage` of contract/runners.md §6, a regular expression between slashes). Returns null if there is none,
 * the pattern is invalid or the search would take too long.
 */
export async function findCoverage(log: string, pattern: string): Promise<number | null> {
  const source = parseRegexLiteral(pattern);
  // A text is the error message of an invalid pattern.
  const regex = source === null ? null : compileRegex(source);
  if (source === null || regex === null || typeof regex === 'string') return null;
  const costPerCharacter = getRegexCost(source);
  const yieldIfDue = createYielder();
  let totalCost = 0;
  for (const line of iterateLinesBackwards(log)) {
    const matcher = regex.matcher(line);
    let lastMatch: string | null = null;
    while (matcher.find()) lastMatch = matcher.group(matcher.groupCount());
    const number = lastMatch === null ? null : /\d+(?:\.\d+)?/.exec(lastMatch);
    if (number !== null) return Number(number[0]);
    totalCost += line.length * costPerCharacter;
    if (totalCost > MAX_MATCHING_WORK) return null;
    // Awaiting only when due saves a microtask per line.
    const pendingYield = yieldIfDue();
    if (pendingYield !== undefined) await pendingYield;
  }
  return null;
}

/** Yields the lines of a log from the last to the first, without line ends. */
function* iterateLinesBackwards(log: string): Generator<string> {
  for (let end = log.length; end >= 0; ) {
    const start = end === 0 ? 0 : log.lastIndexOf('\n', end - 1) + 1;
    const line = log.slice(start, end);
    yield (line.endsWith('\r') ? line.slice(0, -1) : line).slice(0, MAX_LINE_LENGTH);
    end = start - 1;
  }
}

/** Background job that joins the log chunks of a finished job into one blob and reads the coverage from it. */
const assembleTrace = defineJob({
  kind: 'assemble_trace',
  async handle(
    { database, blobs, secretKey }: Pick<Services, 'database' | 'blobs' | 'secretKey'>,
    { jobId }: { jobId: number },
  ) {
    const job = await findFinishedTrace(database.reader, jobId);
    if (job === null) return;
    const source = streamTrace({ database, blobs, secretKey }, jobId);
    const storedBlob = await storeBlob(blobs, source).finally(() => source.destroy());
    // The log was erased while it was copied.
    if (isFailure(storedBlob) || storedBlob.size !== job.trace_size) return;
    const coverage = job.coverage === null ? null : await readCoverage({ blobs }, storedBlob, job.coverage);
    await database.transaction((tx) =>
      replaceChunks(tx, { id: jobId, project_id: job.project_id, coverage }, storedBlob),
    );
  },
});

/** Returns the coverage that the end of the log reports, or null. */
async function readCoverage(
  { blobs }: Pick<Services, 'blobs'>,
  log: StoredBlob,
  pattern: string,
): Promise<number | null> {
  const start = Math.max(0, log.size - COVERAGE_SCAN_BYTES);
  const openedBlob = await openBlob(blobs, log.sha256, { start, end: Number.MAX_SAFE_INTEGER });
  return openedBlob === null ? null : findCoverage(await text(openedBlob.stream), pattern);
}

const assembleTraceOnJobFinished = defineSubscription({
  event: 'job-finished',
  inTransaction: (uow, { jobId }) => enqueue(uow, assembleTrace, { jobId }),
});

/** Logs of jobs. A log is stored in chunks while the job runs, and assembled into one artifact afterwards. */
export const traces = resourceModule({
  endpoints,
  jobs: [joinTraceChunks, assembleTrace],
  subscriptions: [assembleTraceOnJobFinished],
});
