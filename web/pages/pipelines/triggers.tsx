import { toPath } from '../../addresses.ts';
import type { ResultOf } from '../../api/call.ts';
import { query, readPageNumber } from '../../api/query.ts';
import { ActionButton } from '../../components/action-button.tsx';
import { Empty } from '../../components/empty.tsx';
import { Form, readText, TextField } from '../../components/form.tsx';
import { Pager } from '../../components/pager.tsx';
import { PipelinesNavigation } from '../../components/pipelines-navigation.tsx';
import { projectQueries } from '../../components/project-navigation.tsx';
import { Time } from '../../components/time.tsx';
import { ToggledForm } from '../../components/toggled-form.tsx';
import { type PageLocation, page, usePageActions } from '../../page.ts';

type Trigger = ResultOf<'GET /projects/:id/triggers'>[number];

/** The tokens with which other systems start pipelines of a project. */
export const triggers = page('triggers', {
  queries: ({ values: { project: id = '' }, search }) => ({
    ...projectQueries(id),
    triggers: query('GET /projects/:id/triggers', { id, page: readPageNumber(search) }),
  }),
  title: () => 'Pipeline trigger tokens',
  navigation: (props) => <PipelinesNavigation {...props} current="triggers" />,
  render: ({ project: { value: project }, triggers, location, location: { session, toUrl } }) => (
    <>
      <p class="quiet">A token starts pipelines as the user who created it. Other users see only its beginning.</p>
      <NewTrigger project={project.id} location={location} />
      {triggers.value.length === 0 ? (
        <Empty
          title="No tokens"
          text="Tokens for other systems that start pipelines appear here."
          create={{ path: `/projects/${project.id}/triggers`, data: 'description=factory' }}
          location={location}
        />
      ) : (
        <>
          <ul class="rows">
            {triggers.value.map((trigger) => (
              <li key={trigger.id} class="row">
                <TriggerItem project={project.id} trigger={trigger} location={location} />
              </li>
            ))}
          </ul>
          <Pager
            list={triggers}
            search={location.search}
            href={toUrl(toPath('triggers', { project: project.path_with_namespace }))}
          />
          <pre class="command">{`curl --form token=TOKEN --form ref=${project.default_branch ?? 'main'} --form "variables[SIZE]=large" \\\n  ${session.origin}${toUrl(`/api/v4/projects/${project.id}/trigger/pipeline`)}`}</pre>
        </>
      )}
    </>
  ),
});

function NewTrigger({ project: id, location }: { readonly project: number; readonly location: PageLocation }) {
  const { client } = usePageActions();
  return (
    <ToggledForm button="New token" isPrimary>
      {(close) => (
        <Form
          label="New token"
          submitLabel="Create the token"
          submit={async (values) => {
            const date = readText(values, 'expires_at');
            await client.call('POST /projects/:id/triggers', {
              id,
              description: readText(values, 'description'),
              ...(date === '' ? {} : { expires_at: `${date}T00:00:00Z` }),
            });
            close();
          }}
          done="The token was created."
          onCancel={close}
          location={location}
        >
          <TextField label="Description" name="description" required hint="Which system uses the token." />
          <TextField label="Expires on" name="expires_at" type="date" hint="Within the next 365 days; empty: never." />
        </Form>
      )}
    </ToggledForm>
  );
}

function TriggerItem({
  project: id,
  trigger: { id: trigger_id, description, token, owner, last_used, expires_at },
  location,
}: {
  readonly project: number;
  readonly trigger: Trigger;
  readonly location: PageLocation;
}) {
  const { client } = usePageActions();
  const target = { id, trigger_id };
  const content = (
    <>
      <strong>{description}</strong>
      <p>
        <code>{token}</code>
      </p>
      <p class="quiet">
        {owner === null ? 'Its owner was deleted' : `As ${owner.name}`},{' '}
        {last_used === null ? (
          'never used'
        ) : (
          <>
            last used <Time value={last_used} />
          </>
        )}
        {expires_at === null ? null : (
          <>
            , expires <Time value={expires_at} />
          </>
        )}
      </p>
    </>
  );
  return (
    <div class="row-main">
      <ToggledForm
        button={
          <>
            Edit <span class="hidden">{description}</span>
          </>
        }
        content={content}
        actions={
          <ActionButton
            run={() => client.call('DELETE /projects/:id/triggers/:trigger_id', target)}
            confirm={{
              title: `Delete the token ${description}?`,
              text: 'Systems that use it can no longer start pipelines.',
              label: 'Delete the token',
            }}
            done="The token was deleted."
            location={location}
          >
            Delete <span class="hidden">{description}</span>
          </ActionButton>
        }
      >
        {(close) => (
          <Form
            label={`Edit ${description}`}
            submitLabel="Save"
            submit={async (values) => {
              await client.call('PUT /projects/:id/triggers/:trigger_id', {
                ...target,
                description: readText(values, 'description'),
              });
              close();
            }}
            done="The token was changed."
            onCancel={close}
            location={location}
          >
            <TextField label="Description" name="description" defaultValue={description} required />
          </Form>
        )}
      </ToggledForm>
    </div>
  );
}
