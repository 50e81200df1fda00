import { addMilliseconds } from '#runtime/clock.ts';
import { CallFailed, ComeBack, Stopped } from './interruptions.ts';
import type { Running } from './running-entity.ts';
import { type SourceAnswer, SourceFailure } from './source.ts';
import type { TrackerRow } from './store.ts';

/** How a source is asked by work that can wait (contract/operations.md §1.4 "Retry"). */

const RETRIED: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
const MOST_RETRIES = 10;

/**
 * The source's answer to a call, be it a refusal. Throws ComeBack while the call may still succeed, CallFailed when it has
 * been tried often enough or cannot succeed.
 */
export async function ask(running: Running, tracker: TrackerRow, path: string): Promise<SourceAnswer> {
  const { source, signal } = running;
  try {
    const answer = await source.ask(path, { signal });
    if (!RETRIED.has(answer.status)) return answer;
    const retries = retriesOf(tracker, path);
    const wait = waitAfter({ status: answer.status, retryAfter: answer.header('retry-after') }, retries);
    return again(running, path, retries, wait, unsuccessful(answer, path));
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error;
    if (error.kind === 'aborted') throw new Stopped();
    if (!error.passing)
      throw new CallFailed(error.kind === 'blocked' ? `URL is blocked: ${error.message}` : error.message);
    const retries = retriesOf(tracker, path);
    return again(running, path, retries, delay(retries), error.message);
  }
}

/** For a call whose refusal is a failure. */
export function unsuccessful({ status }: Pick<SourceAnswer, 'status'>, path: string): string {
  return `Unsuccessful response ${status} from /api/v4${path.split('?', 1)[0]}`;
}

/** How often this call was tried again so far. */
const retriesOf = (tracker: TrackerRow, call: string) => (tracker.retried_call === call ? tracker.retries : 0);

/** For what is asked otherwise: git. `answer`: what the source has said, if it has. */
export function comeBackFor(
  running: Running,
  tracker: TrackerRow,
  call: string,
  message: string,
  answer?: Waiting,
): never {
  const retries = retriesOf(tracker, call);
  return again(running, call, retries, answer === undefined ? delay(retries) : waitAfter(answer, retries), message);
}

/** What of an answer says how long to wait. */
interface Waiting {
  readonly status: number;
  readonly retryAfter: string | null;
}

/** Seconds. Who is asked too often says himself how long he wants to be left alone. */
const waitAfter = (answer: Waiting, retries: number): number =>
  answer.status === 429 ? retryAfter(answer.retryAfter) : delay(retries);

function again(running: Running, call: string, retries: number, seconds: number, message: string): never {
  if (retries >= MOST_RETRIES) throw new CallFailed(message);
  throw new ComeBack(addMilliseconds(running.now(), seconds * 1000), { call, retries: retries + 1 });
}

/** Seconds: 1, 2, 4, 8, 16, then 30. */
export const delay = (retries: number): number => (retries < 5 ? 2 ** retries : 30);

/** Seconds that the source has asked for; half a minute where it has not, or not in seconds. */
export function retryAfter(header: string | null): number {
  const seconds = header !== null && /^\s*\d{1,9}\s*$/.test(header) ? Number(header) : 30;
  return Math.min(300, Math.max(1, seconds));
}
