import { toPath } from '../addresses.ts';
import type { Loaded } from '../api/call.ts';
import type { Commit } from '../api/operations.ts';
import type { PageLocation } from '../page.ts';
import { Empty } from './empty.tsx';
import { Pager } from './pager.tsx';
import type { ProjectDetails } from './project-navigation.tsx';
import { Time } from './time.tsx';

/** A branch or tag. */
interface Ref {
  readonly name: string;
  readonly protected: boolean;
  readonly default?: boolean;
  readonly commit: Pick<Commit, 'id' | 'short_id' | 'title' | 'committed_date'> | null;
}

/** The list of branches or tags, each with its commit; how to create the first one if there is none. */
export function RefList({
  page,
  refs,
  project,
  location,
  empty: { title, text, data },
}: {
  readonly page: 'branches' | 'tags';
  readonly refs: Loaded<readonly Ref[]>;
  readonly project: ProjectDetails;
  readonly location: PageLocation;
  /** What an empty list says, and the body of the request that creates an item. */
  readonly empty: { readonly title: string; readonly text: string; readonly data: string };
}) {
  if (refs.value.length === 0) {
    const create = { path: `/projects/${project.id}/repository/${page}`, data };
    return <Empty title={title} text={text} create={create} location={location} />;
  }
  const { toUrl, search, values } = location;
  return (
    <>
      <RefRows refs={refs.value} project={project.path_with_namespace} location={location} />
      <Pager list={refs} search={search} href={toUrl(toPath(page, values))} />
    </>
  );
}

function RefRows({
  refs,
  project,
  location: { toUrl },
}: {
  readonly refs: readonly Ref[];
  readonly project: string;
  readonly location: PageLocation;
}) {
  return (
    <ul class="rows">
      {refs.map(({ name, default: isDefault, protected: isProtected, commit }) => (
        <li key={name} class="row">
          <div class="row-main">
            <a class="row-title" href={toUrl(toPath('tree', { project, ref_path: name }))}>
              {name}
            </a>{' '}
            {isDefault ? <span class="badge">default</span> : null}{' '}
            {isProtected ? <span class="badge">protected</span> : null}
            {commit === null ? null : <p class="quiet clamp">{commit.title}</p>}
          </div>
          <div class="row-facts quiet">
            <a href={toUrl(toPath('commits', { project, ref: name }))}>Commits</a>
            {commit === null ? null : (
              <>
                <code>{commit.short_id}</code> <Time value={commit.committed_date} />
              </>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}
