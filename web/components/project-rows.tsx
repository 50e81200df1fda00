import type { Loaded } from '../api/call.ts';
import type { Project } from '../api/operations.ts';
import type { PageLocation } from '../page.ts';
import { formatCount } from '../text/names.ts';
import { Empty } from './empty.tsx';
import { Time } from './time.tsx';

type ProjectRow = Pick<
  Project,
  'id' | 'path_with_namespace' | 'name_with_namespace' | 'description' | 'last_activity_at' | 'star_count'
> & { readonly visibility?: string };

/** The rows of a list of projects, or a description of the empty list. */
export function ProjectRows({
  projects,
  location,
}: {
  readonly projects: Loaded<readonly ProjectRow[]>;
  readonly location: PageLocation;
}) {
  if (projects.value.length === 0)
    return (
      <Empty
        title="No projects"
        text="Projects that you can see appear here."
        create={{ path: '/projects', data: 'name=first' }}
        location={location}
      />
    );
  return (
    <ul class="rows">
      {projects.value.map((project) => (
        <li key={project.id} class="row">
          <div class="row-main">
            <a class="row-title" href={location.toUrl(`/${project.path_with_namespace}`)}>
              {project.name_with_namespace}
            </a>
            {project.description ? <p class="quiet clamp">{project.description}</p> : null}
          </div>
          <div class="row-facts quiet">
            {project.visibility ? <span class="badge">{project.visibility}</span> : null}
            <span>{formatCount(project.star_count, 'star')}</span>
            <Time value={project.last_activity_at} />
          </div>
        </li>
      ))}
    </ul>
  );
}
