import { toPath } from '../../addresses.ts';
import { MemberLists, queryMembers } from '../../components/members.tsx';
import { can, ProjectNavigation, projectQueries } from '../../components/project-navigation.tsx';
import { page } from '../../page.ts';

/** The members of a project. */
export const projectMembers = page('projectMembers', {
  queries: (location) => {
    const { project: id = '' } = location.values;
    return { ...projectQueries(id), members: queryMembers('project', id, location) };
  },
  title: () => 'Members',
  navigation: (props) => <ProjectNavigation {...props} current="projectMembers" />,
  render: ({ project: { value: project }, abilities, members, location }) => (
    <MemberLists
      parent={{
        kind: 'project',
        id: project.id,
        name: project.name,
        mayManage: can(abilities, 'admin_project_member'),
        mayAddOwners: can(abilities, 'remove_project'),
      }}
      members={members}
      address={toPath('projectMembers', { project: project.path_with_namespace })}
      location={location}
    />
  ),
});
