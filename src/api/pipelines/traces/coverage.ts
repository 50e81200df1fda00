import { createYielder } from '#runtime/concurrency-limiter.ts';
import { compileRegex, regexCost } from '#text/safe-regex.ts';

/** So much of the end of a log is looked through, in bytes: a summary of tests stands near it. */
export const COVERAGE_SCAN_BYTES = 1024 * 1024;

/** Longer lines are cut, in characters. */
const MAX_LINE_LENGTH = 1_000;

/** Weights of the expression, one a character: some seconds at worst. */
const MAX_WORK = 100_000_000;

/**
 * The percentage that a log tells: the first number of what the last match in it has found, of its last group where it has
 * any (`coverage` of contract/runners.md §6, a regular expression between slashes). Null where there is none.
 */
export async function findCoverage(log: string, pattern: string): Promise<number | null> {
  const source = pattern.slice(1, -1);
  const expression = compileRegex(source);
  if (typeof expression === 'string') return null;
  const weight = regexCost(source);
  const giveWay = createYielder();
  let work = 0;
  for (const line of iterateLinesBackwards(log)) {
    const matcher = expression.matcher(line);
    let found: string | null = null;
    while (matcher.find()) found = matcher.group(matcher.groupCount());
    const number = found === null ? null : /\d+(?:\.\d+)?/.exec(found);
    if (number !== null) return Number(number[0]);
    work += line.length * weight;
    if (work > MAX_WORK) return null;
    const way = giveWay();
    if (way !== undefined) await way;
  }
  return null;
}

function* iterateLinesBackwards(log: string): Generator<string> {
  for (let end = log.length; end >= 0; ) {
    const start = end === 0 ? 0 : log.lastIndexOf('\n', end - 1) + 1;
    const line = log.slice(start, end);
    yield (line.endsWith('\r') ? line.slice(0, -1) : line).slice(0, MAX_LINE_LENGTH);
    end = start - 1;
  }
}
