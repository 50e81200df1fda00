import { toPath } from '../../addresses.ts';
import type { Issue } from '../../api/operations.ts';
import { type LoadedQueries, NO_ROWS, query, queryAll } from '../../api/query.ts';
import { ActionButton } from '../../components/action-button.tsx';
import { AwardEmoji } from '../../components/award-emoji.tsx';
import { Form, readText, TextArea, TextField } from '../../components/form.tsx';
import { createIssueNoteable, issueEventQueries, issueThreadQueries } from '../../components/issue-activity.ts';
import { IssueDetails } from '../../components/issue-details.tsx';
import { IssueLinks } from '../../components/issue-links.tsx';
import { IssueRemoval } from '../../components/issue-removal.tsx';
import { ItemRows } from '../../components/item-rows.tsx';
import { Markdown } from '../../components/markdown.tsx';
import { can, ProjectNavigation, projectQueries } from '../../components/project-navigation.tsx';
import { Time } from '../../components/time.tsx';
import { Timeline } from '../../components/timeline.tsx';
import { ToggledForm } from '../../components/toggled-form.tsx';
import { UserLink } from '../../components/user-link.tsx';
import { WhenNear } from '../../components/when-near.tsx';
import { type PageLocation, type PageProps, page, usePageActions } from '../../page.ts';

/** The seconds after which an issue is read again. */
const REFETCH_SECONDS = 5;

const queries = (location: PageLocation) => {
  const { project: id = '', issue_iid = '' } = location.values;
  return {
    ...projectQueries(id),
    issue: query('GET /projects/:id/issues/:issue_iid', { id, issue_iid }, REFETCH_SECONDS),
    ...issueThreadQueries(id, issue_iid, location),
  };
};

const laterQueries = (
  { issue: { value: issue } }: LoadedQueries<ReturnType<typeof queries>>,
  location: PageLocation,
) => {
  const { project: id = '' } = location.values;
  const path = { id, issue_iid: issue.iid };
  return {
    // The issue has only the titles of its labels; its row in the list has their colors and descriptions.
    rowWithLabels:
      issue.labels.length === 0
        ? NO_ROWS
        : query('GET /projects/:id/issues', { id, iids: String(issue.iid), scope: 'all', with_labels_details: true }),
    awards: queryAll('GET /projects/:id/issues/:issue_iid/award_emoji', path),
    mergeRequests: query('GET /projects/:id/issues/:issue_iid/related_merge_requests', path),
    // Visitors may not read links.
    links: location.session.userId === null ? NO_ROWS : query('GET /projects/:id/issues/:issue_iid/links', path),
    ...issueEventQueries(id, issue, location),
  };
};

/** An issue with its attributes, links and timeline. */
export const issue = page('issue', {
  queries,
  later: laterQueries,
  title: ({ issue }) => issue.value.title,
  navigation: (props) => <ProjectNavigation {...props} current="issues" />,
  render: (props) => <IssueContent {...props} />,
});

function IssueContent({
  project: { value: project },
  abilities,
  issue: { value: issue },
  discussions,
  later,
  location,
}: PageProps<typeof queries, typeof laterQueries>) {
  const { client, user } = usePageActions();
  const id = project.path_with_namespace;
  const issue_iid = String(issue.iid);
  const isOwn = user !== null && [issue.author, ...issue.assignees].some((own) => own.id === user.id);
  const mayUpdate = can(abilities, 'update_issue');
  const noteable = createIssueNoteable(client, id, issue_iid, {
    mayComment: user !== null && can(abilities, 'create_note'),
    mayWriteInternally: can(abilities, 'read_internal_note'),
    mayChangeAll: can(abilities, 'change_note'),
    mayResolveAll: can(abilities, 'resolve_note') || isOwn,
    project: id,
  });
  return (
    <div class="item">
      <div>
        <IssueText
          issue={issue}
          project={id}
          mayUpdate={mayUpdate || (isOwn && can(abilities, 'update_own_issue'))}
          location={location}
        />
        <WhenNear>
          {later === null ? null : (
            <>
              <AwardEmoji
                awards={later.awards.value}
                location={location}
                create={(name) =>
                  client.call('POST /projects/:id/issues/:issue_iid/award_emoji', { id, issue_iid, name })
                }
                remove={(award_id) =>
                  client.call('DELETE /projects/:id/issues/:issue_iid/award_emoji/:award_id', {
                    id,
                    issue_iid,
                    award_id,
                  })
                }
              />
              <IssueLinks
                links={later.links.value}
                project={id}
                issueIid={issue_iid}
                mayChange={can(abilities, 'relate_issue')}
                location={location}
              />
              {later.mergeRequests.value.length === 0 ? null : (
                <>
                  <h2>Merge requests</h2>
                  <ItemRows items={later.mergeRequests.value} />
                </>
              )}
            </>
          )}
        </WhenNear>
        <Timeline
          discussions={discussions}
          events={later}
          noteable={noteable}
          location={location}
          href={location.toUrl(toPath('issue', { project: id, issue_iid }))}
        />
      </div>
      <IssueDetails
        issue={issue}
        labels={later?.rowWithLabels.value[0]?.labels ?? issue.labels}
        project={project}
        mayUpdate={mayUpdate}
        location={location}
      >
        <IssueRemoval
          issue={issue}
          project={project}
          mayMove={mayUpdate}
          mayDelete={can(abilities, 'delete_issue')}
          location={location}
        />
      </IssueDetails>
    </div>
  );
}

/** The state and the description of an issue, with forms for users who may change them. */
function IssueText({
  issue,
  project,
  mayUpdate,
  location,
}: {
  readonly issue: Issue;
  readonly project: string;
  readonly mayUpdate: boolean;
  readonly location: PageLocation;
}) {
  const { client } = usePageActions();
  const path = { id: issue.project_id, issue_iid: issue.iid };
  const isOpen = issue.state === 'opened';
  return (
    <>
      <p>
        <span class="badge">{isOpen ? 'open' : 'closed'}</span>{' '}
        {issue.confidential ? <span class="badge">confidential</span> : null}{' '}
        {issue.discussion_locked ? <span class="badge">locked</span> : null}{' '}
        <span class="quiet">
          {issue.references.short} created <Time value={issue.created_at} /> by
        </span>{' '}
        <UserLink user={issue.author} />
      </p>
      <ToggledForm
        button="Edit"
        isOffered={mayUpdate}
        content={
          issue.description ? (
            <Markdown text={issue.description} project={project} />
          ) : (
            <p class="quiet">No description.</p>
          )
        }
        actions={
          <ActionButton
            location={location}
            run={() =>
              client.call('PUT /projects/:id/issues/:issue_iid', {
                ...path,
                state_event: isOpen ? 'close' : 'reopen',
              })
            }
            done={isOpen ? 'The issue was closed.' : 'The issue was reopened.'}
          >
            {isOpen ? 'Close issue' : 'Reopen issue'}
          </ActionButton>
        }
      >
        {(close) => (
          <Form
            label="Edit issue"
            submitLabel="Save issue"
            location={location}
            done="The issue was saved."
            onCancel={close}
            submit={async (values) => {
              await client.call('PUT /projects/:id/issues/:issue_iid', {
                ...path,
                title: readText(values, 'title'),
                description: readText(values, 'description'),
              });
              close();
            }}
          >
            <TextField label="Title" name="title" required maxLength={255} defaultValue={issue.title} />
            <TextArea label="Description" name="description" rows={12} defaultValue={issue.description ?? ''} />
          </Form>
        )}
      </ToggledForm>
    </>
  );
}
