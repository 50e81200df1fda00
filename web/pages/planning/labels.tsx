import { toPath } from '../../addresses.ts';
import { query, readPageNumber } from '../../api/query.ts';
import { LabelList } from '../../components/label-list.tsx';
import { can, ProjectNavigation, projectQueries } from '../../components/project-navigation.tsx';
import { type PageLocation, type PageProps, page, usePageActions } from '../../page.ts';

const queries = ({ values: { project: id = '' }, search }: PageLocation) => ({
  ...projectQueries(id),
  labels: query('GET /projects/:id/labels', {
    id,
    with_counts: true,
    search: search.get('search') ?? '',
    page: readPageNumber(search),
  }),
});

/** The labels of a project, with those of the groups above. */
export const labels = page('labels', {
  queries,
  title: () => 'Labels',
  navigation: (props) => <ProjectNavigation {...props} current="labels" />,
  render: (props) => <LabelsContent {...props} />,
});

function LabelsContent({
  project,
  abilities,
  labels,
  location,
  location: { values, toUrl },
}: PageProps<typeof queries>) {
  const { client } = usePageActions();
  const { id } = project.value;
  return (
    <LabelList
      labels={labels}
      calls={{
        create: (attributes) => client.call('POST /projects/:id/labels', { id, ...attributes }),
        update: (label_id, { name, ...attributes }) =>
          client.call('PUT /projects/:id/labels/:label_id', { id, label_id, new_name: name, ...attributes }),
        remove: (label_id) => client.call('DELETE /projects/:id/labels/:label_id', { id, label_id }),
        setSubscribed: (label_id, isSubscribed) =>
          isSubscribed
            ? client.call('POST /projects/:id/labels/:label_id/subscribe', { id, label_id })
            : client.call('POST /projects/:id/labels/:label_id/unsubscribe', { id, label_id }),
      }}
      mayChange={can(abilities, 'admin_label')}
      hasPriority
      href={toUrl(toPath('labels', values))}
      issuesHref={toUrl(toPath('issues', values))}
      apiPath={`/projects/${id}/labels`}
      location={location}
    />
  );
}
