import { toPath } from '../../addresses.ts';
import { Readme, rootDirectoryQueries } from '../../components/directory.tsx';
import { EmptyRepository } from '../../components/empty-repository.tsx';
import { NewFileLink } from '../../components/file-actions.tsx';
import { ProjectNavigation, projectQueries } from '../../components/project-navigation.tsx';
import { PathRefSwitcher } from '../../components/ref-switcher.tsx';
import { MAX_TREE_ENTRIES, Tree } from '../../components/tree.tsx';
import { page } from '../../page.ts';

/** A project: its description, how to clone it, and the files of its default branch. */
export const project = page('project', {
  queries: ({ values: { project: id = '' } }) => ({
    ...projectQueries(id),
    ...rootDirectoryQueries(id),
  }),
  title: ({ project }) => project.value.name,
  navigation: (props) => <ProjectNavigation {...props} current="project" />,
  render: ({ project: { value: project }, abilities, directory, location, location: { toUrl } }) => (
    <>
      {project.description ? <p>{project.description}</p> : null}
      <p class="clone">
        <code>git clone {project.http_url_to_repo}</code>
      </p>
      {directory.value.entries.length === 0 ? (
        <EmptyRepository project={project} abilities={abilities} location={location} />
      ) : (
        <>
          <p class="file-links">
            <PathRefSwitcher
              page="tree"
              project={project.path_with_namespace}
              refName={project.default_branch ?? ''}
              path=""
              location={location}
            />
            <NewFileLink
              project={project.path_with_namespace}
              refPath={project.default_branch ?? ''}
              abilities={abilities}
              location={location}
            />
          </p>
          <Tree
            entries={directory.value.entries}
            project={project.path_with_namespace}
            refPath={{ ref: project.default_branch ?? '', path: '' }}
            page={1}
            location={location}
          />
          {directory.nextPage === null ? null : (
            <p class="quiet">
              The first {MAX_TREE_ENTRIES} entries.{' '}
              <a
                href={toUrl(
                  toPath('tree', { project: project.path_with_namespace, ref_path: project.default_branch ?? '' }),
                )}
              >
                Show all
              </a>
            </p>
          )}
          <Readme
            readme={directory.value.readme}
            project={project.path_with_namespace}
            refName={project.default_branch ?? ''}
            location={location}
          />
        </>
      )}
    </>
  ),
});
