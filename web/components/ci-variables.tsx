import { useState } from 'preact/hooks';
import type { Loaded, ResultOf } from '../api/call.ts';
import { type PageLocation, usePageActions } from '../page.ts';
import { ActionButton } from './action-button.tsx';
import { Empty } from './empty.tsx';
import { CheckField, Form, readText, SelectField, TextArea, TextField } from './form.tsx';
import { Pager } from './pager.tsx';
import { ToggledForm } from './toggled-form.tsx';

type Variable = ResultOf<'GET /projects/:id/variables'>[number];

/** The calls for the variables of a project and of a group, which are the same. */
const CALLS = {
  project: {
    path: '/projects',
    create: 'POST /projects/:id/variables',
    update: 'PUT /projects/:id/variables/:key',
    remove: 'DELETE /projects/:id/variables/:key',
  },
  group: {
    path: '/groups',
    create: 'POST /groups/:id/variables',
    update: 'PUT /groups/:id/variables/:key',
    remove: 'DELETE /groups/:id/variables/:key',
  },
} as const;

interface Owner {
  readonly type: keyof typeof CALLS;
  readonly id: number;
}

/** The CI/CD variables of a project or group, and forms to change them. */
export function CiVariables({
  owner,
  variables,
  href,
  location,
}: {
  readonly owner: Owner;
  readonly variables: Loaded<readonly Variable[]>;
  /** The address of the list. */
  readonly href: string;
  readonly location: PageLocation;
}) {
  const { client } = usePageActions();
  const { create, path } = CALLS[owner.type];
  return (
    <>
      <p class="quiet">
        Jobs that start later get these variables. Everybody who can open this page can read their values.
      </p>
      <ToggledForm button="Add a variable" isPrimary>
        {(close) => (
          <VariableForm
            variable={null}
            location={location}
            close={close}
            submit={async (values) => {
              const { visibility, ...attributes } = readAttributes(values);
              await client.call(create, {
                id: owner.id,
                key: readText(values, 'key').trim(),
                ...attributes,
                ...(visibility === 'hidden' ? { masked_and_hidden: true } : {}),
              });
            }}
          />
        )}
      </ToggledForm>
      {variables.value.length === 0 ? (
        <Empty
          title="No variables"
          text="Values for jobs that do not belong into the repository, such as tokens, appear here."
          create={{ path: `${path}/${owner.id}/variables`, data: 'key=SIZE&value=large' }}
          location={location}
        />
      ) : (
        <ul class="rows">
          {variables.value.map((variable) => (
            <li key={`${variable.key} ${variable.environment_scope}`} class="row">
              <VariableRow owner={owner} variable={variable} location={location} />
            </li>
          ))}
        </ul>
      )}
      <Pager list={variables} search={location.search} href={href} />
    </>
  );
}

function VariableRow({
  owner,
  variable,
  location,
}: {
  readonly owner: Owner;
  readonly variable: Variable;
  readonly location: PageLocation;
}) {
  const { client } = usePageActions();
  const { update, remove } = CALLS[owner.type];
  const { key, environment_scope } = variable;
  // Variables for different environments can have the same key.
  const target = { id: owner.id, key, 'filter[environment_scope]': environment_scope };
  const content = (
    <>
      <p>
        <code class="row-title">{key}</code> <Badges variable={variable} />
      </p>
      <Value variable={variable} />
      {variable.description ? (
        <p class="quiet">
          <bdi>{variable.description}</bdi>
        </p>
      ) : null}
    </>
  );
  return (
    <div class="row-main">
      <ToggledForm
        button={
          <>
            Edit <span class="hidden">{key}</span>
          </>
        }
        content={content}
        actions={
          <ActionButton
            run={() => client.call(remove, target)}
            confirm={{
              title: `Delete ${key}?`,
              text: 'Jobs that start later do not get the variable.',
              label: 'Delete the variable',
            }}
            done={`${key} was deleted.`}
            location={location}
          >
            Delete <span class="hidden">{key}</span>
          </ActionButton>
        }
      >
        {(close) => (
          <VariableForm
            variable={variable}
            location={location}
            close={close}
            submit={async (values) => {
              const { visibility: _unchangeable, value, ...attributes } = readAttributes(values);
              // The value of a hidden variable is unknown, so that an empty field leaves it.
              const isKept = variable.hidden && value === '';
              await client.call(update, { ...target, ...attributes, ...(isKept ? {} : { value }) });
            }}
          />
        )}
      </ToggledForm>
    </div>
  );
}

function Badges({ variable }: { readonly variable: Variable }) {
  const names = [
    variable.hidden ? 'hidden' : variable.masked ? 'masked' : null,
    variable.protected ? 'protected' : null,
    variable.variable_type === 'file' ? 'file' : null,
    variable.raw ? 'not expanded' : null,
    variable.environment_scope === '*' ? null : `environment ${variable.environment_scope}`,
  ];
  return (
    <>
      {names.map((name) =>
        name === null ? null : (
          <span key={name} class="badge">
            {name}
          </span>
        ),
      )}
    </>
  );
}

/** A masked value is shown only on request, because other people may see the screen. */
function Value({ variable: { key, value, masked } }: { readonly variable: Variable }) {
  const [isShown, setShown] = useState(!masked);
  if (value === null) return null;
  return (
    <p>
      {isShown ? <code class="plain-text">{value}</code> : <span aria-hidden="true">••••••••</span>}{' '}
      {masked ? (
        <button type="button" class="plain" onClick={() => setShown(!isShown)}>
          {isShown ? 'Hide' : 'Show'} <span class="hidden">{key}</span>
        </button>
      ) : null}
    </p>
  );
}

/** Returns the values of the form for a variable, without its key. */
function readAttributes(values: FormData) {
  const visibility = readText(values, 'visibility');
  const variableType: Variable['variable_type'] = readText(values, 'variable_type') === 'file' ? 'file' : 'env_var';
  return {
    visibility,
    value: readText(values, 'value'),
    variable_type: variableType,
    masked: visibility !== 'visible',
    protected: values.has('protected'),
    raw: !values.has('expanded'),
    description: readText(values, 'description'),
    environment_scope: readText(values, 'environment_scope') || '*',
  };
}

function VariableForm({
  variable,
  submit,
  close,
  location,
}: {
  /** Null for a new variable. */
  readonly variable: Variable | null;
  readonly submit: (values: FormData) => Promise<void>;
  readonly close: () => void;
  readonly location: PageLocation;
}) {
  const save = async (values: FormData) => {
    await submit(values);
    close();
  };
  const visibility = variable?.hidden ? 'hidden' : variable?.masked ? 'masked' : 'visible';
  return (
    <Form
      label={variable === null ? 'Add a variable' : `Edit ${variable.key}`}
      submitLabel={variable === null ? 'Add the variable' : 'Save'}
      submit={save}
      done={variable === null ? 'The variable was added.' : `${variable.key} was changed.`}
      onCancel={close}
      location={location}
    >
      {variable === null ? (
        <TextField label="Key" name="key" required maxLength={255} hint="Letters, digits and _." />
      ) : null}
      <TextArea
        label="Value"
        name="value"
        rows={3}
        defaultValue={variable?.value ?? ''}
        {...(variable?.hidden ? { hint: 'The value is hidden. Leave this empty to keep it.' } : {})}
      />
      <SelectField
        label="Type"
        name="variable_type"
        value={variable?.variable_type ?? 'env_var'}
        options={[
          ['env_var', 'Variable'],
          ['file', 'File: jobs get its path'],
        ]}
      />
      {variable?.hidden ? (
        <input type="hidden" name="visibility" value="hidden" />
      ) : (
        <SelectField
          label="Visibility in logs and pages"
          name="visibility"
          value={visibility}
          options={[
            ['visible', 'Visible'],
            ['masked', 'Masked in logs'],
            ...(variable === null ? ([['hidden', 'Masked, and never shown again']] as const) : []),
          ]}
          hint="A masked value is one line of at least 8 characters."
        />
      )}
      <CheckField
        label="Protected: only for protected branches and tags"
        name="protected"
        defaultChecked={variable?.protected ?? false}
      />
      <CheckField
        label="Expand references such as $NAME in the value"
        name="expanded"
        defaultChecked={!(variable?.raw ?? false)}
      />
      <TextField
        label="Environments"
        name="environment_scope"
        defaultValue={variable?.environment_scope ?? '*'}
        maxLength={255}
        hint="The environment whose jobs get the variable; * stands for any text."
      />
      <TextField label="Description" name="description" defaultValue={variable?.description ?? ''} maxLength={255} />
    </Form>
  );
}
