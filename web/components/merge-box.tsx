import { toPath } from '../addresses.ts';
import type { MergeRequest } from '../api/operations.ts';
import { type PageLocation, usePageActions } from '../page.ts';
import { isPipelineActive, listMergeObstacles } from '../text/merge-checks.ts';
import { listConflictCommands } from '../text/shell.ts';
import { ActionButton } from './action-button.tsx';
import { CheckField, Form, readText, TextArea } from './form.tsx';
import { can, type ProjectAbilities, type ProjectDetails } from './project-navigation.tsx';
import { Status } from './status.tsx';
import { Time } from './time.tsx';
import { UserLink } from './user-link.tsx';

interface MergeProps {
  readonly mergeRequest: MergeRequest;
  readonly project: ProjectDetails;
  readonly location: PageLocation;
}

/** Merges a merge request now or when it is ready, or states every reason why that is not possible. */
export function MergeBox(props: MergeProps & { readonly abilities: ProjectAbilities; readonly approvalsLeft: number }) {
  const { mergeRequest, project, abilities, approvalsLeft, location } = props;
  if (mergeRequest.state === 'merged')
    return <Merged mergeRequest={mergeRequest} project={project} location={location} />;
  // Visitors do not get the settings of the project.
  const settings = 'merge_method' in project ? project : {};
  const obstacles = listMergeObstacles(mergeRequest, settings, {
    now: Date.now(),
    approvalsLeft,
    mayReadPipelines: can(abilities, 'read_pipeline'),
  });
  const { head_pipeline, merge_error, merge_when_pipeline_succeeds: isAutoMerge } = mergeRequest;
  const hasConflict = obstacles.some(({ check }) => check === 'conflict');
  const mayAutoMerge =
    obstacles.every(({ canWait }) => canWait) && (obstacles.length > 0 || isPipelineActive(head_pipeline));
  return (
    <section class="merge-box" aria-labelledby="merge">
      <h2 id="merge">Merge</h2>
      {head_pipeline === null ? null : (
        <p>
          <a href={head_pipeline.web_url}>Pipeline #{head_pipeline.id}</a> <Status status={head_pipeline.status} />
        </p>
      )}
      {merge_error === null ? null : <p class="note">{merge_error}</p>}
      {obstacles.length === 0 ? (
        <p>It is ready to be merged.</p>
      ) : (
        <>
          <p>Merging is blocked:</p>
          <ul>
            {obstacles.map(({ check, reason }) => (
              <li key={check}>{reason}</li>
            ))}
          </ul>
        </>
      )}
      {hasConflict ? (
        <details>
          <summary>Commands that resolve the conflicts</summary>
          <pre class="command">{listConflictCommands(mergeRequest.source_branch, mergeRequest.target_branch)}</pre>
        </details>
      ) : (
        <RebaseButton mergeRequest={mergeRequest} abilities={abilities} location={location} />
      )}
      {isAutoMerge ? <AutoMerge {...props} /> : null}
      {obstacles.length === 0 ? (
        <MergeForm key="now" mergeRequest={mergeRequest} project={project} location={location} isLater={false} />
      ) : null}
      {mayAutoMerge && !isAutoMerge ? (
        <MergeForm key="later" mergeRequest={mergeRequest} project={project} location={location} isLater />
      ) : null}
    </section>
  );
}

function Merged({ mergeRequest, project, location: { toUrl } }: MergeProps) {
  const { merged_by, merged_at, target_branch, merge_commit_sha, squash_commit_sha, sha } = mergeRequest;
  const commit = merge_commit_sha ?? squash_commit_sha ?? sha;
  return (
    <section class="merge-box" aria-labelledby="merge">
      <h2 id="merge">Merged</h2>
      <p>
        {merged_by === null ? 'It was' : <UserLink user={merged_by} />} merged into <bdi>{target_branch}</bdi>{' '}
        {merged_at === null ? null : <Time value={merged_at} />}
        {commit === null ? null : (
          <>
            {' '}
            as{' '}
            <a href={toUrl(toPath('commit', { project: project.path_with_namespace, sha: commit }))}>
              <code>{commit.slice(0, 8)}</code>
            </a>
          </>
        )}
        .
      </p>
    </section>
  );
}

/** The user who enabled auto-merge, and a button that cancels it. */
function AutoMerge({ mergeRequest, location }: MergeProps) {
  const { client, user } = usePageActions();
  const mayCancel = mergeRequest.user.can_merge || mergeRequest.author.id === user?.id;
  return (
    <div>
      <p>
        {mergeRequest.merge_user === null ? 'A deleted user' : <UserLink user={mergeRequest.merge_user} />} has enabled
        auto-merge: the merge request is merged when all checks are met.
      </p>
      {mayCancel ? (
        <ActionButton
          location={location}
          done="Auto-merge was cancelled."
          run={() =>
            client.call('POST /projects/:id/merge_requests/:merge_request_iid/cancel_merge_when_pipeline_succeeds', {
              id: mergeRequest.project_id,
              merge_request_iid: mergeRequest.iid,
            })
          }
        >
          Cancel auto-merge
        </ActionButton>
      ) : null}
    </div>
  );
}

/** Rebases a source branch that lacks commits of the target branch. */
function RebaseButton({
  mergeRequest,
  abilities,
  location,
}: Omit<MergeProps, 'project'> & { readonly abilities: ProjectAbilities }) {
  const { client } = usePageActions();
  const { state, diverged_commits_count, rebase_in_progress } = mergeRequest;
  const isBehind = (diverged_commits_count ?? 0) > 0;
  if (state !== 'opened' || !isBehind || rebase_in_progress || !can(abilities, 'push_code')) return null;
  return (
    <ActionButton
      location={location}
      done="The rebase has started."
      run={() =>
        client.call('PUT /projects/:id/merge_requests/:merge_request_iid/rebase', {
          id: mergeRequest.project_id,
          merge_request_iid: mergeRequest.iid,
        })
      }
    >
      Rebase
    </ActionButton>
  );
}

function MergeForm({ mergeRequest, project, location, isLater }: MergeProps & { readonly isLater: boolean }) {
  const { client } = usePageActions();
  const { sha, squash, squash_on_merge, force_remove_source_branch, should_remove_source_branch } = mergeRequest;
  const option = 'squash_option' in project ? project.squash_option : 'default_off';
  const mayChoose = option !== 'always' && option !== 'never';
  const merge = (values: FormData) => {
    const mergeMessage = readText(values, 'merge_commit_message');
    const squashMessage = readText(values, 'squash_commit_message');
    return client.call('PUT /projects/:id/merge_requests/:merge_request_iid/merge', {
      id: mergeRequest.project_id,
      merge_request_iid: mergeRequest.iid,
      should_remove_source_branch: values.has('should_remove_source_branch'),
      ...(mayChoose ? { squash: values.has('squash') } : {}),
      ...(sha === null ? {} : { sha }),
      ...(mergeMessage === '' ? {} : { merge_commit_message: mergeMessage }),
      ...(squashMessage === '' ? {} : { squash_commit_message: squashMessage }),
      ...(isLater ? { auto_merge: true } : {}),
    });
  };
  return (
    <Form
      label={isLater ? 'Auto-merge' : 'Merge'}
      submitLabel={isLater ? 'Merge when all checks are met' : 'Merge'}
      location={location}
      done={isLater ? 'Auto-merge was enabled.' : 'The merge request was merged.'}
      submit={merge}
    >
      <CheckField
        label="Delete the source branch"
        name="should_remove_source_branch"
        defaultChecked={should_remove_source_branch ?? force_remove_source_branch}
      />
      {mayChoose ? (
        <CheckField label="Squash the commits into one" name="squash" defaultChecked={squash} />
      ) : (
        <p class="quiet">
          {squash_on_merge ? 'The project squashes all commits into one.' : 'The project does not squash.'}
        </p>
      )}
      <details>
        <summary>Commit messages</summary>
        <TextArea
          label="Merge commit"
          name="merge_commit_message"
          rows={4}
          hint="If empty, the template of the project is used."
        />
        <TextArea label="Squash commit" name="squash_commit_message" rows={4} hint="If empty, the title is used." />
      </details>
    </Form>
  );
}
