import { useEffect, useRef, useState } from 'preact/hooks';
import { CallError, type ResultOf } from '../api/call.ts';
import { createTraceReader } from '../api/trace.ts';
import { usePageActions } from '../page.ts';
import { isActive } from '../text/ci-status.ts';
import { createLogParser, type Log, type LogParser } from '../text/log-lines.ts';

/** Lines as far as they were parsed. */
export interface ParsedLog {
  readonly log: Log;
  /** Changes when lines were added to the log. */
  readonly revision: number;
}

/** The log of a job as far as it was read. */
export interface JobTrace {
  /** The end of a long log, until the rest is there. */
  readonly end: ParsedLog | null;
  readonly whole: ParsedLog | null;
  /** Whether the whole log was read to its present end. */
  readonly isLoaded: boolean;
  /** Whether nothing follows. */
  readonly isComplete: boolean;
  /** Bytes at the beginning that are not read, because the log is too long. */
  readonly missingBytes: number;
  readonly error: CallError | null;
}

const REFETCH_MS = 3000;

/** Characters that are parsed and shown in one frame: some thousand lines, in 20 ms. */
const SLICE_LENGTH = 100_000;

const EMPTY: JobTrace = {
  end: null,
  whole: null,
  isLoaded: false,
  isComplete: false,
  missingBytes: 0,
  error: null,
};

/** Returns the log of a job, which is read again while the job runs. */
export function useJobTrace(
  id: number,
  { id: job_id, status }: Pick<ResultOf<'GET /projects/:id/jobs/:job_id'>, 'id' | 'status'>,
): JobTrace {
  const { client } = usePageActions();
  const [trace, setTrace] = useState(EMPTY);
  const isRunning = useRef(true);
  isRunning.current = isActive(status);
  useEffect(() => {
    let [isCurrent, isLoaded] = [true, false];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const update = (change: Partial<JobTrace>) => setTrace((before) => ({ ...before, ...change }));
    const reader = createTraceReader((range) =>
      client.readBytes('GET /projects/:id/jobs/:job_id/trace', { id, job_id }, range),
    );
    const parser = createLogParser();
    const append = (name: 'end' | 'whole', { log, append }: LogParser, text: string, isComplete = false) => {
      append(text, isComplete);
      setTrace((before) => ({ ...before, [name]: { log, revision: (before[name]?.revision ?? 0) + 1 } }));
    };
    /** Adds a text slice by slice, so that the page answers meanwhile. */
    const write = async (name: 'end' | 'whole', target: LogParser, text: string): Promise<void> => {
      for (let start = 0; isCurrent && start < text.length; start += SLICE_LENGTH) {
        await waitForFrame();
        append(name, target, text.slice(start, start + SLICE_LENGTH));
      }
    };
    const readFirst = async (): Promise<void> => {
      const end = await reader.readEnd();
      if (end.missingBytes > 0) {
        await write('end', createLogParser(), end.text);
        const { text, missingBytes } = await reader.readBeginning();
        update({ missingBytes });
        await write('whole', parser, text);
      }
      await write('whole', parser, end.text);
      isLoaded = true;
    };
    const readAdded = async (): Promise<void> => {
      for (let text = await reader.readMore(); isCurrent && text !== ''; text = await reader.readMore())
        await write('whole', parser, text);
    };
    /** Reads the log to its present end, and later what is added while the job runs. */
    const read = async (): Promise<void> => {
      const wasRunning = isRunning.current;
      try {
        await (isLoaded ? readAdded() : readFirst());
        if (!isCurrent) return;
        append('whole', parser, '', !wasRunning);
        update({ end: null, isLoaded, isComplete: !wasRunning, error: null });
      } catch (error) {
        if (!isCurrent) return;
        if (!(error instanceof CallError)) throw error;
        // The log stays when the server does not respond for a while.
        if (error.status !== 0 && error.status < 500) return update({ error });
      }
      if (wasRunning || !isLoaded) timer = setTimeout(() => void readWhenVisible(), REFETCH_MS);
    };
    const readWhenVisible = () => {
      if (!document.hidden) return read();
      document.addEventListener('visibilitychange', () => void readWhenVisible(), { once: true });
    };
    void read();
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [client, id, job_id]);
  return trace;
}

/** Waits until the browser has shown what is in the document: it takes a third of the time of a slice. */
const waitForFrame = (): Promise<unknown> =>
  new Promise((resolve) => (document.hidden ? setTimeout(resolve) : requestAnimationFrame(resolve)));
