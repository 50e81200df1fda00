import { toPath } from '../../addresses.ts';
import { query, readPageNumber } from '../../api/query.ts';
import { Pager } from '../../components/pager.tsx';
import { ProjectNavigation, projectQueries } from '../../components/project-navigation.tsx';
import { Time } from '../../components/time.tsx';
import { page } from '../../page.ts';

/** The commits that a branch, tag or commit reaches, newest first. */
export const commits = page('commits', {
  queries: ({ values: { project: id = '', ref = '' }, search }) => ({
    ...projectQueries(id),
    commits: query('GET /projects/:id/repository/commits', {
      id,
      ref_name: ref,
      page: readPageNumber(search),
    }),
  }),
  title: (_loaded, { values }) => `Commits of ${values.ref}`,
  navigation: (props) => <ProjectNavigation {...props} current="commits" />,
  render: ({ project: { value: project }, commits, location: { search, toUrl, values } }) => (
    <>
      <ul class="rows">
        {commits.value.map((commit) => (
          <li key={commit.id} class="row">
            <span class="row-main">{commit.title}</span>
            <span class="row-facts quiet">
              <span>{commit.author_name}</span>
              <Time value={commit.committed_date} />
              <a href={toUrl(toPath('tree', { project: project.path_with_namespace, ref_path: commit.id }))}>
                <code>{commit.short_id}</code>
              </a>
            </span>
          </li>
        ))}
      </ul>
      <Pager list={commits} search={search} href={toUrl(toPath('commits', values))} />
    </>
  ),
});
