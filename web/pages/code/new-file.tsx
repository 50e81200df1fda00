import { useState } from 'preact/hooks';
import { toPath } from '../../addresses.ts';
import { type AtBranch, queryAtBranch } from '../../api/branch-path.ts';
import { CallError } from '../../api/call.ts';
import type { Query } from '../../api/query.ts';
import {
  CommitFields,
  CommittedToNewBranch,
  type NewBranchCommit,
  readCommit,
} from '../../components/commit-fields.tsx';
import { useDraft } from '../../components/draft.ts';
import { FileText } from '../../components/file-text.tsx';
import { Form, readText, TextField } from '../../components/form.tsx';
import { can, ProjectNavigation, projectQueries } from '../../components/project-navigation.tsx';
import type { TreeEntries } from '../../components/tree.tsx';
import { PathLinks } from '../../components/tree.tsx';
import { type PageLocation, page, usePageActions } from '../../page.ts';
import { encodeFile } from '../../text/base64.ts';

/** The forms that write or upload a new file in a directory of a branch. */
export const newFile = page('newFile', {
  queries: ({ values: { project: id = '', ref_path = '' } }) => ({
    ...projectQueries(id),
    directory: orEmptyRepository(
      queryAtBranch(id, ref_path, (client, { ref, path }) =>
        client.call('GET /projects/:id/repository/tree', { id, ref, path, per_page: 1 }),
      ),
      id,
      ref_path,
    ),
  }),
  title: () => 'New file',
  navigation: (props) => <ProjectNavigation {...props} current="project" />,
  render: ({ project: { value: project }, abilities, directory: { value: directory }, location }) => (
    <>
      <PathLinks project={project.path_with_namespace} refPath={directory} location={location} />
      {!can(abilities, 'push_code') ? (
        <p>You may not change files of this project.</p>
      ) : directory.branch === null && !isEmptyRepository(project) ? (
        <p>
          <code>{directory.ref}</code> is no branch. Open the directory in a branch to add files.
        </p>
      ) : (
        <Forms
          key={`${directory.ref} ${directory.path}`}
          directory={directory}
          project={project}
          canCreateMergeRequest={can(abilities, 'create_merge_request')}
          location={location}
        />
      )}
    </>
  ),
});

const isEmptyRepository = (project: object): boolean => 'empty_repo' in project && project.empty_repo === true;

/** Returns the query of a directory; the first file of an empty repository may be on any branch. */
function orEmptyRepository(
  directory: Query<AtBranch<TreeEntries>>,
  id: string,
  ref: string,
): Query<AtBranch<TreeEntries>> {
  return {
    ...directory,
    load: (client) =>
      directory.load(client).catch(async (error: unknown) => {
        if (!(error instanceof CallError) || error.status !== 404) throw error;
        const project = await client.call('GET /projects/:id', { id });
        if (!isEmptyRepository(project.value)) throw error;
        return { ...project, value: { ref, path: '', result: [], branch: null } };
      }),
  };
}

interface FormsProps {
  readonly directory: AtBranch<TreeEntries>;
  readonly project: { readonly id: number; readonly path_with_namespace: string };
  readonly location: PageLocation;
}

function Forms({
  directory,
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
  const finish = ({ branch, commit_message: message }: ReturnType<typeof readCommit>, path: string) => {
    if (branch !== directory.ref) return setCommit({ branch, base: directory.ref, message });
    const values = { project: project.path_with_namespace, ref_file: `${branch}/${path}` };
    openUrl(location.toUrl(toPath('file', values)));
  };
  return (
    <>
      <WriteForm directory={directory} project={project} location={location} finish={finish} />
      <h2>Upload a file</h2>
      <UploadForm directory={directory} project={project} location={location} finish={finish} />
    </>
  );
}

interface FileFormProps extends FormsProps {
  readonly finish: (commit: ReturnType<typeof readCommit>, path: string) => void;
}

/** In an empty repository, the first commit creates the branch. */
const getBase = ({ ref, branch }: AtBranch<TreeEntries>) => ({ name: ref, canPush: branch?.can_push ?? true });

const joinPath = ({ path }: AtBranch<TreeEntries>, name: string): string => (path === '' ? name : `${path}/${name}`);

function WriteForm({ directory, project, location, finish }: FileFormProps) {
  const { client } = usePageActions();
  const { draft, isRestored, change, discard } = useDraft(
    { userId: location.session.userId, subject: `${project.id} ${directory.ref} ${directory.path} new` },
    { text: '', base: '' },
  );
  const submit = async (values: FormData) => {
    const commit = readCommit(values, getBase(directory));
    const path = joinPath(directory, readText(values, 'name'));
    await client.call('POST /projects/:id/repository/files/:file_path', {
      id: project.id,
      file_path: path,
      ...commit,
      content: draft.text,
    });
    discard();
    finish(commit, path);
  };
  return (
    <Form label="New file" submitLabel="Commit" submit={submit} location={location}>
      <TextField label="Name" name="name" required autocomplete="off" hint="Slashes create directories." />
      {isRestored ? <p class="quiet">Your unsaved text was restored.</p> : null}
      <FileText value={draft.text} onChange={(text) => change({ ...draft, text })} />
      <CommitFields base={getBase(directory)} message="Add a file" />
    </Form>
  );
}

function UploadForm({ directory, project, location, finish }: FileFormProps) {
  const { client } = usePageActions();
  const submit = async (values: FormData) => {
    const commit = readCommit(values, getBase(directory));
    const file = values.get('file') as File;
    const path = joinPath(directory, file.name);
    await client.call('POST /projects/:id/repository/files/:file_path', {
      id: project.id,
      file_path: path,
      ...commit,
      content: await encodeFile(file),
      encoding: 'base64',
    });
    finish(commit, path);
  };
  return (
    <Form label="Upload a file" submitLabel="Upload" submit={submit} location={location}>
      <TextField label="File" name="file" type="file" required />
      <CommitFields base={getBase(directory)} message="Upload a file" />
    </Form>
  );
}
