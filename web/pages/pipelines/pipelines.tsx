import { toPath } from '../../addresses.ts';
import type { Loaded, ParamsOf, ResultOf } from '../../api/call.ts';
import { query, readPageNumber } from '../../api/query.ts';
import { chartPipelines, summarizeDurations } from '../../charts/pipeline-lanes.ts';
import { Sparkline } from '../../charts/sparkline.tsx';
import { Swimlanes } from '../../charts/swimlanes.tsx';
import { Empty } from '../../components/empty.tsx';
import { Pager } from '../../components/pager.tsx';
import { PipelinesNavigation } from '../../components/pipelines-navigation.tsx';
import { can, projectQueries } from '../../components/project-navigation.tsx';
import { Status } from '../../components/status.tsx';
import { StatusFilter } from '../../components/status-filter.tsx';
import { Time } from '../../components/time.tsx';
import { type PageLocation, page } from '../../page.ts';
import { describeSource, isActive, readStatusFilter, SOURCES } from '../../text/ci-status.ts';
import { formatDuration } from '../../text/time.ts';

type Params = ParamsOf<'GET /projects/:id/pipelines'>;
type PipelineRow = ResultOf<'GET /projects/:id/pipelines'>[number];

/** Returns the filters in the address of the list. */
function readFilters(search: URLSearchParams): Pick<Params, 'status' | 'source' | 'ref'> {
  const status = readStatusFilter(search);
  const source = (Object.keys(SOURCES) as (keyof typeof SOURCES)[]).find((value) => value === search.get('source'));
  const ref = search.get('ref') ?? '';
  return { ...(status && { status }), ...(source && { source }), ...(ref !== '' && { ref }) };
}

/** The pipelines of a project, newest first, and when they ran by ref. */
export const pipelines = page('pipelines', {
  queries: ({ values: { project: id = '' }, search }) => ({
    ...projectQueries(id),
    pipelines: query('GET /projects/:id/pipelines', { id, ...readFilters(search), page: readPageNumber(search) }, 10),
  }),
  title: () => 'Pipelines',
  navigation: (props) => <PipelinesNavigation {...props} current="pipelines" />,
  render: ({ project: { value: project }, abilities, pipelines, location, location: { search, toUrl, values } }) => (
    <>
      {can(abilities, 'create_pipeline') ? (
        <p>
          <a class="button" href={toUrl(toPath('newPipeline', values))}>
            Run a pipeline
          </a>
        </p>
      ) : null}
      <Filters location={location} />
      {pipelines.value.length === 0 ? (
        <NoPipelines project={project.id} location={location} />
      ) : (
        <>
          <Chart pipelines={pipelines} />
          <ul class="rows">
            {pipelines.value.map((pipeline) => (
              <PipelineItem key={pipeline.id} pipeline={pipeline} location={location} />
            ))}
          </ul>
        </>
      )}
      <Pager list={pipelines} search={search} href={toUrl(toPath('pipelines', values))} />
    </>
  ),
});

function NoPipelines({ project, location }: { readonly project: number; readonly location: PageLocation }) {
  if (Object.keys(readFilters(location.search)).length > 0)
    return <p class="quiet">No pipeline matches these filters.</p>;
  return (
    <Empty
      title="No pipelines"
      text="Runs of the jobs in .gitlab-ci.yml appear here: after each push, by schedules, or when somebody starts one."
      create={{ path: `/projects/${project}/pipeline`, data: 'ref=main' }}
      location={location}
    />
  );
}

function Chart({ pipelines }: { readonly pipelines: Loaded<readonly PipelineRow[]> }) {
  const chart = chartPipelines(pipelines.value, Date.now());
  const durations = summarizeDurations(pipelines.value);
  return (
    <>
      {chart === null ? null : <Swimlanes {...chart} laneLabel="Ref" />}
      {durations === null ? null : (
        <p class="quiet">
          <Sparkline values={durations.seconds} /> {durations.summary}
        </p>
      )}
    </>
  );
}

function Filters({ location: { search, toUrl, values } }: { readonly location: PageLocation }) {
  const { source, ref } = readFilters(search);
  return (
    <search>
      <form class="filters" action={toUrl(toPath('pipelines', values))}>
        <StatusFilter search={search} />
        <label>
          Source{' '}
          <select name="source">
            <option value="">All</option>
            {Object.entries(SOURCES).map(([value, label]) => (
              <option key={value} value={value} selected={value === source}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label>
          Ref <input name="ref" value={ref ?? ''} size={16} />
        </label>
        <button type="submit">Show</button>
      </form>
    </search>
  );
}

function PipelineItem({
  pipeline: { id, name, ref, sha, status, source, created_at, updated_at },
  location: { toUrl, values },
}: {
  readonly pipeline: PipelineRow;
  readonly location: PageLocation;
}) {
  const project = values.project ?? '';
  const seconds = (Date.parse(updated_at) - Date.parse(created_at)) / 1000;
  return (
    <li class="row">
      <div class="row-status">
        <Status status={status} />
      </div>
      <div class="row-main">
        <a class="row-title" href={toUrl(toPath('pipeline', { project, pipeline_id: String(id) }))}>
          #{id}
          {name === null ? '' : ` ${name}`}
        </a>{' '}
        <a href={toUrl(toPath('tree', { project, ref_path: ref }))}>{ref}</a>{' '}
        <code class="quiet">{sha.slice(0, 8)}</code>
      </div>
      <div class="row-facts quiet">
        <span>{describeSource(source)}</span>
        {isActive(status) ? null : <span>{formatDuration(seconds)}</span>}
        <Time value={created_at} />
      </div>
    </li>
  );
}
