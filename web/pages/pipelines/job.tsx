import { toPath } from '../../addresses.ts';
import { buildRequest, type ResultOf } from '../../api/call.ts';
import { query } from '../../api/query.ts';
import { JobActions } from '../../components/job-actions.tsx';
import { JobLog } from '../../components/job-log.tsx';
import { PipelinesNavigation } from '../../components/pipelines-navigation.tsx';
import { projectQueries } from '../../components/project-navigation.tsx';
import { Status } from '../../components/status.tsx';
import { Time } from '../../components/time.tsx';
import { type PageLocation, page } from '../../page.ts';
import { formatBytes } from '../../text/file-content.ts';
import { formatDuration } from '../../text/time.ts';

type JobDetail = ResultOf<'GET /projects/:id/jobs/:job_id'>;

/** A job with its result, artifacts and log. The log grows while the job runs. */
export const job = page('job', {
  queries: ({ values: { project: id = '', job_id: number } }) => ({
    ...projectQueries(id),
    job: query('GET /projects/:id/jobs/:job_id', { id, job_id: Number(number) }, 3),
  }),
  title: ({ job }) => job.value.name,
  navigation: (props) => <PipelinesNavigation {...props} current="jobs" />,
  render: ({ project: { value: project }, abilities, job: { value: job }, location }) => (
    <>
      <Facts job={job} location={location} />
      <JobActions project={project.id} job={job} abilities={abilities} location={location} />
      <Artifacts project={project.id} job={job} location={location} />
      <h2>Log</h2>
      {job.erased_at !== null ? (
        <p class="quiet">
          The log was erased <Time value={job.erased_at} />.
        </p>
      ) : job.started_at === null ? (
        <p class="quiet">The job has not started.</p>
      ) : (
        // A running log is read by separate requests, which return only the new part.
        <JobLog key={job.id} project={project.id} job={job} toUrl={location.toUrl} />
      )}
    </>
  ),
});

function Facts({ job, location: { toUrl, values } }: { readonly job: JobDetail; readonly location: PageLocation }) {
  const { project = '' } = values;
  return (
    <>
      <p class="job-facts">
        <Status status={job.status} isAllowedToFail={job.allow_failure} />
        {job.failure_reason === undefined ? null : <span>{job.failure_reason.replaceAll('_', ' ')}</span>}
        {job.duration === null ? null : <span>Duration {formatDuration(job.duration)}</span>}
        {job.queued_duration === null ? null : <span>Waited {formatDuration(job.queued_duration)}</span>}
        <span>
          Stage <bdi>{job.stage}</bdi> of{' '}
          <a href={toUrl(toPath('pipeline', { project, pipeline_id: String(job.pipeline.id) }))}>
            pipeline #{job.pipeline.id}
          </a>
        </span>
        <span>
          <a href={toUrl(toPath('tree', { project, ref_path: job.ref }))}>{job.ref}</a>{' '}
          {job.commit === null ? null : <code>{job.commit.short_id}</code>}
        </span>
      </p>
      <p class="job-facts quiet">
        <span>{job.runner === null ? 'No runner' : `Runner #${job.runner.id} ${job.runner.description ?? ''}`}</span>
        {job.tag_list.length === 0 ? null : <span>Tags {job.tag_list.join(', ')}</span>}
        {job.user === null ? null : (
          <span>
            Started by <bdi>{job.user.name}</bdi>
          </span>
        )}
        <span>
          Created <Time value={job.created_at} />
        </span>
        {job.coverage === null ? null : <span>Coverage {job.coverage}%</span>}
      </p>
    </>
  );
}

function Artifacts({
  project: id,
  job: { id: job_id, artifacts_file: archive, artifacts_expire_at, artifacts },
  location: { toUrl },
}: {
  readonly project: number;
  readonly job: JobDetail;
  readonly location: PageLocation;
}) {
  const target = { id, job_id };
  const log = artifacts.find(({ file_type }) => file_type === 'trace');
  const reports = artifacts.filter(({ file_type }) => !['trace', 'archive', 'metadata'].includes(file_type));
  if (archive === undefined && log === undefined) return null;
  return (
    <p class="job-facts">
      {archive === undefined ? null : (
        <span>
          <a href={toUrl(buildRequest('GET /projects/:id/jobs/:job_id/artifacts', target).url)} download>
            Artifacts
          </a>{' '}
          {formatBytes(archive.size)}
          {artifacts_expire_at === null ? null : (
            <>
              , deleted <Time value={artifacts_expire_at} />
            </>
          )}
        </span>
      )}
      {reports.length === 0 ? null : <span>Reports: {reports.map(({ file_type }) => file_type).join(', ')}</span>}
      {log === undefined ? null : (
        <span>
          <a href={toUrl(buildRequest('GET /projects/:id/jobs/:job_id/trace', target).url)}>Raw log</a>{' '}
          {formatBytes(log.size)}
        </span>
      )}
    </p>
  );
}
