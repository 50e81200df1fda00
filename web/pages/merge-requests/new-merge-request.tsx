import { toPath } from '../../addresses.ts';
import { query } from '../../api/query.ts';
import { CheckField, Form, readText, TextArea, TextField } from '../../components/form.tsx';
import { MergeRequestFields, readMergeRequestFields } from '../../components/merge-request-fields.tsx';
import { can, type ProjectDetails, ProjectNavigation, projectQueries } from '../../components/project-navigation.tsx';
import { RefField } from '../../components/ref-field.tsx';
import { type PageLocation, page, usePageActions } from '../../page.ts';

/** The form of a new merge request; the parameters of the address fill it in. */
export const newMergeRequest = page('newMergeRequest', {
  queries: ({ values: { project: id = '' } }) => ({
    ...projectQueries(id),
    branches: query('GET /projects/:id/repository/branches', { id, sort: 'updated_desc', per_page: 100 }),
  }),
  title: () => 'New merge request',
  navigation: (props) => <ProjectNavigation {...props} current="mergeRequests" />,
  render: ({ project, abilities, branches, location }) =>
    can(abilities, 'create_merge_request') ? (
      <NewMergeRequestForm
        project={project.value}
        branches={branches.value.map(({ name }) => name)}
        location={location}
      />
    ) : (
      <p class="note">You are not allowed to create merge requests in this project.</p>
    ),
});

function NewMergeRequestForm({
  project,
  branches,
  location,
}: {
  readonly project: ProjectDetails;
  readonly branches: readonly string[];
  readonly location: PageLocation;
}) {
  const { client, openUrl } = usePageActions();
  const path = project.path_with_namespace;
  // Other servers put the parameters of such addresses in brackets.
  const read = (name: string) =>
    location.search.get(name) ?? location.search.get(`merge_request[${name}]`) ?? undefined;
  const source = read('source_branch');
  const target = read('target_branch') ?? project.default_branch ?? '';
  const create = async (values: FormData) => {
    const title = readText(values, 'title');
    const {
      value: { iid },
    } = await client.call('POST /projects/:id/merge_requests', {
      id: project.id,
      source_branch: readText(values, 'source_branch'),
      target_branch: readText(values, 'target_branch'),
      title: values.has('draft') ? `Draft: ${title}` : title,
      description: readText(values, 'description'),
      ...readMergeRequestFields(values),
    });
    openUrl(location.toUrl(toPath('mergeRequest', { project: path, merge_request_iid: String(iid) })));
  };
  return (
    <Form
      label="New merge request"
      submitLabel="Create merge request"
      submit={create}
      location={location}
      done="The merge request was created."
    >
      <RefField label="Source branch" name="source_branch" names={branches} defaultValue={source} />
      <RefField label="Target branch" name="target_branch" names={branches} defaultValue={target} />
      {source === undefined ? null : (
        <p>
          <a href={location.toUrl(toPath('compare', { project: path, range: `${target}...${source}` }))}>
            Compare {target} with {source}
          </a>
        </p>
      )}
      <TextField label="Title" name="title" required maxLength={255} defaultValue={read('title') ?? ''} />
      <TextArea label="Description" name="description" hint="Markdown." defaultValue={read('description') ?? ''} />
      <CheckField label="Draft: it cannot be merged yet" name="draft" />
      <MergeRequestFields project={project} mergeRequest={null} />
    </Form>
  );
}
