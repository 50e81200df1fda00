import { toPath } from '../addresses.ts';
import type { Loaded, ResultOf } from '../api/call.ts';
import { query } from '../api/query.ts';
import type { PageLocation } from '../page.ts';

/** A project as its own pages read it. */
export type ProjectDetails = ResultOf<'GET /projects/:id'>;

/** The abilities of the caller in the project. */
export type ProjectAbilities = Loaded<ResultOf<'GET /projects/:id/abilities'>>;

/** Returns the reads of every page of a project. */
export const projectQueries = (id: string) => ({
  project: query('GET /projects/:id', { id }),
  abilities: query('GET /projects/:id/abilities', { id }),
});

/** Returns whether the caller has an ability. */
export const can = <Name extends string>(
  { value: { abilities } }: Loaded<{ readonly abilities: readonly Name[] }>,
  ability: Name,
): boolean => abilities.includes(ability);

/** The tabs of a project, in order; each links to the page with that name and is shown to callers with the ability. */
const TABS = [
  { name: 'project', label: 'Code', ability: 'read_project' },
  { name: 'issues', label: 'Issues', ability: 'read_issue' },
  { name: 'mergeRequests', label: 'Merge requests', ability: 'read_merge_request' },
  { name: 'pipelines', label: 'Pipelines', ability: 'read_pipeline' },
  { name: 'milestones', label: 'Milestones', ability: 'read_milestone' },
  { name: 'labels', label: 'Labels', ability: 'read_label' },
  { name: 'commits', label: 'Commits', ability: 'read_code' },
  { name: 'branches', label: 'Branches', ability: 'read_code' },
  { name: 'tags', label: 'Tags', ability: 'read_code' },
  { name: 'projectMembers', label: 'Members', ability: 'read_members' },
  { name: 'projectSettings', label: 'Settings', ability: 'update_project' },
] as const;

type ProjectTab = (typeof TABS)[number]['name'];

/** The path of a project, and the tabs of its pages. */
export function ProjectNavigation({
  project: { value: project },
  abilities,
  location: { toUrl },
  current,
}: {
  readonly project: Loaded<ProjectDetails>;
  readonly abilities: ProjectAbilities;
  readonly location: PageLocation;
  /** The tab of the page. */
  readonly current: ProjectTab;
}) {
  const values = { project: project.path_with_namespace, ref: project.default_branch ?? '' };
  // An empty repository has no default branch.
  const shownTabs = TABS.filter(
    ({ name, ability }) => can(abilities, ability) && (name !== 'commits' || project.default_branch),
  );
  return (
    <nav class="project-navigation" aria-label="Project">
      <p class="quiet">
        <a href={project.namespace.web_url}>{getNamespaceName(project)}</a> /{' '}
        <a href={toUrl(toPath('project', values))}>{project.name}</a>
      </p>
      <ul class="tabs">
        {shownTabs.map(({ name, label }) => (
          <li key={name}>
            <a href={toUrl(toPath(name, values))} aria-current={name === current ? 'page' : undefined}>
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Returns the name of the namespace with those above it. */
const getNamespaceName = ({ name, name_with_namespace }: ProjectDetails): string =>
  name_with_namespace.slice(0, -` / ${name}`.length);
