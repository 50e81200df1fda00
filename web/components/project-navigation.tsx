import { toPath } from '../addresses.ts';
import type { ResultOf } from '../api/call.ts';
import type { PageLocation } from '../page.ts';

/** A project as its own pages read it. */
export type ProjectDetails = ResultOf<'GET /projects/:id'>;

/** The path of a project, and the tabs of its pages. */
export function ProjectNavigation({
  project,
  location: { toUrl },
  current,
}: {
  readonly project: ProjectDetails;
  readonly location: PageLocation;
  /** The tab of the page. */
  readonly current: 'project' | 'commits' | 'branches' | 'tags';
}) {
  const values = { project: project.path_with_namespace, ref: project.default_branch ?? '' };
  const tabs = [
    { name: 'project', label: 'Code' },
    { name: 'commits', label: 'Commits' },
    { name: 'branches', label: 'Branches' },
    { name: 'tags', label: 'Tags' },
  ] as const;
  // An empty repository has no default branch.
  const shownTabs = tabs.filter(({ name }) => name !== 'commits' || project.default_branch);
  return (
    <nav class="project-navigation" aria-label="Project">
      <p class="quiet">
        <a href={toUrl(toPath('project', values))}>{project.name_with_namespace}</a>
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
