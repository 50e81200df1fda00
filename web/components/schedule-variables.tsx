import type { ResultOf } from '../api/call.ts';
import { type PageLocation, usePageActions } from '../page.ts';
import { ActionButton } from './action-button.tsx';
import { Form, readText, SelectField, TextArea, TextField } from './form.tsx';
import { ToggledForm } from './toggled-form.tsx';

type Variable = NonNullable<
  ResultOf<'GET /projects/:id/pipeline_schedules/:pipeline_schedule_id'>['variables']
>[number];

/** The variables of a schedule, which its pipelines get. */
export function ScheduleVariables({
  target,
  variables,
  mayEdit,
  location,
}: {
  readonly target: { readonly id: number; readonly pipeline_schedule_id: number };
  readonly variables: readonly Variable[];
  readonly mayEdit: boolean;
  readonly location: PageLocation;
}) {
  const { client } = usePageActions();
  return (
    <section>
      <h2>Variables</h2>
      {variables.length === 0 ? (
        <p class="quiet">The pipelines get no variables of their own.</p>
      ) : (
        <ul class="rows">
          {variables.map(({ key, value, variable_type }) => (
            <li key={key} class="row">
              <div class="row-main">
                <code class="row-title">{key}</code> {variable_type === 'file' ? <span class="badge">file</span> : null}{' '}
                <code class="plain-text">{value}</code>
              </div>
              {mayEdit ? (
                <ActionButton
                  run={() =>
                    client.call('DELETE /projects/:id/pipeline_schedules/:pipeline_schedule_id/variables/:key', {
                      ...target,
                      key,
                    })
                  }
                  done={`${key} was deleted.`}
                  location={location}
                >
                  Delete <span class="hidden">{key}</span>
                </ActionButton>
              ) : null}
            </li>
          ))}
        </ul>
      )}
      {mayEdit ? (
        <ToggledForm button="Set a variable">
          {(close) => <VariableForm target={target} variables={variables} close={close} location={location} />}
        </ToggledForm>
      ) : null}
    </section>
  );
}

/** Adds a variable, or changes the one with this key. */
function VariableForm({
  target,
  variables,
  close,
  location,
}: Pick<Parameters<typeof ScheduleVariables>[0], 'target' | 'variables' | 'location'> & {
  readonly close: () => void;
}) {
  const { client } = usePageActions();
  const submit = async (values: FormData) => {
    const key = readText(values, 'key').trim();
    const variableType: 'file' | 'env_var' = readText(values, 'variable_type') === 'file' ? 'file' : 'env_var';
    const variable = { ...target, key, value: readText(values, 'value'), variable_type: variableType };
    await (variables.some((other) => other.key === key)
      ? client.call('PUT /projects/:id/pipeline_schedules/:pipeline_schedule_id/variables/:key', variable)
      : client.call('POST /projects/:id/pipeline_schedules/:pipeline_schedule_id/variables', variable));
    close();
  };
  return (
    <Form
      label="Set a variable"
      submitLabel="Set the variable"
      submit={submit}
      done="The variable was set."
      onCancel={close}
      location={location}
    >
      <TextField label="Key" name="key" required maxLength={255} hint="The key of a variable replaces its value." />
      <TextArea label="Value" name="value" rows={3} />
      <SelectField
        label="Type"
        name="variable_type"
        options={[
          ['env_var', 'Variable'],
          ['file', 'File: jobs get its path'],
        ]}
      />
    </Form>
  );
}
