import type { Git } from '../git.ts';
import type { Repository } from '../repository.ts';
import type { CommandName } from './commands.ts';
import { type Invocation, type ProcessExit, type RunOptions, spawnGit } from './spawn.ts';

const LINE_END = 0x0a;

/**
 * Runs a command and passes each record of its output to `take`, which may return false to stop; that counts as
 * success.
 */
type ForEachRecord = (
  git: Git,
  repository: Repository,
  command: CommandName,
  invocation: Invocation,
  options: RunOptions,
  take: (record: Buffer) => unknown,
) => Promise<ProcessExit>;

/**
 * Runs a command and passes its output line by line, without line feeds. Output is never held in full; each tick of the
 * event loop handles one chunk of the pipe.
 */
export const forEachLine = forEachRecordEndingWith(LINE_END);

/** As `forEachLine`, for records that end with NUL. */
export const forEachField = forEachRecordEndingWith(0);

function forEachRecordEndingWith(mark: number): ForEachRecord {
  return async (git, repository, command, invocation, { input = '', ...options }, take) => {
    const child = spawnGit(git, repository, command, invocation, options);
    /** Start of an incomplete record. */
    let partial: Buffer[] = [];
    let enough = false;
    child.stdout.on('data', (chunk: Buffer) => {
      let at = 0;
      for (let end = chunk.indexOf(mark); end >= 0 && !enough; end = chunk.indexOf(mark, at)) {
        const record = chunk.subarray(at, end);
        enough = take(partial.length === 0 ? record : Buffer.concat([...partial, record])) === false;
        partial = [];
        at = end + 1;
      }
      if (enough) child.kill();
      else if (at < chunk.length) partial.push(chunk.subarray(at));
    });
    child.stdin.end(input);
    const ended = await child.done;
    if (enough) return { ok: true, code: 0 };
    if (ended.ok && partial.length > 0) take(Buffer.concat(partial));
    return ended;
  };
}
