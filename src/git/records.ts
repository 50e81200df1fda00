import type { CommandName } from './commands.ts';
import type { Git } from './git.ts';
import type { Repository } from './repository.ts';
import { type Ended, type Invocation, type RunOptions, stream } from './spawn.ts';

const LINE_END = 0x0a;

/**
 * Runs a command and hands over its output line by line as it comes, each without its line end: however much there is, none
 * of it is held, and no turn of the event loop sees more than what a pipe brings at once. `take` says `false` when it has
 * seen enough: that is a good end too.
 */
export async function eachLine(
  git: Git,
  repository: Repository,
  command: CommandName,
  invocation: Invocation,
  { input = '', ...options }: RunOptions,
  take: (line: Buffer) => unknown,
): Promise<Ended> {
  const child = stream(git, repository, command, invocation, options);
  /** The beginning of a line whose end has not come yet. */
  let begun: Buffer[] = [];
  let enough = false;
  child.stdout.on('data', (chunk: Buffer) => {
    let at = 0;
    for (let end = chunk.indexOf(LINE_END); end >= 0 && !enough; end = chunk.indexOf(LINE_END, at)) {
      const line = chunk.subarray(at, end);
      enough = take(begun.length === 0 ? line : Buffer.concat([...begun, line])) === false;
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
}
