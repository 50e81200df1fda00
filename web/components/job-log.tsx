import { useEffect, useRef, useState } from 'preact/hooks';
import { CallError, type ResultOf } from '../api/call.ts';
import { createTraceReader, type Trace } from '../api/trace.ts';
import { usePageActions } from '../page.ts';
import { isActive } from '../text/ci-status.ts';
import { Log } from './log.tsx';

type Job = ResultOf<'GET /projects/:id/jobs/:job_id'>;

const REFETCH_MS = 3000;

/** The log of a job: read while the job runs, and opened at the line of the address or at the first failure. */
export function JobLog({ project, job }: { readonly project: number; readonly job: Job }) {
  const { trace, isComplete, error } = useTrace(project, job);
  const isWhole = trace !== null && trace.missingBytes === 0;
  useEffect(() => {
    if (isWhole && (isComplete || window.location.hash !== '')) openAtLine(job.status === 'failed');
  }, [isWhole, isComplete, job.status]);
  if (error !== null)
    return (
      <p class="note">
        {error.status === 403
          ? 'You may not read this log. It may contain secrets, because the job ran in debug mode.'
          : error.message}
      </p>
    );
  if (trace === null) return <p class="quiet">Loading the log …</p>;
  return (
    <>
      {isWhole ? null : (
        <p class="quiet" role="status">
          This is the end of the log; line numbers follow when all of it is loaded.
        </p>
      )}
      <Log key={isWhole ? 'whole' : 'tail'} text={trace.text} isComplete={isComplete} />
    </>
  );
}

/** Returns the log as far as it was read, and whether nothing follows. */
function useTrace(
  id: number,
  { id: job_id, status }: Job,
): { readonly trace: Trace | null; readonly isComplete: boolean; readonly error: CallError | null } {
  const { client } = usePageActions();
  const [state, setState] = useState<{ readonly trace: Trace | null; readonly isComplete: boolean }>({
    trace: null,
    isComplete: false,
  });
  const [error, setError] = useState<CallError | null>(null);
  const isRunning = useRef(true);
  isRunning.current = isActive(status);
  useEffect(() => {
    let [isCurrent, timer] = [true, undefined as ReturnType<typeof setTimeout> | undefined];
    const reader = createTraceReader((range) =>
      client.readBytes('GET /projects/:id/jobs/:job_id/trace', { id, job_id }, range),
    );
    /** Runs a read, and then reads new parts of the log while the job runs. */
    const read = async (load: () => Promise<Trace>): Promise<void> => {
      const wasRunning = isRunning.current;
      try {
        const trace = await load();
        if (!isCurrent) return;
        setState({ trace, isComplete: !wasRunning && trace.missingBytes === 0 });
        setError(null);
        if (trace.missingBytes > 0) return await read(reader.readBeginning);
      } catch (failure) {
        if (!isCurrent) return;
        if (!(failure instanceof CallError)) throw failure;
        // The log stays when the server does not respond for a while.
        if (failure.status !== 0 && failure.status < 500) return setError(failure);
      }
      if (wasRunning) timer = setTimeout(() => void readWhenVisible(), REFETCH_MS);
    };
    const readWhenVisible = () => {
      if (!document.hidden) return read(reader.readMore);
      document.addEventListener('visibilitychange', () => void readWhenVisible(), { once: true });
    };
    void read(reader.open);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [client, id, job_id]);
  return { ...state, error };
}

/** Shows the line that the address names; else, for a failed job, the first failure or the end of the log. */
function openAtLine(hasFailed: boolean): void {
  const { hash } = window.location;
  const failure = document.querySelector<HTMLAnchorElement>('.log-bar a[href^="#L"]')?.getAttribute('href');
  const target = hash !== '' ? hash : hasFailed ? (failure ?? '#log-end') : '';
  const line = target === '' ? null : document.getElementById(target.slice(1));
  for (let section = line?.closest('details'); section; section = section.parentElement?.closest('details'))
    section.open = true;
  line?.scrollIntoView({ block: 'center' });
}
