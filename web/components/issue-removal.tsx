import { toPath } from '../addresses.ts';
import type { Issue } from '../api/operations.ts';
import { type PageLocation, usePageActions } from '../page.ts';
import { ActionButton } from './action-button.tsx';
import { Form, readText } from './form.tsx';
import { Picker } from './picker.tsx';
import type { ProjectDetails } from './project-navigation.tsx';
import { ToggledForm } from './toggled-form.tsx';

/** Forms that move an issue to another project or delete it. */
export function IssueRemoval({
  issue,
  project,
  mayMove,
  mayDelete,
  location,
}: {
  readonly issue: Issue;
  readonly project: ProjectDetails;
  readonly mayMove: boolean;
  readonly mayDelete: boolean;
  readonly location: PageLocation;
}) {
  const { client, openUrl } = usePageActions();
  const path = { id: issue.project_id, issue_iid: issue.iid };
  const deleteButton = mayDelete ? (
    <ActionButton
      location={location}
      run={async () => {
        await client.call('DELETE /projects/:id/issues/:issue_iid', path);
        openUrl(location.toUrl(toPath('issues', { project: project.path_with_namespace })));
      }}
      done="The issue was deleted."
      confirm={{
        title: 'Delete this issue?',
        text: 'Its comments and history are deleted too. This cannot be undone.',
        label: 'Delete issue',
      }}
    >
      Delete the issue
    </ActionButton>
  ) : null;
  if (!mayMove) return deleteButton;
  return (
    <ToggledForm button="Move to another project" actions={deleteButton}>
      {(close) => (
        <Form
          label="Move to another project"
          submitLabel="Move"
          location={location}
          done="The issue was moved."
          onCancel={close}
          submit={async (values) => {
            const to_project_id = Number(readText(values, 'to_project_id'));
            const { value } = await client.call('POST /projects/:id/issues/:issue_iid/move', {
              ...path,
              to_project_id,
            });
            openUrl(value.web_url);
          }}
        >
          <ProjectPicker />
        </Form>
      )}
    </ToggledForm>
  );
}

function ProjectPicker() {
  const { client } = usePageActions();
  return (
    <Picker
      label="Project"
      name="to_project_id"
      isMultiple={false}
      empty="none"
      selected={[]}
      search={async (text) => {
        const search = text === '' ? {} : { search: text, search_namespaces: true };
        const params = { membership: true, with_issues_enabled: true, per_page: 20, ...search } as const;
        const { value } = await client.call('GET /projects', params);
        return value.map((project) => ({ value: String(project.id), text: project.path_with_namespace }));
      }}
    />
  );
}
