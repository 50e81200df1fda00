import { type ComponentChildren, Fragment } from 'preact';
import { toPath } from '../addresses.ts';
import { ignoreNotModified } from '../api/call.ts';
import type { Issue } from '../api/operations.ts';
import { type PageLocation, usePageActions } from '../page.ts';
import { nameIteration } from '../text/iterations.ts';
import { ActionButton } from './action-button.tsx';
import { Form } from './form.tsx';
import { IssueFields, readIssueFields } from './issue-fields.tsx';
import { getLabelTitle, Label, type LabelOrTitle } from './label.tsx';
import type { ProjectDetails } from './project-navigation.tsx';
import { type TimeCalls, TimeTracking } from './time-tracking.tsx';
import { ToggledForm } from './toggled-form.tsx';
import { UserLinks } from './user-link.tsx';

/** The attributes of an issue next to its text, and the personal actions of a signed-in user, such as subscribing. */
export function IssueDetails({
  issue,
  labels,
  project,
  mayUpdate,
  location,
  children,
}: {
  readonly issue: Issue;
  /** The labels of the issue with their colours, as far as they are known. */
  readonly labels: readonly LabelOrTitle[];
  readonly project: ProjectDetails;
  readonly mayUpdate: boolean;
  readonly location: PageLocation;
  readonly children: ComponentChildren;
}) {
  const { client, user } = usePageActions();
  const path = { id: project.id, issue_iid: issue.iid };
  return (
    <aside class="details" aria-label="Details">
      <ToggledForm
        button="Edit details"
        isOffered={mayUpdate}
        content={<Attributes issue={issue} labels={labels} project={project} location={location} />}
      >
        {(close) => (
          <Form
            label="Details"
            submitLabel="Save details"
            location={location}
            done="The details were saved."
            onCancel={close}
            submit={async (values) => {
              await client.call('PUT /projects/:id/issues/:issue_iid', { ...path, ...readIssueFields(values) });
              close();
            }}
          >
            <IssueFields project={project} issue={issue} />
          </Form>
        )}
      </ToggledForm>
      <h2>Time</h2>
      <TimeTracking
        stats={issue.time_stats}
        calls={mayUpdate ? createTimeCalls(client, path) : null}
        location={location}
      />
      {user === null ? null : (
        <>
          <h2>For you</h2>
          <div class="actions">
            <SubscribeButton issue={issue} location={location} />
            <ActionButton
              location={location}
              run={() => client.call('POST /projects/:id/issues/:issue_iid/todo', path).catch(ignoreNotModified)}
              done="The issue is in your to-do list."
            >
              Add to my to-do list
            </ActionButton>
          </div>
        </>
      )}
      {children}
    </aside>
  );
}

function SubscribeButton({ issue, location }: { readonly issue: Issue; readonly location: PageLocation }) {
  const { client } = usePageActions();
  const path = { id: issue.project_id, issue_iid: issue.iid };
  return issue.subscribed ? (
    <ActionButton
      location={location}
      run={() => client.call('POST /projects/:id/issues/:issue_iid/unsubscribe', path).catch(ignoreNotModified)}
      done="You no longer get notifications of this issue."
    >
      Unsubscribe
    </ActionButton>
  ) : (
    <ActionButton
      location={location}
      run={() => client.call('POST /projects/:id/issues/:issue_iid/subscribe', path).catch(ignoreNotModified)}
      done="You get notifications of this issue."
    >
      Subscribe
    </ActionButton>
  );
}

function Attributes({
  issue,
  labels,
  project,
  location: { toUrl },
}: {
  readonly issue: Issue;
  readonly labels: readonly LabelOrTitle[];
  readonly project: ProjectDetails;
  readonly location: PageLocation;
}) {
  const list = toUrl(toPath('issues', { project: project.path_with_namespace }));
  return (
    <dl>
      <Attribute name="Assignees">
        <UserLinks users={issue.assignees} empty="Nobody" />
      </Attribute>
      <Attribute name="Labels">
        {labels.length === 0 ? <span class="quiet">None</span> : null}
        {labels.map((label) => (
          <Fragment key={getLabelTitle(label)}>
            <Label label={label} href={`${list}?${new URLSearchParams({ labels: getLabelTitle(label) })}`} />{' '}
          </Fragment>
        ))}
      </Attribute>
      <Attribute name="Milestone">
        {issue.milestone === null ? (
          <span class="quiet">None</span>
        ) : (
          <a href={issue.milestone.web_url}>{issue.milestone.title}</a>
        )}
      </Attribute>
      {issue.due_date === null ? null : <Attribute name="Due date">{issue.due_date}</Attribute>}
      {issue.weight == null ? null : <Attribute name="Weight">{issue.weight}</Attribute>}
      {issue.iteration == null ? null : (
        <Attribute name="Iteration">
          <a href={issue.iteration.web_url}>{nameIteration(issue.iteration)}</a>
        </Attribute>
      )}
      {issue.epic == null ? null : (
        <Attribute name="Epic">
          <a href={toUrl(issue.epic.url)}>{issue.epic.title}</a>
        </Attribute>
      )}
      {issue.task_completion_status.count === 0 ? null : (
        <Attribute name="Tasks">
          {issue.task_completion_status.completed_count} of {issue.task_completion_status.count} completed
        </Attribute>
      )}
    </dl>
  );
}

const Attribute = ({ name, children }: { readonly name: string; readonly children: ComponentChildren }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
);

const createTimeCalls = (
  client: ReturnType<typeof usePageActions>['client'],
  path: { readonly id: number; readonly issue_iid: number },
): TimeCalls => ({
  setEstimate: (duration) => client.call('POST /projects/:id/issues/:issue_iid/time_estimate', { ...path, duration }),
  resetEstimate: () => client.call('POST /projects/:id/issues/:issue_iid/reset_time_estimate', path),
  addSpentTime: (duration, summary) =>
    client.call('POST /projects/:id/issues/:issue_iid/add_spent_time', { ...path, duration, summary }),
  resetSpentTime: () => client.call('POST /projects/:id/issues/:issue_iid/reset_spent_time', path),
});
