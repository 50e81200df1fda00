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
    const splitter = createRecordSplitter(terminator);
    let isStopped = false;
    child.stdout.on('data', (chunk: Buffer) => {
      for (const record of isStopped ? [] : splitter.split(chunk)) {
        isStopped = onRecord(record) === false;
        if (isStopped) break;
      }
      if (isStopped) child.kill();
    });
    child.stdin.end(input);
    const exit = await child.done;
    if (isStopped) return { ok: true, code: 0 };
    const lastRecord = splitter.end();
    if (exit.ok && lastRecord !== null) onRecord(lastRecord);
    return exit;
  };
}

/** Splits the chunks of an output into records. */
interface RecordSplitter {
  /** Returns the records that end in the chunk, without their terminator. */
  split(chunk: Buffer): Iterable<Buffer>;
  /** Returns the last record if it has no terminator, else null. */
  end(): Buffer | null;
}

/** Creates a splitter of records that end with NUL. */
export const createFieldSplitter = (): RecordSplitter => createRecordSplitter(0);

function createRecordSplitter(terminator: number): RecordSplitter {
  /** Start of an incomplete record. */
  let partial: Buffer[] = [];
  return {
    *split(chunk) {
      let recordStart = 0;
      for (let end = chunk.indexOf(terminator); end >= 0; end = chunk.indexOf(terminator, recordStart)) {
        const record = chunk.subarray(recordStart, end);
        const whole = partial.length === 0 ? record : Buffer.concat([...partial, record]);
        partial = [];
        recordStart = end + 1;
        yield whole;
      }
      if (recordStart < chunk.length) partial.push(chunk.subarray(recordStart));
    },
    end: () => (partial.length === 0 ? null : Buffer.concat(partial)),
  };
}
