import type { ResultOf } from '../../api/call.ts';
import { query, readPageNumber } from '../../api/query.ts';
import { ActionButton } from '../../components/action-button.tsx';
import { Form, readText, TextField } from '../../components/form.tsx';
import {
  can,
  type ProjectAbilities,
  type ProjectDetails,
  ProjectNavigation,
  projectQueries,
} from '../../components/project-navigation.tsx';
import { RefList, readRefSearch } from '../../components/ref-list.tsx';
import { ToggledForm } from '../../components/toggled-form.tsx';
import { type PageLocation, page, usePageActions } from '../../page.ts';

type Branch = ResultOf<'GET /projects/:id/repository/branches'>[number];

/** The branches of a repository, most recently changed first. */
export const branches = page('branches', {
  queries: (location) => {
    const { project: id = '' } = location.values;
    return {
      ...projectQueries(id),
      branches: query('GET /projects/:id/repository/branches', {
        id,
        sort: 'updated_desc',
        page: readPageNumber(location.search),
        ...readRefSearch(location),
      }),
    };
  },
  title: () => 'Branches',
  navigation: (props) => <ProjectNavigation {...props} current="branches" />,
  render: ({ project: { value: project }, abilities, branches, location }) => (
    <>
      {can(abilities, 'push_code') ? <Actions project={project} location={location} /> : null}
      <RefList
        page="branches"
        refs={branches}
        project={project}
        location={location}
        empty={{ title: 'No branches', text: 'Lines of work appear here.', data: 'branch=fix&ref=main' }}
        actions={(branch) => (
          <BranchActions branch={branch} id={project.id} abilities={abilities} location={location} />
        )}
      />
    </>
  ),
});

function Actions({ project, location }: { readonly project: ProjectDetails; readonly location: PageLocation }) {
  const { client } = usePageActions();
  const { id } = project;
  const deleteMerged = () => client.call('DELETE /projects/:id/repository/merged_branches', { id });
  return (
    <ToggledForm
      button="New branch"
      actions={
        <ActionButton
          run={deleteMerged}
          location={location}
          confirm={{
            title: 'Delete all merged branches?',
            text:
              'Deletes all branches whose commits are in the default branch, in the background. Protected branches and ' +
              'those of open merge requests stay.',
            label: 'Delete merged branches',
          }}
          done="The merged branches will be deleted."
        >
          Delete merged branches
        </ActionButton>
      }
    >
      {(close) => (
        <Form
          label="New branch"
          submitLabel="Create branch"
          location={location}
          done="The branch was created."
          onCancel={close}
          submit={async (values) => {
            const params = { branch: readText(values, 'branch'), ref: readText(values, 'ref') };
            await client.call('POST /projects/:id/repository/branches', { id, ...params });
            close();
          }}
        >
          <TextField label="Name" name="branch" required autocomplete="off" />
          <TextField
            label="Begins at"
            name="ref"
            required
            defaultValue={project.default_branch || 'main'}
            hint="A branch, tag or commit."
          />
        </Form>
      )}
    </ToggledForm>
  );
}

function BranchActions({
  branch: { name: branch, default: isDefault, protected: isProtected },
  id,
  abilities,
  location,
}: {
  readonly branch: Branch;
  readonly id: number;
  readonly abilities: ProjectAbilities;
  readonly location: PageLocation;
}) {
  const { client } = usePageActions();
  const params = { id, branch };
  const mayProtect = can(abilities, 'admin_protected_branch');
  const mayDelete = can(abilities, 'push_code') && !isDefault && (mayProtect || !isProtected);
  const protect = () => client.call('PUT /projects/:id/repository/branches/:branch/protect', params);
  const unprotect = () => client.call('PUT /projects/:id/repository/branches/:branch/unprotect', params);
  const name = <span class="hidden"> {branch}</span>;
  return (
    <>
      {mayProtect && isProtected ? (
        <ActionButton run={unprotect} location={location} done={`${branch} is no longer protected by its own rule.`}>
          Unprotect{name}
        </ActionButton>
      ) : null}
      {mayProtect && !isProtected ? (
        <ActionButton run={protect} location={location} done={`${branch} is protected.`}>
          Protect{name}
        </ActionButton>
      ) : null}
      {mayDelete ? (
        <ActionButton
          run={() => client.call('DELETE /projects/:id/repository/branches/:branch', params)}
          location={location}
          confirm={{
            title: `Delete the branch ${branch}?`,
            text: 'Commits that no other branch or tag contains are lost.',
            label: 'Delete branch',
          }}
          done={`The branch ${branch} was deleted.`}
        >
          Delete{name}
        </ActionButton>
      ) : null}
    </>
  );
}
