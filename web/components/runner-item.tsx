import { useEffect, useState } from 'preact/hooks';
import { CallError, type ResultOf } from '../api/call.ts';
import { type PageLocation, usePageActions } from '../page.ts';
import { ActionButton } from './action-button.tsx';
import { ActionError } from './form.tsx';
import { RunnerForm } from './runner-form.tsx';
import { ToggledForm } from './toggled-form.tsx';

type Runner = ResultOf<'GET /projects/:id/runners'>[number];

const TYPES = { instance_type: 'instance', group_type: 'group', project_type: 'project' } as const;

interface ItemProps {
  readonly project: number;
  readonly runner: Runner;
  readonly location: PageLocation;
}

/** A runner of a project; those of groups and of the instance are managed elsewhere. */
export function RunnerItem({ project, runner, location }: ItemProps) {
  const { id, description, name, runner_type, status, paused, job_execution_status, ip_address } = runner;
  const content = (
    <>
      <strong>
        #{id} {description ?? name ?? ''}
      </strong>{' '}
      <span class="badge">{TYPES[runner_type]}</span> {paused ? <span class="badge">paused</span> : null}
      <p class="quiet">
        {status.replaceAll('_', ' ')}
        {job_execution_status === 'active' ? ', runs a job' : ''}
        {ip_address === '' ? '' : `, last seen at ${ip_address}`}
      </p>
    </>
  );
  return (
    <div class="row-main">
      <ToggledForm
        button={
          <>
            Edit <span class="hidden">runner #{id}</span>
          </>
        }
        isOffered={runner_type === 'project_type'}
        content={content}
        actions={<RunnerButtons project={project} runner={runner} location={location} />}
      >
        {(close) => <EditRunner id={id} close={close} location={location} />}
      </ToggledForm>
    </div>
  );
}

function RunnerButtons({ project, runner: { id, paused }, location }: ItemProps) {
  const { client } = usePageActions();
  const name = <span class="hidden">runner #{id}</span>;
  return (
    <>
      <ActionButton
        run={() => client.call('PUT /runners/:id', { id, paused: !paused })}
        done={paused ? 'The runner takes jobs again.' : 'The runner takes no new jobs.'}
        location={location}
      >
        {paused ? 'Resume' : 'Pause'} {name}
      </ActionButton>
      <ActionButton
        run={() => client.call('DELETE /projects/:id/runners/:runner_id', { id: project, runner_id: id })}
        confirm={{
          title: `Remove runner #${id} from the project?`,
          text: 'It no longer runs jobs of this project, and stays in its other projects. The project in which it was created cannot remove it.',
          label: 'Remove the runner',
        }}
        done="The runner was removed from the project."
        location={location}
      >
        Remove {name}
      </ActionButton>
      <ActionButton
        run={() => client.call('DELETE /runners/:id', { id })}
        confirm={{
          title: `Delete runner #${id}?`,
          text: 'Its token is refused from then on. Jobs that it runs go on.',
          label: 'Delete the runner',
        }}
        done="The runner was deleted."
        location={location}
      >
        Delete {name}
      </ActionButton>
    </>
  );
}

/** The form of a runner. It first loads the attributes that the list lacks. */
function EditRunner({
  id,
  close,
  location,
}: {
  readonly id: number;
  readonly close: () => void;
  readonly location: PageLocation;
}) {
  const { client } = usePageActions();
  const [runner, setRunner] = useState<ResultOf<'GET /runners/:id'> | CallError | null>(null);
  useEffect(() => {
    client.call('GET /runners/:id', { id, include_projects: false }).then(
      ({ value }) => setRunner(value),
      (error: unknown) => {
        if (!(error instanceof CallError)) throw error;
        setRunner(error);
      },
    );
  }, [client, id]);
  if (runner === null) return <p class="quiet">Loading the runner …</p>;
  if (runner instanceof CallError) return <ActionError error={runner} location={location} />;
  return (
    <RunnerForm
      runner={runner}
      submit={(attributes) => client.call('PUT /runners/:id', { id, ...attributes })}
      close={close}
      location={location}
    />
  );
}
