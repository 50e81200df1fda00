import { type PageName, toPath } from '../addresses.ts';
import type { Loaded } from '../api/call.ts';
import type { MergeRequest } from '../api/operations.ts';
import { query } from '../api/query.ts';
import type { PageLocation } from '../page.ts';
import {
  can,
  type ProjectAbilities,
  type ProjectDetails,
  ProjectNavigation,
  projectQueries,
} from './project-navigation.tsx';

/** The seconds after which a merge request is read again. */
const REFETCH_SECONDS = 5;

/** Returns the reads of every page of a merge request. */
export const mergeRequestQueries = (id: string, merge_request_iid: string) => ({
  ...projectQueries(id),
  mergeRequest: query(
    'GET /projects/:id/merge_requests/:merge_request_iid',
    { id, merge_request_iid, include_diverged_commits_count: true, include_rebase_in_progress: true },
    REFETCH_SECONDS,
  ),
});

/** The pages of a merge request, in order, with the ability that each needs. */
const PAGES = [
  { name: 'mergeRequest', label: 'Overview', ability: 'read_merge_request' },
  { name: 'mergeRequestDiffs', label: 'Changes', ability: 'read_code' },
  { name: 'mergeRequestCommits', label: 'Commits', ability: 'read_code' },
  { name: 'mergeRequestPipelines', label: 'Pipelines', ability: 'read_pipeline' },
] as const satisfies readonly { readonly name: PageName; readonly label: string; readonly ability: string }[];

/** The tabs of a project, and below them those of one of its merge requests. */
export function MergeRequestNavigation({
  project,
  abilities,
  mergeRequest: { value: mergeRequest },
  location,
  current,
}: {
  readonly project: Loaded<ProjectDetails>;
  readonly abilities: ProjectAbilities;
  readonly mergeRequest: Loaded<MergeRequest>;
  readonly location: PageLocation;
  readonly current: (typeof PAGES)[number]['name'];
}) {
  const { toUrl, values } = location;
  const { changes_count } = mergeRequest;
  return (
    <>
      <ProjectNavigation project={project} abilities={abilities} location={location} current="mergeRequests" />
      <nav aria-label="Merge request">
        <ul class="tabs">
          {PAGES.filter(({ ability }) => can(abilities, ability)).map(({ name, label }) => (
            <li key={name}>
              <a href={toUrl(toPath(name, values))} aria-current={name === current ? 'page' : undefined}>
                {label}
                {name === 'mergeRequestDiffs' && changes_count !== null ? ` (${changes_count})` : null}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </>
  );
}
