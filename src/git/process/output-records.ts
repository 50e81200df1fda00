import type { Git } from '../git.ts';
import type { Repository } from '../repository.ts';
import type { CommandName } from './commands.ts';
import { type Invocation, type ProcessExit, type RunOptions, spawnGit } from './spawn.ts';

const LINE_END = 0x0a;

/**
 * Runs a command and passes each record of its output to `onRecord`, which may return false to stop; that counts as
 * success.
 */
type ForEachRecord = (
  git: Git,
  repository: Repository,
  command: CommandName,
  invocation: Invocation,
  options: RunOptions,
  onRecord: (record: Buffer) => unknown,
) => Promise<ProcessExit>;

/**
 * Runs a command and passes its output line by line, without line feeds. Output is never held in full; each tick of the
 * event loop handles one chunk of the pipe.
 */
export const forEachLine = forEachRecordEndingWith(LINE_END);

/** As `forEachLine`, for records that end with NUL. */
export const forEachField = forEachRecordEndingWith(0);

function forEachRecordEndingWith(terminator: number): ForEachRecord {
  return async (git, repository, command, invocation, { input = '', ...options }, onRecord) => {
    const child = spawnGit(git, repository, command, invocation, options);
    /** Start of an incomplete record. */
    let partial: Buffer[] = [];
    let isStopped = false;
    child.stdout.on('data', (chunk: Buffer) => {
      let recordStart = 0;
      for (let end = chunk.indexOf(terminator); end >= 0 && !isStopped; end = chunk.indexOf(terminator, recordStart)) {
        const record = chunk.subarray(recordStart, end);
        isStopped = onRecord(partial.length === 0 ? record : Buffer.concat([...partial, record])) === false;
        partial = [];
        recordStart = end + 1;
      }
      if (isStopped) child.kill();
      else if (recordStart < chunk.length) partial.push(chunk.subarray(recordStart));
    });
    child.stdin.end(input);
    const exit = await child.done;
    if (isStopped) return { ok: true, code: 0 };
    if (exit.ok && partial.length > 0) onRecord(Buffer.concat(partial));
    return exit;
  };
}
