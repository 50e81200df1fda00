import { useState } from 'preact/hooks';
import { toPath } from '../addresses.ts';
import type { PageLocation } from '../page.ts';
import { usePageActions } from '../page.ts';
import { ActionButton } from './action-button.tsx';
import { readText, TextArea, TextField } from './form.tsx';

/** A branch to which the caller commits. */
interface CommitBase {
  readonly name: string;
  /** Whether the caller may push to it; otherwise a new branch is needed. */
  readonly canPush: boolean;
}

/** The message of a commit, and its branch: the present one, or a new one that begins at it. */
export function CommitFields({ base, message }: { readonly base: CommitBase; readonly message: string }) {
  const [isNew, setNew] = useState(!base.canPush);
  return (
    <>
      <TextArea label="Commit message" name="commit_message" rows={2} defaultValue={message} required />
      {base.canPush ? (
        <fieldset class="field plain">
          <legend>Branch</legend>
          <label>
            <input type="radio" name="target" value="same" checked={!isNew} onChange={() => setNew(false)} /> Commit to{' '}
            <code>{base.name}</code>
          </label>
          <br />
          <label>
            <input type="radio" name="target" value="new" checked={isNew} onChange={() => setNew(true)} /> Commit to a
            new branch
          </label>
        </fieldset>
      ) : (
        <p class="quiet">
          You may not push to <code>{base.name}</code>, so the commit begins a new branch.
        </p>
      )}
      {isNew ? (
        <TextField label="New branch" name="new_branch" required autocomplete="off" placeholder="fix-door" />
      ) : null}
    </>
  );
}

/** Returns the parameters of a commit from the fields of a form. */
export function readCommit(values: FormData, base: CommitBase) {
  const newBranch = readText(values, 'new_branch').trim();
  const commit_message = readText(values, 'commit_message');
  return newBranch === ''
    ? { commit_message, branch: base.name }
    : { commit_message, branch: newBranch, start_branch: base.name };
}

/** A commit that has begun a new branch. */
export interface NewBranchCommit {
  readonly branch: string;
  readonly base: string;
  readonly message: string;
}

/** The next steps after a commit to a new branch: the branch, and a merge request into its start branch. */
export function CommittedToNewBranch({
  commit: { branch, base, message },
  project,
  canCreateMergeRequest,
  location,
}: {
  readonly commit: NewBranchCommit;
  readonly project: { readonly id: number; readonly path_with_namespace: string };
  readonly canCreateMergeRequest: boolean;
  readonly location: PageLocation;
}) {
  const { client, openUrl } = usePageActions();
  const createMergeRequest = async () => {
    const { value } = await client.call('POST /projects/:id/merge_requests', {
      id: project.id,
      source_branch: branch,
      target_branch: base,
      title: message.split('\n', 1)[0]!.slice(0, 255),
    });
    openUrl(value.web_url);
  };
  const tree = location.toUrl(toPath('tree', { project: project.path_with_namespace, ref_path: branch }));
  return (
    <section class="state" aria-label="Commit">
      <p>
        Committed to the new branch <a href={tree}>{branch}</a>.
      </p>
      {canCreateMergeRequest ? (
        <ActionButton run={createMergeRequest} location={location} isPrimary>
          Create a merge request into {base}
        </ActionButton>
      ) : null}
    </section>
  );
}
