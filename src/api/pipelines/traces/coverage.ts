import { createYielder } from '#runtime/yielding.ts';
import { compileRegex, getRegexCost, MAX_MATCHING_WORK, parseRegexLiteral } from '#text/safe-regex.ts';

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
