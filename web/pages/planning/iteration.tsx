import { toPath } from '../../addresses.ts';
import { query, queryAll } from '../../api/query.ts';
import { ActionButton } from '../../components/action-button.tsx';
import { GroupNavigation, groupQueries } from '../../components/group-navigation.tsx';
import { IterationForm } from '../../components/iteration-form.tsx';
import { Markdown } from '../../components/markdown.tsx';
import { PlannedItems } from '../../components/planned-items.tsx';
import { can } from '../../components/project-navigation.tsx';
import { ToggledForm } from '../../components/toggled-form.tsx';
import { type PageLocation, type PageProps, page, usePageActions } from '../../page.ts';
import { nameIteration, nameIterationState } from '../../text/iterations.ts';

const queries = ({ values: { group: id = '', iteration_id = '' } }: PageLocation) => ({
  ...groupQueries(id),
  iteration: query('GET /groups/:id/iterations/:iteration_id', { id, iteration_id }),
  issues: queryAll('GET /groups/:id/issues', {
    id,
    iteration_id: Number(iteration_id),
    scope: 'all',
    state: 'all',
    with_labels_details: true,
  }),
});

/** An iteration of a group: its issues, and how many are closed. */
export const iteration = page('iteration', {
  queries,
  title: ({ iteration }) => nameIteration(iteration.value),
  navigation: (props) => <GroupNavigation {...props} current="iterations" />,
  render: (props) => <IterationContent {...props} />,
});

function IterationContent({
  group,
  abilities,
  iteration: { value: iteration },
  issues,
  location,
}: PageProps<typeof queries>) {
  const { client, openUrl } = usePageActions();
  const path = { id: group.value.id, iteration_id: iteration.id };
  return (
    <>
      <ToggledForm
        button="Edit"
        // An iteration of a group above is changed there.
        isOffered={can(abilities, 'admin_iteration') && iteration.group_id === group.value.id}
        content={
          <>
            <p class="quiet">
              {iteration.start_date} to {iteration.due_date}{' '}
              <span class="badge">{nameIterationState(iteration.state)}</span>
            </p>
            {iteration.description ? <Markdown text={iteration.description} project={null} /> : null}
          </>
        }
        actions={
          <ActionButton
            location={location}
            run={async () => {
              await client.call('DELETE /groups/:id/iterations/:iteration_id', path);
              openUrl(location.toUrl(toPath('iterations', location.values)));
            }}
            done="The iteration was deleted."
            confirm={{
              title: 'Delete this iteration?',
              text: 'Its issues stay, without an iteration. This cannot be undone.',
              label: 'Delete iteration',
            }}
          >
            Delete
          </ActionButton>
        }
      >
        {(close) => (
          <IterationForm
            iteration={iteration}
            location={location}
            close={close}
            save={(attributes) => client.call('PUT /groups/:id/iterations/:iteration_id', { ...path, ...attributes })}
          />
        )}
      </ToggledForm>
      <PlannedItems issues={issues.value} isPartial={issues.nextPage !== null} period={iteration} />
    </>
  );
}
