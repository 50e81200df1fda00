import type { Git } from '../git.ts';
import type { Repository } from '../repository.ts';
import type { CommandName } from './commands.ts';
import { type Ended, type Invocation, type RunOptions, stream } from './spawn.ts';

const LINE_END = 0x0a;

/** What takes the records of a command's output; `take` says `false` when it has seen enough: that is a good end too. */
type EachRecord = (
  git: Git,
  repository: Repository,
  command: CommandName,
  invocation: Invocation,
  options: RunOptions,
  take: (record: Buffer) => unknown,
) => Promise<Ended>;

/**
 * Runs a command and hands over its output line by line as it comes, each without its line end: however much there is, none
 * of it is held, and no turn of the event loop sees more than what a pipe brings at once.
 */
export const eachLine = eachEndedBy(LINE_END);

/** The same of a command whose records end with a NUL. */
export const eachField = eachEndedBy(0);

function eachEndedBy(mark: number): EachRecord {
  return async (git, repository, command, invocation, { input = '', ...options }, take) => {
    const child = stream(git, repository, command, invocation, options);
    /** The beginning of a record whose end has not come yet. */
    let begun: Buffer[] = [];
    let enough = false;
    child.stdout.on('data', (chunk: Buffer) => {
      let at = 0;
      for (let end = chunk.indexOf(mark); end >= 0 && !enough; end = chunk.indexOf(mark, at)) {
        const record = chunk.subarray(at, end);
        enough = take(begun.length === 0 ? record : Buffer.concat([...begun, record])) === false;
        begun = [];
        at = end + 1;
      }
      if (enough) child.kill();
      else if (at < chunk.length) begun.push(chunk.subarray(at));
    });
    child.stdin.end(input);
    const ended = await child.done;
    if (enough) return { ok: true, code: 0 };
    if (ended.ok && begun.length > 0) take(Buffer.concat(begun));
    return ended;
  };
}
