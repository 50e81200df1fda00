import { toPath } from '../../addresses.ts';
import { CheckField, Form, readText, TextArea, TextField } from '../../components/form.tsx';
import { IssueFields, readIssueFields } from '../../components/issue-fields.tsx';
import { can, type ProjectDetails, ProjectNavigation, projectQueries } from '../../components/project-navigation.tsx';
import { type PageLocation, page, usePageActions } from '../../page.ts';

/** The form of a new issue; `title` and `description` of the address fill it in. */
export const newIssue = page('newIssue', {
  queries: ({ values: { project: id = '' } }) => ({ ...projectQueries(id) }),
  title: () => 'New issue',
  navigation: (props) => <ProjectNavigation {...props} current="issues" />,
  render: ({ project, abilities, location }) =>
    can(abilities, 'create_issue') ? (
      <NewIssueForm
        project={project.value}
        hasMetadata={can(abilities, 'set_new_issue_metadata')}
        location={location}
      />
    ) : (
      <p class="note">You are not allowed to create issues in this project.</p>
    ),
});

function NewIssueForm({
  project,
  hasMetadata,
  location,
}: {
  readonly project: ProjectDetails;
  readonly hasMetadata: boolean;
  readonly location: PageLocation;
}) {
  const { client, openUrl } = usePageActions();
  const create = async (values: FormData) => {
    const {
      value: { iid },
    } = await client.call('POST /projects/:id/issues', {
      id: project.id,
      title: readText(values, 'title'),
      description: readText(values, 'description'),
      ...(hasMetadata ? readIssueFields(values) : { confidential: values.has('confidential') }),
    });
    openUrl(location.toUrl(toPath('issue', { project: project.path_with_namespace, issue_iid: String(iid) })));
  };
  return (
    <Form
      label="New issue"
      submitLabel="Create issue"
      submit={create}
      location={location}
      done="The issue was created."
    >
      <TextField
        label="Title"
        name="title"
        required
        maxLength={255}
        defaultValue={location.search.get('title') ?? ''}
      />
      <TextArea
        label="Description"
        name="description"
        hint="Markdown."
        defaultValue={location.search.get('description') ?? ''}
      />
      {hasMetadata ? (
        <IssueFields project={project} issue={null} />
      ) : (
        <CheckField label="Confidential: visible to you and members with the Planner role" name="confidential" />
      )}
    </Form>
  );
}
