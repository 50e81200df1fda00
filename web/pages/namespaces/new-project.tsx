import type { Loaded, ResultOf } from '../../api/call.ts';
import { query } from '../../api/query.ts';
import { CheckField, Form, readText, SelectField, TextArea } from '../../components/form.tsx';
import { NameAndPathFields, readVisibility, VisibilityField } from '../../components/namespace-fields.tsx';
import { type PageLocation, page, usePageActions } from '../../page.ts';

type Namespace = ResultOf<'GET /namespaces'>[number];

/** The number of namespaces that the form offers. */
const MAX_NAMESPACES = 100;

/** The form for a new project; `namespace_id` in the address chooses its group. */
export const newProject = page('newProject', {
  queries: ({ search }) => {
    const id = search.get('namespace_id');
    // Visitors are asked to sign in.
    const user = query('GET /user', {});
    const namespaces = query('GET /namespaces', { per_page: MAX_NAMESPACES });
    return id === null ? { user, namespaces } : { user, namespaces, chosen: query('GET /namespaces/:id', { id }) };
  },
  title: () => 'New project',
  render: ({ user, namespaces, chosen, location }) => (
    <NewProjectForm
      groups={listGroups(namespaces, chosen?.value)}
      chosenId={chosen?.value.id ?? null}
      username={user.value.username}
      location={location}
    />
  ),
});

/** Returns the groups of a list, with the chosen one, which may be on a later page of the list. */
function listGroups({ value }: Loaded<readonly Namespace[]>, chosen: Namespace | undefined): readonly Namespace[] {
  const groups = value.filter(({ kind }) => kind === 'group');
  const isListed = chosen === undefined || chosen.kind === 'user' || groups.some(({ id }) => id === chosen.id);
  return isListed ? groups : [chosen, ...groups];
}

function NewProjectForm({
  groups,
  chosenId,
  username,
  location,
}: {
  readonly groups: readonly Namespace[];
  readonly chosenId: number | null;
  readonly username: string;
  readonly location: PageLocation;
}) {
  const { client, openUrl } = usePageActions();
  const create = async (values: FormData) => {
    const namespaceId = readText(values, 'namespace_id');
    const { value } = await client.call('POST /projects', {
      name: readText(values, 'name'),
      path: readText(values, 'path'),
      description: readText(values, 'description'),
      visibility: readVisibility(values),
      initialize_with_readme: values.has('initialize_with_readme'),
      ...(namespaceId === '' ? {} : { namespace_id: Number(namespaceId) }),
    });
    openUrl(value.web_url);
  };
  return (
    <Form label="New project" submitLabel="Create project" submit={create} location={location}>
      <SelectField
        label="Group or user"
        name="namespace_id"
        value={chosenId ?? ''}
        options={[['', username], ...groups.map(({ id, full_path }) => [id, full_path] as const)]}
      />
      <NameAndPathFields />
      <TextArea label="Description" name="description" rows={3} />
      <VisibilityField />
      <CheckField
        label="Add a README file"
        name="initialize_with_readme"
        hint="Leave this out to push a repository that you already have."
      />
    </Form>
  );
}
