import { query } from '../../api/query.ts';
import { CheckField, Form, readText, TextArea } from '../../components/form.tsx';
import { NameAndPathFields, readVisibility, VisibilityField } from '../../components/namespace-fields.tsx';
import { Picker, type PickerOption } from '../../components/picker.tsx';
import { type PageLocation, page, usePageActions } from '../../page.ts';

/** The number of groups that a search finds. */
const MAX_GROUPS = 20;

/** The role with which most groups let members create projects. */
const DEVELOPER = 30;

/** The form for a new project; `namespace_id` in the address chooses its group. */
export const newProject = page('newProject', {
  queries: ({ search }) => {
    const id = search.get('namespace_id');
    // Visitors are asked to sign in.
    const user = query('GET /user', {});
    return id === null ? { user } : { user, chosen: query('GET /namespaces/:id', { id }) };
  },
  title: () => 'New project',
  render: ({ user, chosen, location }) => (
    <NewProjectForm
      chosen={chosen?.value.kind === 'group' ? [toOption(chosen.value)] : []}
      username={user.value.username}
      location={location}
    />
  ),
});

const toOption = ({ id, full_path }: { readonly id: number; readonly full_path: string }): PickerOption => ({
  value: String(id),
  text: full_path,
});

function NewProjectForm({
  chosen,
  username,
  location,
}: {
  /** The group that the address names; empty without one. */
  readonly chosen: readonly PickerOption[];
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
      <Picker
        label="Group or user"
        name="namespace_id"
        isMultiple={false}
        empty={username}
        selected={chosen}
        search={async (text) => {
          const search = text === '' ? {} : { search: text };
          const params = { min_access_level: DEVELOPER, per_page: MAX_GROUPS, ...search } as const;
          return (await client.call('GET /groups', params)).value.map(toOption);
        }}
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
