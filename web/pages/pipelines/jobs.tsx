import { toPath } from '../../addresses.ts';
import type { ResultOf } from '../../api/call.ts';
import { query, readPageNumber } from '../../api/query.ts';
import { Pager } from '../../components/pager.tsx';
import { PipelinesNavigation } from '../../components/pipelines-navigation.tsx';
import { projectQueries } from '../../components/project-navigation.tsx';
import { Status } from '../../components/status.tsx';
import { StatusFilter } from '../../components/status-filter.tsx';
import { Time } from '../../components/time.tsx';
import { type PageLocation, page } from '../../page.ts';
import { readStatusFilter } from '../../text/ci-status.ts';
import { formatDuration } from '../../text/time.ts';

type JobInList = ResultOf<'GET /projects/:id/jobs'>[number];

/** The jobs of a project, newest first. */
export const jobs = page('jobs', {
  queries: ({ values: { project: id = '' }, search }) => {
    const status = readStatusFilter(search);
    const ref = search.get('ref') ?? '';
    return {
      ...projectQueries(id),
      jobs: query(
        'GET /projects/:id/jobs',
        {
          id,
          page: readPageNumber(search),
          ...(status === undefined ? {} : { scope: status }),
          ...(ref === '' ? {} : { ref }),
        },
        10,
      ),
    };
  },
  title: () => 'Jobs',
  navigation: (props) => <PipelinesNavigation {...props} current="jobs" />,
  render: ({ jobs, location, location: { search, toUrl, values } }) => (
    <>
      <search>
        <form class="filters" action={toUrl(toPath('jobs', values))}>
          <StatusFilter search={search} />
          <label>
            Ref <input name="ref" value={search.get('ref') ?? ''} size={16} />
          </label>
          <button type="submit">Show</button>
        </form>
      </search>
      {jobs.value.length === 0 ? (
        <p class="quiet">
          {search.size === 0 ? 'No jobs. Those of pipelines appear here.' : 'No job matches these filters.'}
        </p>
      ) : (
        <ul class="rows">
          {jobs.value.map((job) => (
            <JobItem key={job.id} job={job} location={location} />
          ))}
        </ul>
      )}
      <Pager list={jobs} search={search} href={toUrl(toPath('jobs', values))} />
    </>
  ),
});

function JobItem({ job, location: { toUrl, values } }: { readonly job: JobInList; readonly location: PageLocation }) {
  const { project = '' } = values;
  return (
    <li class="row">
      <div class="row-status">
        <Status status={job.status} isAllowedToFail={job.allow_failure} />
      </div>
      <div class="row-main">
        <a class="row-title" href={toUrl(toPath('job', { project, job_id: String(job.id) }))}>
          {job.name}
        </a>{' '}
        <span class="quiet">
          <bdi>{job.stage}</bdi> of{' '}
          <a href={toUrl(toPath('pipeline', { project, pipeline_id: String(job.pipeline.id) }))}>#{job.pipeline.id}</a>{' '}
          on <bdi>{job.ref}</bdi>
        </span>
      </div>
      <div class="row-facts quiet">
        {job.duration === null ? null : <span>{formatDuration(job.duration)}</span>}
        <Time value={job.created_at} />
      </div>
    </li>
  );
}
