import { toPath } from '../../addresses.ts';
import { readPageNumber } from '../../api/query.ts';
import { directoryQueries, Readme } from '../../components/directory.tsx';
import { NewFileLink } from '../../components/file-actions.tsx';
import { Pager } from '../../components/pager.tsx';
import { ProjectNavigation, projectQueries } from '../../components/project-navigation.tsx';
import { PathRefSwitcher } from '../../components/ref-switcher.tsx';
import { PathLinks, Tree } from '../../components/tree.tsx';
import { page } from '../../page.ts';

/** A directory at a branch, tag or commit. */
export const tree = page('tree', {
  queries: ({ values: { project: id = '', ref_path = '' }, search }) => ({
    ...projectQueries(id),
    ...directoryQueries(id, ref_path, readPageNumber(search)),
  }),
  title: ({ project, directory }) => directory.value.path.split('/').at(-1) || project.value.name,
  navigation: (props) => <ProjectNavigation {...props} current="project" />,
  render: ({ project: { value: project }, abilities, directory, location, location: { search, toUrl, values } }) => (
    <>
      <p class="file-links">
        <PathRefSwitcher
          page="tree"
          project={project.path_with_namespace}
          refName={directory.value.ref}
          path={directory.value.path}
          location={location}
        />
        <NewFileLink
          project={project.path_with_namespace}
          refPath={[directory.value.ref, directory.value.path].filter(Boolean).join('/')}
          abilities={abilities}
          location={location}
        />
      </p>
      <PathLinks project={project.path_with_namespace} refPath={directory.value} location={location} />
      {directory.value.result.entries.length === 0 ? (
        <p class="quiet">This directory is empty.</p>
      ) : (
        <Tree
          entries={directory.value.result.entries}
          project={project.path_with_namespace}
          refPath={directory.value}
          page={readPageNumber(search)}
          location={location}
        />
      )}
      <Pager list={directory} search={search} href={toUrl(toPath('tree', values))} />
      <Readme
        readme={directory.value.result.readme}
        project={project.path_with_namespace}
        refName={directory.value.ref}
        location={location}
      />
    </>
  ),
});
