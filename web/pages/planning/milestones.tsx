import { toPath } from '../../addresses.ts';
import { query } from '../../api/query.ts';
import { MilestoneList, readMilestoneFilters } from '../../components/milestone-list.tsx';
import { can, ProjectNavigation, projectQueries } from '../../components/project-navigation.tsx';
import { type PageLocation, type PageProps, page, usePageActions } from '../../page.ts';

const queries = ({ values: { project: id = '' }, search }: PageLocation) => ({
  ...projectQueries(id),
  milestones: query('GET /projects/:id/milestones', { id, ...readMilestoneFilters(search) }),
});

/** The milestones of a project and of the groups above. */
export const milestones = page('milestones', {
  queries,
  title: () => 'Milestones',
  navigation: (props) => <ProjectNavigation {...props} current="milestones" />,
  render: (props) => <MilestonesContent {...props} />,
});

function MilestonesContent({
  project: {
    value: { id },
  },
  abilities,
  milestones,
  location,
}: PageProps<typeof queries>) {
  const { client } = usePageActions();
  return (
    <MilestoneList
      milestones={milestones}
      create={
        can(abilities, 'admin_milestone')
          ? (attributes) => client.call('POST /projects/:id/milestones', { id, ...attributes })
          : null
      }
      href={location.toUrl(toPath('milestones', location.values))}
      apiPath={`/projects/${id}/milestones`}
      location={location}
    />
  );
}
