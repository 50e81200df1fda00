import { toPath } from '../../addresses.ts';
import { readPageNumber } from '../../api/query.ts';
import { queryAtRef } from '../../api/ref-path.ts';
import { Pager } from '../../components/pager.tsx';
import { ProjectNavigation, projectQueries } from '../../components/project-navigation.tsx';
import { MAX_TREE_ENTRIES, PathLinks, Tree } from '../../components/tree.tsx';
import { page } from '../../page.ts';

/** A directory at a branch, tag or commit. */
export const tree = page('tree', {
  queries: ({ values: { project: id = '', ref_path = '' }, search }) => ({
    ...projectQueries(id),
    entries: queryAtRef(id, ref_path, (client, { ref, path }) =>
      client.call('GET /projects/:id/repository/tree', {
        id,
        ref,
        path,
        per_page: MAX_TREE_ENTRIES,
        page: readPageNumber(search),
      }),
    ),
  }),
  title: ({ project, entries }) => entries.value.path.split('/').at(-1) || project.value.name,
  navigation: (props) => <ProjectNavigation {...props} current="project" />,
  render: ({ project: { value: project }, entries, location, location: { search, toUrl, values } }) => (
    <>
      <PathLinks project={project.path_with_namespace} refPath={entries.value} location={location} />
      {entries.value.result.length === 0 ? (
        <p class="quiet">This directory is empty.</p>
      ) : (
        <Tree
          entries={entries.value.result}
          project={project.path_with_namespace}
          refName={entries.value.ref}
          location={location}
        />
      )}
      <Pager list={entries} search={search} href={toUrl(toPath('tree', values))} />
    </>
  ),
});
