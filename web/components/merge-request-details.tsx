import { Fragment } from 'preact';
import { toPath } from '../addresses.ts';
import type { MergeRequest } from '../api/operations.ts';
import { type PageLocation, usePageActions } from '../page.ts';
import { ActionButton } from './action-button.tsx';
import { Form } from './form.tsx';
import { getLabelTitle, Label, type LabelOrTitle } from './label.tsx';
import { MergeRequestFields, readMergeRequestFields } from './merge-request-fields.tsx';
import type { ProjectDetails } from './project-navigation.tsx';
import { ToggledForm } from './toggled-form.tsx';
import { UserLinks } from './user-link.tsx';

interface DetailsProps {
  readonly mergeRequest: MergeRequest;
  /** The labels with their colours, as far as they are known. */
  readonly labels: readonly LabelOrTitle[];
  readonly project: ProjectDetails;
  readonly location: PageLocation;
}

/**
 * The people, labels and milestone of a merge request, and the personal actions of a signed-in user, such as subscribing.
 */
export function MergeRequestDetails({
  mergeRequest,
  labels,
  project,
  mayUpdate,
  mayDelete,
  location,
}: DetailsProps & { readonly mayUpdate: boolean; readonly mayDelete: boolean }) {
  const { client, user, openUrl } = usePageActions();
  const path = { id: project.id, merge_request_iid: mergeRequest.iid };
  const subscription = mergeRequest.subscribed
    ? { label: 'Unsubscribe', done: 'You no longer get notifications of this merge request.' }
    : { label: 'Subscribe', done: 'You get notifications of this merge request.' };
  return (
    <aside class="details" aria-label="Details">
      <ToggledForm
        button="Edit details"
        isOffered={mayUpdate}
        content={<Attributes mergeRequest={mergeRequest} labels={labels} project={project} location={location} />}
      >
        {(close) => (
          <Form
            label="Details"
            submitLabel="Save details"
            location={location}
            done="The details were saved."
            onCancel={close}
            submit={async (values) => {
              await client.call('PUT /projects/:id/merge_requests/:merge_request_iid', {
                ...path,
                ...readMergeRequestFields(values),
                discussion_locked: values.has('discussion_locked'),
              });
              close();
            }}
          >
            <MergeRequestFields project={project} mergeRequest={mergeRequest} />
          </Form>
        )}
      </ToggledForm>
      <div class="actions">
        {user === null ? null : (
          <ActionButton
            location={location}
            done={subscription.done}
            run={() =>
              mergeRequest.subscribed
                ? client.call('POST /projects/:id/merge_requests/:merge_request_iid/unsubscribe', path)
                : client.call('POST /projects/:id/merge_requests/:merge_request_iid/subscribe', path)
            }
          >
            {subscription.label}
          </ActionButton>
        )}
        {mayDelete ? (
          <ActionButton
            location={location}
            confirm={{
              title: 'Delete this merge request?',
              text: 'Its comments and approvals are deleted too; its branches stay. This cannot be undone.',
              label: 'Delete merge request',
            }}
            run={async () => {
              await client.call('DELETE /projects/:id/merge_requests/:merge_request_iid', path);
              openUrl(location.toUrl(toPath('mergeRequests', { project: project.path_with_namespace })));
            }}
          >
            Delete merge request
          </ActionButton>
        ) : null}
      </div>
    </aside>
  );
}

function Attributes({ mergeRequest, labels, project, location: { toUrl } }: DetailsProps) {
  const { assignees, reviewers, milestone, references, task_completion_status: tasks } = mergeRequest;
  const list = toUrl(toPath('mergeRequests', { project: project.path_with_namespace }));
  return (
    <dl>
      <dt>Assignees</dt>
      <dd>
        <UserLinks users={assignees} empty="Nobody" />
      </dd>
      <dt>Reviewers</dt>
      <dd>
        <UserLinks users={reviewers} empty="Nobody" />
      </dd>
      <dt>Labels</dt>
      <dd>
        {labels.length === 0 ? <span class="quiet">None</span> : null}
        {labels.map((label) => (
          <Fragment key={getLabelTitle(label)}>
            <Label label={label} href={`${list}?${new URLSearchParams({ labels: getLabelTitle(label) })}`} />{' '}
          </Fragment>
        ))}
      </dd>
      <dt>Milestone</dt>
      <dd>
        {milestone === null ? <span class="quiet">None</span> : <a href={milestone.web_url}>{milestone.title}</a>}
      </dd>
      {tasks.count === 0 ? null : (
        <>
          <dt>Tasks</dt>
          <dd>
            {tasks.completed_count} of {tasks.count} completed
          </dd>
        </>
      )}
      <dt>Reference</dt>
      <dd>{references.full}</dd>
    </dl>
  );
}
