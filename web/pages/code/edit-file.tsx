import { useState } from 'preact/hooks';
import { toPath } from '../../addresses.ts';
import { type AtBranch, queryAtBranch } from '../../api/branch-path.ts';
import { CallError, type ResultOf } from '../../api/call.ts';
import {
  CommitFields,
  CommittedToNewBranch,
  type NewBranchCommit,
  readCommit,
} from '../../components/commit-fields.tsx';
import { useDraft } from '../../components/draft.ts';
import { FileText } from '../../components/file-text.tsx';
import { Form, TextField } from '../../components/form.tsx';
import { can, ProjectNavigation, projectQueries } from '../../components/project-navigation.tsx';
import { ToggledForm } from '../../components/toggled-form.tsx';
import { PathLinks } from '../../components/tree.tsx';
import { type PageLocation, page, usePageActions } from '../../page.ts';
import { encodeFile } from '../../text/base64.ts';
import { readEditableText, toFileContent } from '../../text/editable-text.ts';
import { MAX_SHOWN_BYTES } from '../../text/file-content.ts';

type RepositoryFile = ResultOf<'GET /projects/:id/repository/files/:file_path'>;

/** The forms that edit, replace and delete a file of a branch. */
export const editFile = page('editFile', {
  queries: ({ values: { project: id = '', ref_file = '' } }) => ({
    ...projectQueries(id),
    file: queryAtBranch(id, ref_file, (client, { ref, path }) =>
      client.call('GET /projects/:id/repository/files/:file_path', { id, file_path: path, ref }),
    ),
  }),
  title: ({ file }) => `Edit ${file.value.result.file_name}`,
  navigation: (props) => <ProjectNavigation {...props} current="project" />,
  render: ({ project: { value: project }, abilities, file: { value: file }, location }) => (
    <>
      <PathLinks project={project.path_with_namespace} refPath={file} location={location} />
      {!can(abilities, 'push_code') ? (
        <p>You may not change files of this project.</p>
      ) : file.branch === null ? (
        <p>
          <code>{file.ref}</code> is no branch. Open the file in a branch to change it.
        </p>
      ) : (
        <Forms
          key={`${file.ref} ${file.path}`}
          file={file}
          project={project}
          canCreateMergeRequest={can(abilities, 'create_merge_request')}
          location={location}
        />
      )}
    </>
  ),
});

interface FormsProps {
  readonly file: AtBranch<RepositoryFile>;
  readonly project: { readonly id: number; readonly path_with_namespace: string };
  readonly location: PageLocation;
}

type CommitParams = ReturnType<typeof readCommit>;

function Forms({
  file,
  project,
  canCreateMergeRequest,
  location,
}: FormsProps & { readonly canCreateMergeRequest: boolean }) {
  const { openUrl } = usePageActions();
  const [commit, setCommit] = useState<NewBranchCommit | null>(null);
  if (commit !== null)
    return (
      <CommittedToNewBranch
        commit={commit}
        project={project}
        canCreateMergeRequest={canCreateMergeRequest}
        location={location}
      />
    );
  const values = { project: project.path_with_namespace };
  /** Shows the result of a commit: the path in its branch, or the next steps for a new branch. */
  const finish = ({ branch, commit_message: message }: CommitParams, isDeleted = false) => {
    if (branch !== file.ref) return setCommit({ branch, base: file.ref, message });
    const directory = file.path.split('/').slice(0, -1);
    const path = isDeleted
      ? toPath('tree', { ...values, ref_path: [branch, ...directory].join('/') })
      : toPath('file', { ...values, ref_file: `${branch}/${file.path}` });
    openUrl(location.toUrl(path));
  };
  return (
    <>
      <EditForm file={file} project={project} location={location} finish={finish} />
      <h2>Other changes</h2>
      <div class="stack">
        <ToggledForm button="Replace the file by an upload">
          {(close) => (
            <ReplaceForm file={file} project={project} location={location} finish={finish} onCancel={close} />
          )}
        </ToggledForm>
        <ToggledForm button="Delete the file">
          {(close) => <DeleteForm file={file} project={project} location={location} finish={finish} onCancel={close} />}
        </ToggledForm>
      </div>
    </>
  );
}

interface ChangeFormProps extends FormsProps {
  readonly finish: (commit: CommitParams, isDeleted?: boolean) => void;
}

const getBase = ({ ref, branch }: AtBranch<RepositoryFile>) => ({ name: ref, canPush: branch?.can_push ?? false });

function EditForm({ file, project, location, finish }: ChangeFormProps) {
  const { client } = usePageActions();
  const editable = file.result.size > MAX_SHOWN_BYTES ? null : readEditableText(file.result.content);
  const { draft, isRestored, change, discard } = useDraft(
    { userId: location.session.userId, subject: `${project.id} ${file.ref} ${file.path}` },
    {
      text: editable?.text ?? '',
      base: file.result.last_commit_id,
    },
  );
  const [hasConflict, setConflict] = useState(false);
  if (editable === null) return <p class="quiet">This file is too large to be edited here, or it is not text.</p>;
  const params = { id: project.id, file_path: file.path };
  const submit = async (values: FormData) => {
    const commit = readCommit(values, getBase(file));
    const content = toFileContent(draft.text, editable.lineEnding);
    await client
      .call('PUT /projects/:id/repository/files/:file_path', {
        ...params,
        ...commit,
        content,
        last_commit_id: draft.base,
      })
      .catch((error: unknown) => {
        if (error instanceof CallError && error.message.includes('has changed since')) setConflict(true);
        throw error;
      });
    discard();
    finish(commit);
  };
  const takeOverBase = async () => {
    const { value } = await client.call('GET /projects/:id/repository/files/:file_path', { ...params, ref: file.ref });
    change({ ...draft, base: value.last_commit_id });
    setConflict(false);
  };
  const current = toPath('file', { project: project.path_with_namespace, ref_file: `${file.ref}/${file.path}` });
  return (
    <Form label="Edit the file" submitLabel="Commit" submit={submit} location={location}>
      {isRestored ? (
        <p class="note" role="status">
          Your unsaved text was restored.{' '}
          <button type="button" class="plain" onClick={discard}>
            Discard it
          </button>
        </p>
      ) : null}
      <FileText value={draft.text} onChange={(text) => change({ ...draft, text })} />
      {editable.lineEnding === 'mixed' ? (
        <p class="quiet">The lines of this file have different endings. They are saved with LF.</p>
      ) : null}
      {hasConflict ? (
        <p class="note">
          Somebody has changed the file.{' '}
          <a href={location.toUrl(current)} target="_blank" rel="noopener">
            Show their version in another tab
          </a>
          , take over what you need, then{' '}
          <button type="button" class="plain" onClick={() => void takeOverBase()}>
            replace their version
          </button>
          .
        </p>
      ) : null}
      <CommitFields base={getBase(file)} message={`Update ${file.result.file_name}`} />
    </Form>
  );
}

function ReplaceForm({
  file,
  project,
  location,
  finish,
  onCancel,
}: ChangeFormProps & { readonly onCancel: () => void }) {
  const { client } = usePageActions();
  const submit = async (values: FormData) => {
    const commit = readCommit(values, getBase(file));
    await client.call('PUT /projects/:id/repository/files/:file_path', {
      id: project.id,
      file_path: file.path,
      ...commit,
      content: await encodeFile(values.get('file') as File),
      encoding: 'base64',
      last_commit_id: file.result.last_commit_id,
    });
    finish(commit);
  };
  return (
    <Form label="Replace the file" submitLabel="Commit" submit={submit} location={location} onCancel={onCancel}>
      <TextField label="New content" name="file" type="file" required />
      <CommitFields base={getBase(file)} message={`Replace ${file.result.file_name}`} />
    </Form>
  );
}

function DeleteForm({
  file,
  project,
  location,
  finish,
  onCancel,
}: ChangeFormProps & { readonly onCancel: () => void }) {
  const { client } = usePageActions();
  const submit = async (values: FormData) => {
    const commit = readCommit(values, getBase(file));
    await client.call('DELETE /projects/:id/repository/files/:file_path', {
      id: project.id,
      file_path: file.path,
      ...commit,
      last_commit_id: file.result.last_commit_id,
    });
    finish(commit, true);
  };
  return (
    <Form label="Delete the file" submitLabel="Delete" submit={submit} location={location} onCancel={onCancel}>
      <CommitFields base={getBase(file)} message={`Delete ${file.result.file_name}`} />
    </Form>
  );
}
