import { useEffect } from 'preact/hooks';
import { buildRequest, type ResultOf } from '../api/call.ts';
import { formatBytes } from '../text/file-content.ts';
import { useJobTrace } from './job-trace.ts';
import { Log } from './log.tsx';

/** The log of a job: read while the job runs, and opened at the line of the address or at the first failure. */
export function JobLog({
  project,
  job,
  toUrl,
}: {
  readonly project: number;
  readonly job: ResultOf<'GET /projects/:id/jobs/:job_id'>;
  readonly toUrl: (path: string) => string;
}) {
  const { end, whole, isLoaded, isComplete, missingBytes, error } = useJobTrace(project, job);
  useEffect(() => {
    if (isLoaded && (isComplete || window.location.hash !== '')) openAtLine(job.status === 'failed');
  }, [isLoaded, isComplete, job.status]);
  if (error !== null)
    return (
      <p class="note">
        {error.status === 403
          ? 'You may not read this log. It may contain secrets, because the job ran in debug mode.'
          : error.message}
      </p>
    );
  const rawUrl = toUrl(buildRequest('GET /projects/:id/jobs/:job_id/trace', { id: project, job_id: job.id }).url);
  return (
    <>
      {end === null && whole === null ? <p class="quiet">Loading the log …</p> : null}
      {end === null ? null : (
        <p class="quiet" role="status">
          The log is loading. Its end is there first, without line numbers.
        </p>
      )}
      {missingBytes === 0 ? null : (
        <p class="quiet">
          The log is too long for a page: its first {formatBytes(missingBytes)} are only in the{' '}
          <a href={rawUrl}>raw log</a>, so its lines have no numbers here.
        </p>
      )}
      {whole === null ? null : (
        <Log {...whole} isComplete={isComplete} idPrefix={missingBytes === 0 ? '' : 'part-'} rawUrl={rawUrl} />
      )}
      {end === null ? null : <Log {...end} label="End of the log" isComplete idPrefix="end-" rawUrl={rawUrl} />}
    </>
  );
}

/** Shows the line that the address names; else, for a failed job, the first failure or the end of the log. */
function openAtLine(hasFailed: boolean): void {
  const { hash } = window.location;
  const links = [...document.querySelectorAll('.log-bar a')].map((link) => link.getAttribute('href') ?? '');
  // The first failure, if there is one, is before the end of the log.
  const target = hash !== '' ? hash : hasFailed ? (links[0] ?? '') : '';
  const line = target === '' ? null : document.getElementById(target.slice(1));
  for (let section = line?.closest('details'); section; section = section.parentElement?.closest('details'))
    section.open = true;
  line?.scrollIntoView({ block: 'center' });
}
