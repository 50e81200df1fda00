import { toPath } from '../../addresses.ts';
import { query, readPageNumber } from '../../api/query.ts';
import { CommitRows } from '../../components/commit-rows.tsx';
import { Pager } from '../../components/pager.tsx';
import { ProjectNavigation, projectQueries } from '../../components/project-navigation.tsx';
import { RefSwitcher } from '../../components/ref-switcher.tsx';
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
  render: ({ project: { value: project }, commits, location }) => {
    const { search, toUrl, values } = location;
    const path = project.path_with_namespace;
    const range = `${project.default_branch}...${values.ref}`;
    return (
      <>
        <p class="file-links">
          <RefSwitcher
            project={path}
            refName={values.ref ?? ''}
            toPagePath={(ref) => toPath('commits', { ...values, ref })}
            location={location}
          />
          <a href={toUrl(toPath('compare', { project: path, range }))}>Compare</a>
        </p>
        <CommitRows commits={commits.value} project={path} location={location} />
        <Pager list={commits} search={search} href={toUrl(toPath('commits', values))} />
      </>
    );
  },
});
