import { toPath } from '../addresses.ts';
import type { ResultOf } from '../api/call.ts';
import { type PageLocation, usePageActions } from '../page.ts';
import { isActive } from '../text/ci-status.ts';
import { ActionButton } from './action-button.tsx';
import { Form } from './form.tsx';
import { can, type ProjectAbilities } from './project-navigation.tsx';
import { readVariables, VariableFields } from './variable-fields.tsx';

type Job = ResultOf<'GET /projects/:id/jobs/:job_id'>;

interface JobProps {
  readonly project: number;
  readonly job: Job;
  readonly location: PageLocation;
}

/** The actions on a job that its state and the abilities of the visitor allow. */
export function JobActions({
  project: id,
  job,
  abilities,
  location,
}: JobProps & { readonly abilities: ProjectAbilities }) {
  const { client, openUrl } = usePageActions();
  const target = { id, job_id: job.id };
  const mayAdminister = can(abilities, 'admin_pipeline');
  const mayUpdate = can(abilities, 'update_pipeline');
  const isFinished = ['success', 'failed', 'canceled'].includes(job.status);
  const hasData = job.artifacts.length > 0;
  const isOwn = job.user !== null && job.user.id === location.session.userId;
  const retry = async () => {
    const { value } = await client.call('POST /projects/:id/jobs/:job_id/retry', target);
    openUrl(location.toUrl(toPath('job', { ...location.values, job_id: String(value.id) })));
  };
  return (
    <>
      <div class="actions">
        {mayUpdate && isFinished ? (
          <ActionButton run={retry} location={location}>
            Retry
          </ActionButton>
        ) : null}
        {mayUpdate && job.status === 'scheduled' ? (
          <ActionButton
            run={() => client.call('POST /projects/:id/jobs/:job_id/play', target)}
            done="The job was started."
            location={location}
          >
            Start now
          </ActionButton>
        ) : null}
        {mayUpdate && isActive(job.status) && job.status !== 'canceling' ? (
          <ActionButton
            run={() => client.call('POST /projects/:id/jobs/:job_id/cancel', target)}
            done="The job was canceled."
            location={location}
          >
            Cancel
          </ActionButton>
        ) : null}
        {mayAdminister && job.status === 'canceling' ? (
          <ActionButton
            run={() => client.call('POST /projects/:id/jobs/:job_id/cancel', { ...target, force: true })}
            done="The job was canceled."
            location={location}
          >
            Cancel without waiting for the runner
          </ActionButton>
        ) : null}
        {mayUpdate && job.artifacts_expire_at !== null ? (
          <ActionButton
            run={() => client.call('POST /projects/:id/jobs/:job_id/artifacts/keep', target)}
            done="The artifacts are kept."
            location={location}
          >
            Keep the artifacts
          </ActionButton>
        ) : null}
        {mayUpdate && (isOwn || mayAdminister) && isFinished && hasData ? (
          <ActionButton
            run={() => client.call('POST /projects/:id/jobs/:job_id/erase', target)}
            confirm={{
              title: 'Erase the log and the artifacts?',
              text: 'They cannot be restored.',
              label: 'Erase',
            }}
            done="The log and the artifacts were erased."
            location={location}
          >
            Erase
          </ActionButton>
        ) : null}
      </div>
      {mayUpdate && job.status === 'manual' ? <PlayForm project={id} job={job} location={location} /> : null}
    </>
  );
}

/** Starts a manual job, with variables for this run. */
function PlayForm({ project: id, job: { id: job_id }, location }: JobProps) {
  const { client } = usePageActions();
  const submit = (values: FormData) => {
    const variables = readVariables(values).map(({ key, value }) => ({ key, value }));
    return client.call('POST /projects/:id/jobs/:job_id/play', {
      id,
      job_id,
      ...(variables.length === 0 ? {} : { job_variables_attributes: variables }),
    });
  };
  return (
    <Form label="Run the job" submitLabel="Run the job" submit={submit} done="The job was started." location={location}>
      <VariableFields hasTypes={false} />
    </Form>
  );
}
