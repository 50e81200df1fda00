import { toPath } from '../../addresses.ts';
import { GroupNavigation, groupQueries } from '../../components/group-navigation.tsx';
import { MemberLists, queryMembers } from '../../components/members.tsx';
import { can } from '../../components/project-navigation.tsx';
import { page } from '../../page.ts';

/** The members of a group. */
export const groupMembers = page('groupMembers', {
  queries: (location) => {
    const { group: id = '' } = location.values;
    return { ...groupQueries(id), members: queryMembers('group', id, location) };
  },
  title: () => 'Members',
  navigation: (props) => <GroupNavigation {...props} current="groupMembers" />,
  render: ({ group: { value: group }, abilities, members, location }) => {
    const mayManage = can(abilities, 'admin_group_member');
    return (
      <MemberLists
        parent={{ kind: 'group', id: group.id, name: group.name, mayManage, mayAddOwners: mayManage }}
        members={members}
        address={toPath('groupMembers', { group: group.full_path })}
        location={location}
      />
    );
  },
});
