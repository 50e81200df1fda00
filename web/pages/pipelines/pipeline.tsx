import { toPath } from '../../addresses.ts';
import type { ResultOf } from '../../api/call.ts';
import { query, queryAll } from '../../api/query.ts';
import { NeedsGraph } from '../../charts/needs-graph.tsx';
import { ActionButton } from '../../components/action-button.tsx';
import { FirstRows } from '../../components/first-rows.tsx';
import { PipelineActions } from '../../components/pipeline-actions.tsx';
import { PipelineVariables } from '../../components/pipeline-variables.tsx';
import { PipelinesNavigation } from '../../components/pipelines-navigation.tsx';
import { can, projectQueries } from '../../components/project-navigation.tsx';
import { Status } from '../../components/status.tsx';
import { Time } from '../../components/time.tsx';
import { type PageLocation, page, usePageActions } from '../../page.ts';
import { describeSource } from '../../text/ci-status.ts';
import { formatCount } from '../../text/names.ts';
import { groupByStage, type Stage } from '../../text/pipeline-jobs.ts';
import { formatDuration } from '../../text/time.ts';

type Job = ResultOf<'GET /projects/:id/pipelines/:pipeline_id/jobs'>[number];
type PipelineDetail = ResultOf<'GET /projects/:id/pipelines/:pipeline_id'>;
type Needs = ResultOf<'GET /projects/:id/pipelines/:pipeline_id/needs'>;

const REFETCH_SECONDS = 5;

/** The number of jobs up to which the graph is drawn: of more, it would be too large to read. */
const MAX_GRAPH_JOBS = 200;

/** A pipeline: its stages with their jobs, and which job waits for which. */
export const pipeline = page('pipeline', {
  queries: ({ values: { project: id = '', pipeline_id: number } }) => {
    const pipeline = { id, pipeline_id: Number(number) };
    return {
      ...projectQueries(id),
      pipeline: query('GET /projects/:id/pipelines/:pipeline_id', pipeline, REFETCH_SECONDS),
      jobs: queryAll(
        'GET /projects/:id/pipelines/:pipeline_id/jobs',
        { ...pipeline, include_retried: true },
        REFETCH_SECONDS,
      ),
      needs: query('GET /projects/:id/pipelines/:pipeline_id/needs', pipeline),
    };
  },
  title: ({ pipeline: { value: pipeline } }) => `Pipeline #${pipeline.id}${pipeline.name ? `: ${pipeline.name}` : ''}`,
  navigation: (props) => <PipelinesNavigation {...props} current="pipelines" />,
  render: ({ abilities, pipeline: { value: pipeline }, jobs, needs, location, location: { session } }) => {
    const stages = groupByStage(jobs.value);
    const isOwn = pipeline.user !== null && pipeline.user.id === session.userId && can(abilities, 'update_pipeline');
    return (
      <>
        <Facts pipeline={pipeline} location={location} />
        <PipelineActions
          pipeline={pipeline}
          mayUpdate={can(abilities, 'update_pipeline')}
          mayDelete={can(abilities, 'destroy_pipeline')}
          location={location}
        />
        {pipeline.yaml_errors === null ? null : (
          <div class="note">
            <p>The CI file is invalid:</p>
            <pre class="command">{pipeline.yaml_errors}</pre>
          </div>
        )}
        {jobs.value.length === 0 ? <p class="quiet">This pipeline has no jobs.</p> : null}
        {jobs.nextPage === null ? null : <p class="quiet">The last {formatCount(jobs.value.length, 'job')}.</p>}
        <Stages
          stages={stages}
          project={pipeline.project_id}
          mayRun={can(abilities, 'update_pipeline')}
          location={location}
        />
        <Graph stages={stages} needs={needs.value} />
        {isOwn || can(abilities, 'admin_pipeline') ? (
          <PipelineVariables project={pipeline.project_id} pipeline={pipeline.id} location={location} />
        ) : null}
      </>
    );
  },
});

function Facts({
  pipeline: { status, detailed_status, ref, sha, source, user, created_at, duration, queued_duration, coverage },
  location: { toUrl, values },
}: {
  readonly pipeline: PipelineDetail;
  readonly location: PageLocation;
}) {
  const { project = '' } = values;
  return (
    <p class="job-facts">
      <Status status={status} />
      {detailed_status.group === 'success-with-warnings' ? <span>with failures that are allowed</span> : null}
      <span>
        <a href={toUrl(toPath('tree', { project, ref_path: ref }))}>{ref}</a>{' '}
        <a href={toUrl(toPath('tree', { project, ref_path: sha }))}>
          <code>{sha.slice(0, 8)}</code>
        </a>
      </span>
      <span>
        {describeSource(source)}
        {user === null ? null : (
          <>
            {' '}
            by <bdi>{user.name}</bdi>
          </>
        )}{' '}
        <Time value={created_at} />
      </span>
      {duration === null ? null : <span>Took {formatDuration(duration)}</span>}
      {queued_duration === null ? null : <span>Waited {formatDuration(queued_duration)}</span>}
      {coverage === null ? null : <span>Coverage {coverage}%</span>}
    </p>
  );
}

function Stages({
  stages,
  project,
  mayRun,
  location,
}: {
  readonly stages: readonly Stage<Job>[];
  readonly project: number;
  readonly mayRun: boolean;
  readonly location: PageLocation;
}) {
  const { client } = usePageActions();
  return (
    <div class="stages">
      {stages.map(({ name, jobs }) => (
        <section key={name} class="stage">
          <h2>{name}</h2>
          <FirstRows rows={jobs}>
            {(shown) => (
              <ul class="rows">
                {shown.map(({ job, earlier }) => (
                  <li key={job.name} class="job">
                    <a class="row-title" href={job.web_url}>
                      {job.name}
                    </a>
                    <span class="row-facts quiet">
                      <Status status={job.status} isAllowedToFail={job.allow_failure} />
                      {job.duration === null ? null : <span>{formatDuration(job.duration)}</span>}
                      {earlier.map(({ id, status, web_url }, index) => (
                        <a key={id} href={web_url} title={status}>
                          attempt {index + 1}
                        </a>
                      ))}
                    </span>
                    {mayRun && job.status === 'manual' ? (
                      <div class="job-run">
                        <ActionButton
                          run={() =>
                            client.call('POST /projects/:id/jobs/:job_id/play', { id: project, job_id: job.id })
                          }
                          done={`${job.name} was started.`}
                          location={location}
                        >
                          Run <span class="hidden">{job.name}</span>
                        </ActionButton>
                      </div>
                    ) : null}
                  </li>
                ))}
              </ul>
            )}
          </FirstRows>
        </section>
      ))}
    </div>
  );
}

/** Jobs without the keyword `needs` wait for the stages before them, which the stages show. */
function Graph({ stages, needs }: { readonly stages: readonly Stage<Job>[]; readonly needs: Needs }) {
  const needsById = new Map(needs.map(({ id, needs }) => [id, needs]));
  if (needs.every((job) => job.needs === null)) return null;
  if (needs.length > MAX_GRAPH_JOBS)
    return <p class="quiet">What the jobs need is drawn for at most {MAX_GRAPH_JOBS} jobs.</p>;
  const jobs = stages.flatMap(({ jobs }, stage) =>
    jobs.map(({ job: { id, name, status, web_url } }) => ({
      id,
      name,
      status,
      stage,
      needs: needsById.get(id) ?? null,
      href: web_url,
    })),
  );
  return (
    <section>
      <h2>Needs</h2>
      <NeedsGraph jobs={jobs} />
    </section>
  );
}
