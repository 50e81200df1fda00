import { toPath } from '../addresses.ts';
import type { Loaded, ResultOf } from '../api/call.ts';
import { query } from '../api/query.ts';
import type { PageLocation } from '../page.ts';
import { can } from './project-navigation.tsx';

/** A group as its own pages read it. */
export type GroupDetails = ResultOf<'GET /groups/:id'>;

/** The abilities of the caller in the group. */
export type GroupAbilities = Loaded<ResultOf<'GET /groups/:id/abilities'>>;

/** Returns the reads of every page of a group. */
export const groupQueries = (id: string) => ({
  group: query('GET /groups/:id', { id, with_projects: false }),
  abilities: query('GET /groups/:id/abilities', { id }),
});

/**
 * The tabs of a group, in order; each links to the page with that name and is shown to callers with the ability; null: to
 * everybody who sees the group.
 */
const TABS = [
  { name: 'group', label: 'Overview', ability: null },
  { name: 'groupIssues', label: 'Issues', ability: null },
  { name: 'groupMergeRequests', label: 'Merge requests', ability: null },
  { name: 'groupMilestones', label: 'Milestones', ability: 'read_milestone' },
  { name: 'groupLabels', label: 'Labels', ability: 'read_label' },
  { name: 'epics', label: 'Epics', ability: 'read_epic' },
  { name: 'iterations', label: 'Iterations', ability: 'read_iteration' },
  { name: 'groupMembers', label: 'Members', ability: 'read_group_members' },
  { name: 'groupVariables', label: 'Variables', ability: 'admin_variable' },
  { name: 'groupSettings', label: 'Settings', ability: 'update_group' },
] as const;

type GroupTab = (typeof TABS)[number]['name'];

/** The groups above a group, and the tabs of its pages. */
export function GroupNavigation({
  group: { value: group },
  abilities,
  location: { toUrl },
  current,
}: {
  readonly group: Loaded<GroupDetails>;
  /** Absent: only the tabs that everybody sees. */
  readonly abilities?: GroupAbilities;
  readonly location: PageLocation;
  /** The tab of the page. */
  readonly current: GroupTab;
}) {
  const shownTabs = TABS.filter(({ ability }) => ability === null || (abilities && can(abilities, ability)));
  return (
    <nav class="project-navigation" aria-label="Group">
      <p class="quiet">
        <GroupPath name={group.full_name} path={group.full_path} toUrl={toUrl} />
      </p>
      <ul class="tabs">
        {shownTabs.map(({ name, label }) => (
          <li key={name}>
            <a
              href={toUrl(toPath(name, { group: group.full_path }))}
              aria-current={name === current ? 'page' : undefined}
            >
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The full name of a group; each part links to the group that it names. */
function GroupPath({
  name,
  path,
  toUrl,
}: {
  readonly name: string;
  readonly path: string;
  readonly toUrl: PageLocation['toUrl'];
}) {
  const segments = path.split('/');
  const names = name.split(' / ');
  // A full name cannot be split if one of its names contains a slash, so the path is shown instead.
  const labels = names.length === segments.length ? names : segments;
  return (
    <>
      {labels.map((label, index) => {
        const group = segments.slice(0, index + 1).join('/');
        return (
          <span key={group}>
            {index === 0 ? null : ' / '}
            <a href={toUrl(toPath('group', { group }))}>{label}</a>
          </span>
        );
      })}
    </>
  );
}
