import { query } from '../../api/query.ts';
import { Form, readText, TextArea } from '../../components/form.tsx';
import { type GroupDetails, GroupNavigation } from '../../components/group-navigation.tsx';
import { NameAndPathFields, readVisibility, VisibilityField } from '../../components/namespace-fields.tsx';
import { type PageLocation, page, usePageActions } from '../../page.ts';

/** The form for a new group, or for a subgroup of the group that `parent_id` in the address names. */
export const newGroup = page('newGroup', {
  queries: ({ search }) => {
    const id = search.get('parent_id');
    // Visitors are asked to sign in.
    const user = query('GET /user', {});
    return id === null ? { user } : { user, group: query('GET /groups/:id', { id, with_projects: false }) };
  },
  title: ({ group }) => (group === undefined ? 'New group' : `New subgroup of ${group.value.name}`),
  navigation: ({ group, location }) =>
    group === undefined ? null : <GroupNavigation group={group} location={location} current="group" />,
  render: ({ user, group, location }) =>
    group !== undefined || user.value.can_create_group ? (
      <NewGroupForm parent={group?.value ?? null} location={location} />
    ) : (
      <p>You may not create groups at the top level. Owners of a group can create subgroups on its page.</p>
    ),
});

function NewGroupForm({ parent, location }: { readonly parent: GroupDetails | null; readonly location: PageLocation }) {
  const { client, openUrl } = usePageActions();
  const create = async (values: FormData) => {
    const { value } = await client.call('POST /groups', {
      name: readText(values, 'name'),
      path: readText(values, 'path'),
      description: readText(values, 'description'),
      visibility: readVisibility(values),
      ...(parent === null ? {} : { parent_id: parent.id }),
    });
    openUrl(value.web_url);
  };
  return (
    <Form label="New group" submitLabel="Create group" submit={create} location={location}>
      <NameAndPathFields />
      <TextArea label="Description" name="description" rows={3} />
      <VisibilityField value={parent?.visibility} />
    </Form>
  );
}
