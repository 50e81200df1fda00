import { toPath } from '../../addresses.ts';
import type { Loaded } from '../../api/call.ts';
import type { Group } from '../../api/operations.ts';
import { query, readPageNumber } from '../../api/query.ts';
import { GroupNavigation, groupQueries } from '../../components/group-navigation.tsx';
import { Markdown } from '../../components/markdown.tsx';
import { Pager } from '../../components/pager.tsx';
import { can } from '../../components/project-navigation.tsx';
import { ProjectRows } from '../../components/project-rows.tsx';
import { SearchForm } from '../../components/search-form.tsx';
import { type PageLocation, page } from '../../page.ts';

/** The number of subgroups that the page of a group shows. */
const MAX_SUBGROUPS = 100;

/** Returns the parameters of a search for subgroups and projects. */
const readSearch = (search: URLSearchParams) => (search.get('search') ? { search: search.get('search')! } : {});

/** A group: its description, its subgroups and its projects. */
export const group = page('group', {
  queries: ({ values: { group: id = '' }, search }) => ({
    ...groupQueries(id),
    subgroups: query('GET /groups/:id/subgroups', { id, per_page: MAX_SUBGROUPS, ...readSearch(search) }),
    projects: query('GET /groups/:id/projects', {
      id,
      order_by: 'last_activity_at',
      page: readPageNumber(search),
      ...readSearch(search),
    }),
  }),
  title: ({ group }) => group.value.name,
  navigation: (props) => <GroupNavigation {...props} current="group" />,
  render: ({ group: { value: group }, abilities, subgroups, projects, location, location: { search, toUrl } }) => (
    <>
      <p>
        <span class="badge">{group.visibility}</span> {group.archived ? <span class="badge">archived</span> : null}
      </p>
      {group.description ? <Markdown text={group.description} project={null} /> : null}
      <p class="actions">
        {can(abilities, 'create_project') ? (
          <a class="button" href={toUrl(`${toPath('newProject')}?namespace_id=${group.id}`)}>
            New project
          </a>
        ) : null}
        {can(abilities, 'create_subgroup') ? (
          <a class="button" href={toUrl(`${toPath('newGroup')}?parent_id=${group.id}`)}>
            New subgroup
          </a>
        ) : null}
      </p>
      {subgroups.value.length + projects.value.length === 0 && !search.has('search') ? null : (
        <SearchForm action={toUrl(toPath('group', { group: group.full_path }))} search={search} />
      )}
      {subgroups.value.length === 0 ? null : <Subgroups subgroups={subgroups} location={location} />}
      <h2>Projects</h2>
      <ProjectRows projects={projects} location={location} />
      <Pager list={projects} search={search} href={toUrl(toPath('group', { group: group.full_path }))} />
    </>
  ),
});

function Subgroups({
  subgroups,
  location: { toUrl },
}: {
  readonly subgroups: Loaded<readonly Pick<Group, 'id' | 'name' | 'full_path' | 'description' | 'visibility'>[]>;
  readonly location: PageLocation;
}) {
  return (
    <>
      <h2>Subgroups</h2>
      <ul class="rows">
        {subgroups.value.map(({ id, name, full_path, description, visibility }) => (
          <li key={id} class="row">
            <div class="row-main">
              <a class="row-title" href={toUrl(toPath('group', { group: full_path }))}>
                {name}
              </a>
              {description ? <p class="quiet clamp">{description}</p> : null}
            </div>
            <span class="row-facts quiet">
              <span class="badge">{visibility}</span>
            </span>
          </li>
        ))}
      </ul>
      {subgroups.nextPage === null ? null : <p class="quiet">The first {MAX_SUBGROUPS} subgroups.</p>}
    </>
  );
}
