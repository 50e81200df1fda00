import { query, readPageNumber } from '../../api/query.ts';
import { ActionButton } from '../../components/action-button.tsx';
import { Form, readText, TextArea, TextField } from '../../components/form.tsx';
import { can, type ProjectDetails, ProjectNavigation, projectQueries } from '../../components/project-navigation.tsx';
import { RefList, readRefSearch } from '../../components/ref-list.tsx';
import { ToggledForm } from '../../components/toggled-form.tsx';
import { type PageLocation, page, usePageActions } from '../../page.ts';

/** The tags of a repository, newest first. */
export const tags = page('tags', {
  queries: (location) => {
    const { project: id = '' } = location.values;
    return {
      ...projectQueries(id),
      tags: query('GET /projects/:id/repository/tags', {
        id,
        order_by: 'updated',
        page: readPageNumber(location.search),
        ...readRefSearch(location),
      }),
    };
  },
  title: () => 'Tags',
  navigation: (props) => <ProjectNavigation {...props} current="tags" />,
  render: ({ project: { value: project }, abilities, tags, location }) => (
    <>
      {can(abilities, 'push_code') ? <NewTag project={project} location={location} /> : null}
      <RefList
        page="tags"
        refs={tags}
        project={project}
        location={location}
        empty={{
          title: 'No tags',
          text: 'Named commits, such as releases, appear here.',
          data: 'tag_name=v1.0&ref=main',
        }}
        actions={({ name, protected: isProtected }) =>
          can(abilities, isProtected ? 'admin_protected_tag' : 'push_code') ? (
            <DeleteTag id={project.id} name={name} location={location} />
          ) : null
        }
      />
    </>
  ),
});

function NewTag({ project, location }: { readonly project: ProjectDetails; readonly location: PageLocation }) {
  const { client } = usePageActions();
  const create = (values: FormData) =>
    client.call('POST /projects/:id/repository/tags', {
      id: project.id,
      tag_name: readText(values, 'tag_name'),
      ref: readText(values, 'ref'),
      message: readText(values, 'message'),
    });
  return (
    <ToggledForm button="New tag">
      {(close) => (
        <Form
          label="New tag"
          submitLabel="Create tag"
          location={location}
          done="The tag was created."
          onCancel={close}
          submit={async (values) => {
            await create(values);
            close();
          }}
        >
          <TextField label="Name" name="tag_name" required autocomplete="off" />
          <TextField
            label="At"
            name="ref"
            required
            defaultValue={project.default_branch || 'main'}
            hint="A branch, tag or commit."
          />
          <TextArea label="Message" name="message" rows={3} hint="With a message, the tag is an annotated one." />
        </Form>
      )}
    </ToggledForm>
  );
}

function DeleteTag({
  id,
  name,
  location,
}: {
  readonly id: number;
  readonly name: string;
  readonly location: PageLocation;
}) {
  const { client } = usePageActions();
  return (
    <ActionButton
      run={() => client.call('DELETE /projects/:id/repository/tags/:tag_name', { id, tag_name: name })}
      location={location}
      confirm={{
        title: `Delete the tag ${name}?`,
        text: 'Commits that no branch or other tag contains are lost.',
        label: 'Delete tag',
      }}
      done={`The tag ${name} was deleted.`}
    >
      Delete<span class="hidden"> {name}</span>
    </ActionButton>
  );
}
