import { toPath } from '../../addresses.ts';
import { query } from '../../api/query.ts';
import { ActionButton } from '../../components/action-button.tsx';
import { DeleteForm } from '../../components/delete-form.tsx';
import { Form, readText, TextArea, TextField } from '../../components/form.tsx';
import { type GroupDetails, GroupNavigation, groupQueries } from '../../components/group-navigation.tsx';
import { readVisibility, VisibilityField } from '../../components/namespace-fields.tsx';
import { can } from '../../components/project-navigation.tsx';
import { type PageLocation, page, usePageActions } from '../../page.ts';

/** The settings of a group, for its owners. */
export const groupSettings = page('groupSettings', {
  queries: ({ values: { group: id = '' } }) => ({
    ...groupQueries(id),
    // Visitors are asked to sign in.
    user: query('GET /user', {}),
  }),
  title: () => 'Settings',
  navigation: (props) => <GroupNavigation {...props} current="groupSettings" />,
  render: ({ group: { value: group }, abilities, location }) =>
    can(abilities, 'update_group') ? (
      <>
        <GeneralForm group={group} location={location} />
        {can(abilities, 'remove_group') ? <DeleteSection group={group} location={location} /> : null}
      </>
    ) : (
      <p>You may not change the settings of this group.</p>
    ),
});

interface SectionProps {
  readonly group: GroupDetails;
  readonly location: PageLocation;
}

function GeneralForm({ group, location }: SectionProps) {
  const { client, openUrl } = usePageActions();
  const save = async (values: FormData) => {
    const { value } = await client.call('PUT /groups/:id', {
      id: group.id,
      name: readText(values, 'name'),
      path: readText(values, 'path'),
      description: readText(values, 'description'),
      visibility: readVisibility(values),
    });
    if (value.full_path !== group.full_path)
      openUrl(location.toUrl(toPath('groupSettings', { group: value.full_path })));
  };
  return (
    <section>
      <h2>General</h2>
      <Form label="General" submitLabel="Save" submit={save} location={location} done="The settings were saved.">
        <TextField label="Name" name="name" defaultValue={group.name} required maxLength={255} />
        <TextField
          label="Path"
          name="path"
          defaultValue={group.path}
          required
          maxLength={255}
          hint="The last part of the address. The former address of the group does not redirect."
        />
        <TextArea label="Description" name="description" defaultValue={group.description} rows={3} />
        <VisibilityField value={group.visibility} />
      </Form>
    </section>
  );
}

function DeleteSection({ group, location }: SectionProps) {
  const { client, openUrl } = usePageActions();
  const { id, full_path: path, marked_for_deletion_on: markedOn } = group;
  const restore = async () => {
    const { value } = await client.call('POST /groups/:id/restore', { id });
    openUrl(value.web_url);
  };
  const remove = async () => {
    await client.call('DELETE /groups/:id', { id });
    openUrl(location.toUrl(toPath('home')));
  };
  return (
    <section>
      <h2>Delete</h2>
      {markedOn === null ? (
        <DeleteForm kind="group" path={path} remove={remove} location={location} />
      ) : (
        <>
          <p>The group will be deleted. It was marked for deletion on {markedOn}.</p>
          <ActionButton run={restore} location={location}>
            Restore the group
          </ActionButton>
        </>
      )}
    </section>
  );
}
