import type { BytePart } from './call.ts';

/** Reads the log of a job: its end first, then what is before it, and afterwards only the new bytes. */

/** A text of a log, from a whole line on. */
interface TracePart {
  readonly text: string;
  /** Bytes before the text that were not read. */
  readonly missingBytes: number;
}

interface TraceReader {
  /** Reads the end of the log; all of it if it is short. */
  readonly readEnd: () => Promise<TracePart>;
  /** Reads the text before the end, as far as it is within `MAX_TRACE_BYTES`. */
  readonly readBeginning: () => Promise<TracePart>;
  /** Reads the text that was added since, at most `MAX_ADDED_BYTES`; the empty text if nothing was. */
  readonly readMore: () => Promise<string>;
}

/** Bytes at the end that are read first: some thousand lines, within a second on a slow connection. */
export const TAIL_BYTES = 256 * 1024;

/** Bytes at the end of a log that are read at all: those before them are only in the raw log. */
export const MAX_TRACE_BYTES = 16 * 1024 * 1024;

/** Bytes that are read at most in one request for added text. */
export const MAX_ADDED_BYTES = 4 * 1024 * 1024;

const NEWLINE = 10;

/** Returns a reader of one log; `read` reads a range of its bytes. */
export function createTraceReader(read: (range: string) => Promise<BytePart>): TraceReader {
  const decoder = new TextDecoder();
  let [beginning, end] = [0, 0];

  const decode = ({ start, bytes }: BytePart): string => {
    // The server may return more than the range.
    const added = bytes.subarray(Math.max(0, end - start));
    end = Math.max(end, start + bytes.length);
    return decoder.decode(added, { stream: true });
  };

  const readEnd = async (): Promise<TracePart> => {
    const part = await read(`bytes=-${TAIL_BYTES}`);
    beginning = findLineStart(part);
    end = beginning;
    return { text: decode(part), missingBytes: beginning };
  };

  return {
    readEnd,
    async readBeginning() {
      if (beginning === 0) return { text: '', missingBytes: 0 };
      const part = await read(`bytes=${Math.max(0, end - MAX_TRACE_BYTES)}-${beginning - 1}`);
      const start = findLineStart(part);
      const bytes = part.bytes.subarray(start - part.start, beginning - part.start);
      return { text: new TextDecoder().decode(bytes), missingBytes: start };
    },
    async readMore() {
      if (end === 0) return (await readEnd()).text;
      // The range begins with the last byte that is known, because a range after the end is an error.
      return decode(await read(`bytes=${end - 1}-${end + MAX_ADDED_BYTES - 1}`));
    },
  };
}

/** Returns the position of the first whole line: a part may begin within a line, and within a character. */
const findLineStart = ({ start, bytes }: BytePart): number => (start === 0 ? 0 : start + bytes.indexOf(NEWLINE) + 1);
