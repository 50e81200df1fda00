import { givingWay } from '#runtime/concurrency-limiter.ts';
import { readExpression, weightOf } from '#text/safe-regex.ts';

/** So much of the end of a log is looked through, in bytes: a summary of tests stands near it. */
export const LOOKED_THROUGH = 1024 * 1024;

/** Longer lines are cut, in characters. */
const LONGEST_LINE = 1_000;

/** Weights of the expression, one a character: some seconds at worst. */
const MOST_WORK = 100_000_000;

/**
 * The percentage that a log tells: the first number of what the last match in it has found, of its last group where it has
 * any (`coverage` of contract/runners.md §6, a regular expression between slashes). Null where there is none.
 */
export async function coverageIn(log: string, pattern: string): Promise<number | null> {
  const source = pattern.slice(1, -1);
  const expression = readExpression(source);
  if (typeof expression === 'string') return null;
  const weight = weightOf(source);
  const giveWay = givingWay();
  let work = 0;
  for (const line of linesFromTheEnd(log)) {
    const matcher = expression.matcher(line);
    let found: string | null = null;
    while (matcher.find()) found = matcher.group(matcher.groupCount());
    const number = found === null ? null : /\d+(?:\.\d+)?/.exec(found);
    if (number !== null) return Number(number[0]);
    work += line.length * weight;
    if (work > MOST_WORK) return null;
    const way = giveWay();
    if (way !== undefined) await way;
  }
  return null;
}

function* linesFromTheEnd(log: string): Generator<string> {
  for (let end = log.length; end >= 0; ) {
    const start = end === 0 ? 0 : log.lastIndexOf('\n', end - 1) + 1;
    const line = log.slice(start, end);
    yield (line.endsWith('\r') ? line.slice(0, -1) : line).slice(0, LONGEST_LINE);
    end = start - 1;
  }
}
