import { toPath } from '../../addresses.ts';
import type { ResultOf } from '../../api/call.ts';
import { query } from '../../api/query.ts';
import { ActionButton } from '../../components/action-button.tsx';
import { DeleteForm } from '../../components/delete-form.tsx';
import { Form, readText, SelectField, TextArea, TextField } from '../../components/form.tsx';
import { readVisibility, VisibilityField } from '../../components/namespace-fields.tsx';
import { can, type ProjectAbilities, ProjectNavigation, projectQueries } from '../../components/project-navigation.tsx';
import { type PageLocation, page, usePageActions } from '../../page.ts';

/** A project as signed-in callers read it. */
type Project = Extract<ResultOf<'GET /projects/:id'>, { readonly archived: boolean }>;

/** The settings of a project. */
export const projectSettings = page('projectSettings', {
  queries: ({ values: { project: id = '' } }) => ({
    ...projectQueries(id),
    // Visitors are asked to sign in.
    user: query('GET /user', {}),
  }),
  title: () => 'Settings',
  navigation: (props) => <ProjectNavigation {...props} current="projectSettings" />,
  render: ({ project: { value: project }, abilities, location }) =>
    can(abilities, 'update_project') && 'archived' in project ? (
      <>
        <GeneralForm project={project} abilities={abilities} location={location} />
        <FeaturesForm project={project} location={location} />
        {can(abilities, 'archive_project') ? <ArchiveSection project={project} location={location} /> : null}
        {can(abilities, 'remove_project') ? <DeleteSection project={project} location={location} /> : null}
      </>
    ) : (
      <p>You may not change the settings of this project.</p>
    ),
});

interface SectionProps {
  readonly project: Project;
  readonly location: PageLocation;
}

function GeneralForm({ project, abilities, location }: SectionProps & { readonly abilities: ProjectAbilities }) {
  const { client, openUrl } = usePageActions();
  const mayChangeVisibility = can(abilities, 'change_visibility');
  const save = async (values: FormData) => {
    const branch = readText(values, 'default_branch');
    const { value } = await client.call('PUT /projects/:id', {
      id: project.id,
      name: readText(values, 'name'),
      path: readText(values, 'path'),
      description: readText(values, 'description'),
      topics: readText(values, 'topics'),
      ...(branch === '' ? {} : { default_branch: branch }),
      ...(mayChangeVisibility ? { visibility: readVisibility(values) } : {}),
    });
    const { path_with_namespace: path } = value;
    if (path !== project.path_with_namespace) openUrl(location.toUrl(toPath('projectSettings', { project: path })));
  };
  return (
    <section>
      <h2>General</h2>
      <Form label="General" submitLabel="Save" submit={save} location={location} done="The settings were saved.">
        <TextField label="Name" name="name" defaultValue={project.name} required maxLength={255} />
        <TextField
          label="Path"
          name="path"
          defaultValue={project.path}
          required
          maxLength={255}
          hint="The last part of the address. The former address redirects to the new one."
        />
        <TextArea label="Description" name="description" defaultValue={project.description ?? ''} rows={3} />
        <TextField label="Topics" name="topics" defaultValue={project.topics.join(', ')} hint="Separated by commas." />
        {project.empty_repo ? null : (
          <TextField label="Default branch" name="default_branch" defaultValue={project.default_branch} required />
        )}
        {mayChangeVisibility ? <VisibilityField value={project.visibility} /> : null}
      </Form>
    </section>
  );
}

/** The features with their attributes. */
const FEATURES = [
  ['repository_access_level', 'Repository'],
  ['issues_access_level', 'Issues'],
  ['merge_requests_access_level', 'Merge requests'],
  ['builds_access_level', 'Pipelines'],
  ['environments_access_level', 'Environments'],
  ['wiki_access_level', 'Wiki'],
  ['snippets_access_level', 'Snippets'],
] as const;

const ACCESS_LEVELS = [
  ['enabled', 'Everybody who can see the project'],
  ['private', 'Only members'],
  ['disabled', 'Nobody'],
] as const;

type AccessLevel = (typeof ACCESS_LEVELS)[number][0];

function FeaturesForm({ project, location }: SectionProps) {
  const { client } = usePageActions();
  const save = (values: FormData) => {
    const levels = FEATURES.map(([name]) => [name, readText(values, name) as AccessLevel] as const);
    return client.call('PUT /projects/:id', { id: project.id, ...Object.fromEntries(levels) });
  };
  return (
    <section>
      <h2>Features</h2>
      <Form label="Features" submitLabel="Save" submit={save} location={location} done="The features were saved.">
        {FEATURES.map(([name, label]) => (
          <SelectField key={name} label={label} name={name} value={project[name]} options={ACCESS_LEVELS} />
        ))}
      </Form>
    </section>
  );
}

function ArchiveSection({ project: { id, archived }, location }: SectionProps) {
  const { client } = usePageActions();
  return (
    <section>
      <h2>Archive</h2>
      <p>{archived ? 'The project is archived: nobody can change it.' : 'Nobody can change an archived project.'}</p>
      {archived ? (
        <ActionButton run={() => client.call('POST /projects/:id/unarchive', { id })} location={location}>
          Unarchive the project
        </ActionButton>
      ) : (
        <ActionButton
          run={() => client.call('POST /projects/:id/archive', { id })}
          location={location}
          confirm={{
            title: 'Archive the project?',
            text: 'Nobody can change it then.',
            label: 'Archive project',
          }}
        >
          Archive the project
        </ActionButton>
      )}
    </section>
  );
}

function DeleteSection({ project, location }: SectionProps) {
  const { client, openUrl } = usePageActions();
  const { id, path_with_namespace: path, marked_for_deletion_on: deletedOn } = project;
  if (deletedOn !== null)
    return (
      <section>
        <h2>Delete</h2>
        <p>The project will be deleted. It was marked for deletion on {deletedOn}.</p>
        <ActionButton
          run={async () => {
            const { value } = await client.call('POST /projects/:id/restore', { id });
            openUrl(value.web_url);
          }}
          location={location}
        >
          Restore the project
        </ActionButton>
      </section>
    );
  const remove = async () => {
    await client.call('DELETE /projects/:id', { id });
    openUrl(location.toUrl(toPath('home')));
  };
  return (
    <section>
      <h2>Delete</h2>
      <DeleteForm kind="project" path={path} remove={remove} location={location} />
    </section>
  );
}
