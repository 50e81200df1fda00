import { toPath } from '../../addresses.ts';
import type { ResultOf } from '../../api/call.ts';
import { queryAtRef } from '../../api/ref-path.ts';
import { ProjectNavigation, projectQueries } from '../../components/project-navigation.tsx';
import { Time } from '../../components/time.tsx';
import { PathLinks } from '../../components/tree.tsx';
import { type PageLocation, page } from '../../page.ts';

type BlameGroup = ResultOf<'GET /projects/:id/repository/files/:file_path/blame'>[number];

/** Lines of a file that have a page: a file of 100,000 lines would occupy the browser for seconds. */
const MAX_BLAMED_LINES = 20_000;

/** The commits that last changed the lines of a file. */
export const blame = page('blame', {
  queries: ({ values: { project: id = '', ref_file = '' } }) => ({
    ...projectQueries(id),
    blame: queryAtRef(id, ref_file, (client, { ref, path }) =>
      client.call('GET /projects/:id/repository/files/:file_path/blame', { id, file_path: path, ref }),
    ),
  }),
  title: ({ blame }) => `Blame of ${blame.value.path.split('/').at(-1)}`,
  navigation: (props) => <ProjectNavigation {...props} current="project" />,
  render: ({ project: { value: project }, blame: { value: blame }, location, location: { toUrl } }) => {
    const path = project.path_with_namespace;
    const groups = numberGroups(blame.result);
    const shownGroups = groups.filter(({ first }) => first <= MAX_BLAMED_LINES);
    return (
      <>
        <PathLinks project={path} refPath={blame} location={location} />
        <p class="file-links">
          <a href={toUrl(toPath('file', { project: path, ref_file: `${blame.ref}/${blame.path}` }))}>File</a>
        </p>
        {groups.length === 0 ? <p class="quiet">This file is empty.</p> : null}
        <div class="blame">
          <table>
            <thead class="hidden">
              <tr>
                <th scope="col">Commit</th>
                <th scope="col">Lines</th>
                <th scope="col">Text</th>
              </tr>
            </thead>
            <tbody>
              {shownGroups.map((group) => (
                <tr key={group.first} class="blame-group">
                  <td class="blame-commit">
                    <BlamedCommit commit={group.commit} project={path} filePath={blame.path} location={location} />
                  </td>
                  <td class="line-numbers">
                    <pre>{group.lines.map((_line, index) => group.first + index).join('\n')}</pre>
                  </td>
                  <td>
                    <pre>{group.lines.join('\n')}</pre>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        {shownGroups.length === groups.length ? null : <p class="quiet">The rest of this file is not shown here.</p>}
      </>
    );
  },
});

/** Returns groups of lines with the number of their first line. */
function numberGroups(groups: readonly BlameGroup[]): readonly (BlameGroup & { readonly first: number })[] {
  let next = 1;
  return groups.map((group) => {
    const first = next;
    next += group.lines.length;
    return { ...group, first };
  });
}

function BlamedCommit({
  commit: { id, parent_ids, message, author_name, authored_date },
  project,
  filePath,
  location: { toUrl },
}: {
  readonly commit: BlameGroup['commit'];
  readonly project: string;
  readonly filePath: string;
  readonly location: PageLocation;
}) {
  const [parent] = parent_ids;
  const title = message.split('\n', 1)[0] ?? '';
  return (
    <>
      <a href={toUrl(`/${project}/-/commit/${id}`)} title={title}>
        {title || id.slice(0, 8)}
      </a>
      <span class="quiet">
        <bdi>{author_name}</bdi>, <Time value={authored_date} />
        {parent === undefined ? null : (
          <>
            {' '}
            <a
              href={toUrl(toPath('blame', { project, ref_file: `${parent}/${filePath}` }))}
              aria-label={`Blame before ${title}`}
            >
              Before
            </a>
          </>
        )}
      </span>
    </>
  );
}
