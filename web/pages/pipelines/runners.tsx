import { useState } from 'preact/hooks';
import { toPath } from '../../addresses.ts';
import type { ResultOf } from '../../api/call.ts';
import { query, readPageNumber } from '../../api/query.ts';
import { Form, readText, SelectField } from '../../components/form.tsx';
import { NewToken } from '../../components/new-token.tsx';
import { Pager } from '../../components/pager.tsx';
import { PipelinesNavigation } from '../../components/pipelines-navigation.tsx';
import { projectQueries } from '../../components/project-navigation.tsx';
import { RunnerForm } from '../../components/runner-form.tsx';
import { RunnerItem } from '../../components/runner-item.tsx';
import { ToggledForm } from '../../components/toggled-form.tsx';
import { type PageLocation, page, usePageActions } from '../../page.ts';

const REFETCH_SECONDS = 10;

/** The number of runners of other projects that the form offers. */
const MAX_AVAILABLE = 100;

type Runners = ResultOf<'GET /projects/:id/runners'>;

/** The runners that may take jobs of a project: its own, and those of its groups and of the instance. */
export const runners = page('runners', {
  queries: ({ values: { project: id = '' }, search }) => ({
    ...projectQueries(id),
    runners: query('GET /projects/:id/runners', { id, page: readPageNumber(search) }, REFETCH_SECONDS),
    available: query('GET /runners', { type: 'project_type', per_page: MAX_AVAILABLE }),
  }),
  title: () => 'Runners',
  navigation: (props) => <PipelinesNavigation {...props} current="runners" />,
  render: ({ project: { value: project }, runners, available, location }) => (
    <>
      <NewRunner project={project.id} location={location} />
      <AssignRunner
        project={project.id}
        runners={available.value.filter(({ id }) => !runners.value.some((runner) => runner.id === id))}
        location={location}
      />
      {runners.value.length === 0 ? (
        <div class="empty">
          <p class="empty-title">No runners</p>
          <p class="quiet">
            Machines that run the jobs of pipelines appear here. Create a runner, and register it with its token.
          </p>
        </div>
      ) : (
        <ul class="rows">
          {runners.value.map((runner) => (
            <li key={runner.id} class="row">
              <RunnerItem project={project.id} runner={runner} location={location} />
            </li>
          ))}
        </ul>
      )}
      <Pager
        list={runners}
        search={location.search}
        href={location.toUrl(toPath('runners', { project: project.path_with_namespace }))}
      />
    </>
  ),
});

function NewRunner({
  project: project_id,
  location,
  location: { session, toUrl },
}: {
  readonly project: number;
  readonly location: PageLocation;
}) {
  const { client } = usePageActions();
  const [token, setToken] = useState<string | null>(null);
  if (token !== null)
    return (
      <NewToken label="Token of the runner" token={token} onClose={() => setToken(null)}>
        <pre class="command">{`gitlab-runner register --non-interactive --executor shell \\\n  --url ${session.origin}${toUrl('/')} --token ${token}`}</pre>
      </NewToken>
    );
  return (
    <ToggledForm button="New runner" isPrimary>
      {(close) => (
        <RunnerForm
          runner={null}
          submit={async (attributes) => {
            const { value } = await client.call('POST /user/runners', {
              runner_type: 'project_type',
              project_id,
              ...attributes,
            });
            setToken(value.token);
          }}
          close={close}
          location={location}
        />
      )}
    </ToggledForm>
  );
}

function AssignRunner({
  project: id,
  runners,
  location,
}: {
  readonly project: number;
  /** Runners of other projects that the user manages. */
  readonly runners: Runners;
  readonly location: PageLocation;
}) {
  const { client } = usePageActions();
  if (runners.length === 0) return null;
  return (
    <ToggledForm button="Use a runner of another project">
      {(close) => (
        <Form
          label="Use a runner of another project"
          submitLabel="Use the runner"
          submit={async (values) => {
            await client.call('POST /projects/:id/runners', { id, runner_id: Number(readText(values, 'runner_id')) });
            close();
          }}
          done="The runner takes jobs of this project too."
          onCancel={close}
          location={location}
        >
          <SelectField
            label="Runner"
            name="runner_id"
            options={runners.map(({ id, description, name }) => [id, `#${id} ${description ?? name ?? ''}`])}
          />
        </Form>
      )}
    </ToggledForm>
  );
}
