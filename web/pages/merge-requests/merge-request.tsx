import { toPath } from '../../addresses.ts';
import type { Discussion, MergeRequest } from '../../api/operations.ts';
import { type LoadedQueries, NO_ROWS, query, queryAll } from '../../api/query.ts';
import { ActionButton } from '../../components/action-button.tsx';
import { Approvals } from '../../components/approvals.tsx';
import { AwardEmoji } from '../../components/award-emoji.tsx';
import { toLineAnchor } from '../../components/diff.tsx';
import { Form, readText, TextArea, TextField } from '../../components/form.tsx';
import { Markdown } from '../../components/markdown.tsx';
import { MergeBox } from '../../components/merge-box.tsx';
import {
  createMergeRequestNoteable,
  isOwnMergeRequest,
  mergeRequestEventQueries,
  mergeRequestThreadQueries,
} from '../../components/merge-request-activity.ts';
import { MergeRequestDetails } from '../../components/merge-request-details.tsx';
import { MergeRequestNavigation, mergeRequestQueries } from '../../components/merge-request-navigation.tsx';
import { can } from '../../components/project-navigation.tsx';
import { Time } from '../../components/time.tsx';
import { Timeline } from '../../components/timeline.tsx';
import { ToggledForm } from '../../components/toggled-form.tsx';
import { UserLink } from '../../components/user-link.tsx';
import { WhenNear } from '../../components/when-near.tsx';
import { type PageLocation, type PageProps, page, usePageActions } from '../../page.ts';

/** The seconds after which approvals are read again. */
const REFETCH_SECONDS = 5;

const queries = (location: PageLocation) => {
  const { project: id = '', merge_request_iid = '' } = location.values;
  const path = { id, merge_request_iid };
  return {
    ...mergeRequestQueries(id, merge_request_iid),
    approvals: query('GET /projects/:id/merge_requests/:merge_request_iid/approvals', path, REFETCH_SECONDS),
    ...mergeRequestThreadQueries(id, merge_request_iid, location),
  };
};

const laterQueries = (
  { mergeRequest: { value: mergeRequest } }: LoadedQueries<ReturnType<typeof queries>>,
  location: PageLocation,
) => {
  const { project: id = '', merge_request_iid = '' } = location.values;
  const path = { id, merge_request_iid };
  return {
    reviewers:
      mergeRequest.reviewers.length === 0
        ? NO_ROWS
        : query('GET /projects/:id/merge_requests/:merge_request_iid/reviewers', path),
    // The merge request has only the titles of its labels; its row in the list has their colors and descriptions.
    rowWithLabels:
      mergeRequest.labels.length === 0
        ? NO_ROWS
        : query('GET /projects/:id/merge_requests', {
            id,
            iids: merge_request_iid,
            scope: 'all',
            with_labels_details: true,
          }),
    awards: queryAll('GET /projects/:id/merge_requests/:merge_request_iid/award_emoji', path),
    ...mergeRequestEventQueries(id, merge_request_iid, location),
  };
};

/** A merge request: its description, how it is merged, its approvals, details and timeline. */
export const mergeRequest = page('mergeRequest', {
  queries,
  later: laterQueries,
  title: ({ mergeRequest }) => mergeRequest.value.title,
  navigation: (props) => <MergeRequestNavigation {...props} current="mergeRequest" />,
  render: (props) => <Overview {...props} />,
});

function Overview({
  project: { value: project },
  abilities,
  mergeRequest: { value: mergeRequest },
  approvals: { value: approvals },
  discussions,
  later,
  location,
}: PageProps<typeof queries, typeof laterQueries>) {
  const actions = usePageActions();
  const { client, user } = actions;
  const path = { id: project.id, merge_request_iid: mergeRequest.iid };
  const rowWithLabels = later?.rowWithLabels.value[0];
  const mayUpdate = can(abilities, 'update_merge_request');
  const mayUpdateOwn = isOwnMergeRequest(user, mergeRequest) && can(abilities, 'update_own_merge_request');
  return (
    <div class="item">
      <div>
        <Description
          mergeRequest={mergeRequest}
          project={project.path_with_namespace}
          mayUpdate={mayUpdate || mayUpdateOwn}
          location={location}
        />
        <WhenNear>
          {later === null ? null : (
            <AwardEmoji
              awards={later.awards.value}
              location={location}
              create={(name) =>
                client.call('POST /projects/:id/merge_requests/:merge_request_iid/award_emoji', { ...path, name })
              }
              remove={(award_id) =>
                client.call('DELETE /projects/:id/merge_requests/:merge_request_iid/award_emoji/:award_id', {
                  ...path,
                  award_id,
                })
              }
            />
          )}
        </WhenNear>
        <MergeBox
          mergeRequest={mergeRequest}
          project={project}
          abilities={abilities}
          approvalsLeft={approvals.approvals_left}
          location={location}
        />
        <Approvals
          approvals={approvals}
          reviewers={later?.reviewers.value ?? []}
          sha={mergeRequest.sha}
          location={location}
        />
        <Timeline
          discussions={discussions}
          events={later}
          noteable={createMergeRequestNoteable(actions, project, abilities, mergeRequest)}
          location={location}
          href={location.toUrl(toPath('mergeRequest', location.values))}
          renderContext={(discussion) => (
            <DiffLineLink discussion={discussion} mergeRequest={mergeRequest} location={location} />
          )}
        />
      </div>
      <MergeRequestDetails
        mergeRequest={mergeRequest}
        labels={rowWithLabels !== undefined && 'labels' in rowWithLabels ? rowWithLabels.labels : mergeRequest.labels}
        project={project}
        mayUpdate={mayUpdate}
        mayDelete={can(abilities, 'delete_merge_request')}
        location={location}
      />
    </div>
  );
}

/** A link to the changed line that a thread comments on. For a line of an earlier version, shows its path and number only. */
function DiffLineLink({
  discussion: { notes },
  mergeRequest: { diff_refs },
  location: { toUrl, values },
}: {
  readonly discussion: Discussion;
  readonly mergeRequest: MergeRequest;
  readonly location: PageLocation;
}) {
  const position = notes[0]?.position;
  if (position == null) return null;
  const { old_line = null, new_line = null } = position;
  const path = position.new_path ?? position.old_path ?? '';
  const line = new_line ?? old_line;
  const name = (
    <>
      <bdi>{path}</bdi>
      {line === null ? null : `, line ${line}`}
    </>
  );
  if (position.head_sha !== diff_refs.head_sha) return <p class="quiet">{name} of an earlier version</p>;
  const anchor = toLineAnchor(path, { oldLine: old_line, newLine: new_line });
  return (
    <p>
      <a href={`${toUrl(toPath('mergeRequestDiffs', values))}${anchor}`}>{name}</a>
    </p>
  );
}

/** The branches, state and description of a merge request, with forms for users who may change them. */
function Description({
  mergeRequest,
  project,
  mayUpdate,
  location,
}: {
  readonly mergeRequest: MergeRequest;
  readonly project: string;
  readonly mayUpdate: boolean;
  readonly location: PageLocation;
}) {
  const { client } = usePageActions();
  const { state, draft, title, description, references, created_at, author, source_branch, target_branch } =
    mergeRequest;
  const update = (changes: object) =>
    client.call('PUT /projects/:id/merge_requests/:merge_request_iid', {
      id: mergeRequest.project_id,
      merge_request_iid: mergeRequest.iid,
      ...changes,
    });
  const isOpen = state === 'opened';
  const patch = `${location.toUrl(toPath('mergeRequest', location.values))}.patch`;
  return (
    <>
      <p>
        <span class="badge">{isOpen ? 'open' : state}</span> {draft ? <span class="badge">draft</span> : null}{' '}
        {mergeRequest.discussion_locked ? <span class="badge">locked</span> : null}{' '}
        <span class="quiet">
          {references.short} created <Time value={created_at} /> by
        </span>{' '}
        <UserLink user={author} />
      </p>
      <p>
        <code>{source_branch}</code> into <code>{target_branch}</code> ·{' '}
        <a href={patch} download>
          Patch
        </a>
      </p>
      <ToggledForm
        button="Edit"
        isOffered={mayUpdate}
        content={description ? <Markdown text={description} project={project} /> : <p class="quiet">No description.</p>}
        actions={
          <>
            {isOpen ? (
              <ActionButton
                location={location}
                run={() => update({ title: draft ? title.replace(DRAFT_PREFIX, '') : `Draft: ${title}` })}
                done={draft ? 'The merge request is ready.' : 'The merge request is a draft.'}
              >
                {draft ? 'Mark as ready' : 'Mark as draft'}
              </ActionButton>
            ) : null}
            {isOpen || state === 'closed' ? (
              <ActionButton
                location={location}
                run={() => update({ state_event: isOpen ? 'close' : 'reopen' })}
                done={isOpen ? 'The merge request was closed.' : 'The merge request was reopened.'}
              >
                {isOpen ? 'Close merge request' : 'Reopen merge request'}
              </ActionButton>
            ) : null}
          </>
        }
      >
        {(close) => (
          <Form
            label="Edit merge request"
            submitLabel="Save merge request"
            location={location}
            done="The merge request was saved."
            onCancel={close}
            submit={async (values) => {
              await update({
                title: readText(values, 'title'),
                description: readText(values, 'description'),
                ...(isOpen ? { target_branch: readText(values, 'target_branch') } : {}),
              });
              close();
            }}
          >
            <TextField label="Title" name="title" required maxLength={255} defaultValue={title} />
            {isOpen ? (
              <TextField label="Target branch" name="target_branch" required defaultValue={target_branch} />
            ) : null}
            <TextArea label="Description" name="description" rows={12} defaultValue={description ?? ''} />
          </Form>
        )}
      </ToggledForm>
    </>
  );
}

/** The prefixes of titles of drafts. */
const DRAFT_PREFIX = /^(?:draft:\s*)+/i;
