import { toPath } from '../addresses.ts';
import type { ResultOf } from '../api/call.ts';
import { type PageLocation, usePageActions } from '../page.ts';
import { isActive } from '../text/ci-status.ts';
import { ActionButton } from './action-button.tsx';
import { Form, readText, TextField } from './form.tsx';
import { ToggledForm } from './toggled-form.tsx';

type PipelineDetail = ResultOf<'GET /projects/:id/pipelines/:pipeline_id'>;

/** The actions on a pipeline that its state and the abilities of the visitor allow. */
export function PipelineActions({
  pipeline: { project_id: id, id: pipeline_id, status, name },
  mayUpdate,
  mayDelete,
  location,
  location: { toUrl, values },
}: {
  readonly pipeline: PipelineDetail;
  readonly mayUpdate: boolean;
  readonly mayDelete: boolean;
  readonly location: PageLocation;
}) {
  const { client, openUrl } = usePageActions();
  const target = { id, pipeline_id };
  const remove = async () => {
    await client.call('DELETE /projects/:id/pipelines/:pipeline_id', target);
    openUrl(toUrl(toPath('pipelines', values)));
  };
  const buttons = (
    <>
      {mayUpdate && !isActive(status) && status !== 'success' ? (
        <ActionButton
          run={() => client.call('POST /projects/:id/pipelines/:pipeline_id/retry', target)}
          done="The failed jobs were started again."
          location={location}
        >
          Retry failed jobs
        </ActionButton>
      ) : null}
      {mayUpdate && (isActive(status) || status === 'manual') ? (
        <ActionButton
          run={() => client.call('POST /projects/:id/pipelines/:pipeline_id/cancel', target)}
          done="The pipeline was canceled."
          location={location}
        >
          Cancel
        </ActionButton>
      ) : null}
      {mayDelete ? (
        <ActionButton
          run={remove}
          confirm={{
            title: `Delete pipeline #${pipeline_id}?`,
            text: 'Its jobs, logs, artifacts and variables are deleted too, and cannot be restored.',
            label: 'Delete the pipeline',
          }}
          location={location}
        >
          Delete
        </ActionButton>
      ) : null}
    </>
  );
  return (
    <ToggledForm
      button="Rename"
      isOffered={mayUpdate}
      actions={buttons}
      content={mayUpdate ? null : <div class="actions">{buttons}</div>}
    >
      {(close) => (
        <Form
          label="Rename the pipeline"
          submitLabel="Save"
          submit={async (values) => {
            const metadata = { ...target, name: readText(values, 'name') };
            await client.call('PUT /projects/:id/pipelines/:pipeline_id/metadata', metadata);
            close();
          }}
          done="The pipeline was renamed."
          onCancel={close}
          location={location}
        >
          <TextField label="Name" name="name" defaultValue={name ?? ''} required maxLength={255} />
        </Form>
      )}
    </ToggledForm>
  );
}
