import { toPath } from '../../addresses.ts';
import { query, readPageNumber } from '../../api/query.ts';
import { GroupNavigation, groupQueries } from '../../components/group-navigation.tsx';
import { LabelList } from '../../components/label-list.tsx';
import { can } from '../../components/project-navigation.tsx';
import { type PageLocation, type PageProps, page, usePageActions } from '../../page.ts';

const queries = ({ values: { group: id = '' }, search }: PageLocation) => ({
  ...groupQueries(id),
  labels: query('GET /groups/:id/labels', {
    id,
    with_counts: true,
    include_ancestor_groups: false,
    search: search.get('search') ?? '',
    page: readPageNumber(search),
  }),
});

/** The labels of a group. */
export const groupLabels = page('groupLabels', {
  queries,
  title: () => 'Labels',
  navigation: (props) => <GroupNavigation {...props} current="groupLabels" />,
  render: (props) => <GroupLabelsContent {...props} />,
});

function GroupLabelsContent({
  group,
  abilities,
  labels,
  location,
  location: { values, toUrl },
}: PageProps<typeof queries>) {
  const { client } = usePageActions();
  const { id } = group.value;
  return (
    <LabelList
      labels={labels}
      calls={{
        create: (attributes) => client.call('POST /groups/:id/labels', { id, ...attributes }),
        update: (label_id, { name, ...attributes }) =>
          client.call('PUT /groups/:id/labels/:label_id', { id, label_id, new_name: name, ...attributes }),
        remove: (label_id) => client.call('DELETE /groups/:id/labels/:label_id', { id, label_id }),
        setSubscribed: (label_id, isSubscribed) =>
          isSubscribed
            ? client.call('POST /groups/:id/labels/:label_id/subscribe', { id, label_id })
            : client.call('POST /groups/:id/labels/:label_id/unsubscribe', { id, label_id }),
      }}
      mayChange={can(abilities, 'admin_label')}
      hasPriority={false}
      href={toUrl(toPath('groupLabels', values))}
      issuesHref={toUrl(toPath('groupIssues', values))}
      apiPath={`/groups/${id}/labels`}
      location={location}
    />
  );
}
