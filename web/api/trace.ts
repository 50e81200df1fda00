import type { BytePart } from './call.ts';

/** Reads the log of a job: its end first, then its beginning, and afterwards only the new bytes. */

/** A log as far as it was read. */
export interface Trace {
  readonly text: string;
  /** Bytes before the text that were not read yet. */
  readonly missingBytes: number;
}

interface TraceReader {
  /** Reads the end of the log; all of it if it is short. */
  readonly open: () => Promise<Trace>;
  /** Reads the missing beginning. */
  readonly readBeginning: () => Promise<Trace>;
  /** Reads the bytes that were added since. */
  readonly readMore: () => Promise<Trace>;
}

/** Bytes at the end that are read first: some thousand lines, within a second on a slow connection. */
export const TAIL_BYTES = 256 * 1024;

const NEWLINE = 10;

/** Returns a reader of one log; `read` reads a range of its bytes. */
export function createTraceReader(read: (range: string) => Promise<BytePart>): TraceReader {
  const decoder = new TextDecoder();
  let trace: Trace = { text: '', missingBytes: 0 };
  let end = 0;

  const append = ({ start, bytes }: BytePart): Trace => {
    // The server may return more than the range.
    const addedBytes = bytes.subarray(Math.max(0, end - start));
    end = Math.max(end, start + bytes.length);
    if (addedBytes.length > 0) trace = { ...trace, text: trace.text + decoder.decode(addedBytes, { stream: true }) };
    return trace;
  };

  const open = async (): Promise<Trace> => {
    const part = await read(`bytes=-${TAIL_BYTES}`);
    if (part.start === 0) return append(part);
    // The first line is not complete, and may begin within a character.
    const skipped = part.bytes.indexOf(NEWLINE) + 1;
    end = part.start + skipped;
    trace = { text: '', missingBytes: end };
    return append(part);
  };

  return {
    open,
    async readBeginning() {
      if (trace.missingBytes === 0) return trace;
      const { bytes } = await read(`bytes=0-${trace.missingBytes - 1}`);
      const beginning = new TextDecoder().decode(bytes.subarray(0, trace.missingBytes));
      trace = { text: beginning + trace.text, missingBytes: 0 };
      return trace;
    },
    async readMore() {
      // The range begins with the last byte that is known, because a range after the end is an error.
      return end === 0 ? open() : append(await read(`bytes=${end - 1}-`));
    },
  };
}
