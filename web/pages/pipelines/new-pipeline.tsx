import { toPath } from '../../addresses.ts';
import { Form, readText, TextField } from '../../components/form.tsx';
import { PipelinesNavigation } from '../../components/pipelines-navigation.tsx';
import { projectQueries } from '../../components/project-navigation.tsx';
import { readVariables, VariableFields } from '../../components/variable-fields.tsx';
import { type PageLocation, page, usePageActions } from '../../page.ts';

/** A form that runs a pipeline for a branch or tag; `ref` of the address chooses one. */
export const newPipeline = page('newPipeline', {
  queries: ({ values: { project: id = '' } }) => projectQueries(id),
  title: () => 'Run a pipeline',
  navigation: (props) => <PipelinesNavigation {...props} current="pipelines" />,
  render: ({ project: { value: project }, location }) => (
    <RunForm
      project={project.id}
      defaultRef={location.search.get('ref') ?? project.default_branch ?? ''}
      location={location}
    />
  ),
});

function RunForm({
  project,
  defaultRef,
  location,
}: {
  readonly project: number;
  readonly defaultRef: string;
  readonly location: PageLocation;
}) {
  const { client, openUrl } = usePageActions();
  const submit = async (values: FormData) => {
    const variables = readVariables(values);
    const { value } = await client.call('POST /projects/:id/pipeline', {
      id: project,
      ref: readText(values, 'ref'),
      ...(variables.length === 0 ? {} : { variables }),
    });
    openUrl(location.toUrl(toPath('pipeline', { ...location.values, pipeline_id: String(value.id) })));
  };
  return (
    <Form label="Run a pipeline" submitLabel="Run the pipeline" submit={submit} location={location}>
      <TextField
        label="Branch or tag"
        name="ref"
        defaultValue={defaultRef}
        required
        hint="The CI file is read at its head. A branch precedes a tag of the same name."
      />
      <VariableFields />
    </Form>
  );
}
