import { toPath } from '../addresses.ts';
import type { Loaded } from '../api/call.ts';
import type { PageLocation } from '../page.ts';
import { can, type ProjectAbilities, type ProjectDetails, ProjectNavigation } from './project-navigation.tsx';

/** The pages about pipelines, and the ability without which their link is left out. */
const PAGES = [
  { name: 'pipelines', label: 'Pipelines', ability: 'read_pipeline' },
  { name: 'jobs', label: 'Jobs', ability: 'read_job' },
  { name: 'schedules', label: 'Schedules', ability: 'read_pipeline' },
  { name: 'ciLint', label: 'CI lint', ability: 'create_pipeline' },
  { name: 'variables', label: 'Variables', ability: 'admin_variable' },
  { name: 'runners', label: 'Runners', ability: 'admin_runner' },
  { name: 'triggers', label: 'Triggers', ability: 'admin_trigger' },
] as const;

/** The tabs of a project, and below them the pages about its pipelines. */
export function PipelinesNavigation({
  project,
  abilities,
  location,
  current,
}: {
  readonly project: Loaded<ProjectDetails>;
  readonly abilities: ProjectAbilities;
  readonly location: PageLocation;
  /** The link of the page, or of the list that its subject belongs to. */
  readonly current: (typeof PAGES)[number]['name'];
}) {
  const values = { project: project.value.path_with_namespace };
  const shownPages = PAGES.filter(({ ability }) => can(abilities, ability));
  return (
    <>
      <ProjectNavigation project={project} abilities={abilities} location={location} current="pipelines" />
      <nav aria-label="Pipelines">
        <ul class="links">
          {shownPages.map(({ name, label }) => (
            <li key={name}>
              <a href={location.toUrl(toPath(name, values))} aria-current={name === current ? 'page' : undefined}>
                {label}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </>
  );
}
