import type { ComponentChildren } from 'preact';
import { toPath } from '../addresses.ts';
import type { Loaded } from '../api/call.ts';
import type { Commit } from '../api/operations.ts';
import type { PageLocation } from '../page.ts';
import { Empty } from './empty.tsx';
import { Pager } from './pager.tsx';
import type { ProjectDetails } from './project-navigation.tsx';
import { SearchForm } from './search-form.tsx';
import { Time } from './time.tsx';

/** A branch or tag. */
interface Ref {
  readonly name: string;
  readonly protected: boolean;
  /** Set for branches. */
  readonly default?: boolean;
  readonly merged?: boolean;
  /** The message of an annotated tag; empty for other refs. */
  readonly message?: string;
  readonly commit: Pick<Commit, 'id' | 'short_id' | 'title' | 'committed_date'> | null;
}

/** The list of branches or tags, each with its commit, and a search; how to create the first one if there is none. */
export function RefList<Item extends Ref>({
  page,
  refs,
  project,
  location,
  empty: { title, text, data },
  actions,
}: {
  readonly page: 'branches' | 'tags';
  readonly refs: Loaded<readonly Item[]>;
  readonly project: ProjectDetails;
  readonly location: PageLocation;
  /** The text of an empty list, and the body of the request that creates an item. */
  readonly empty: { readonly title: string; readonly text: string; readonly data: string };
  /** The actions on a branch or tag that the visitor may perform. */
  readonly actions: (item: Item) => ComponentChildren;
}) {
  const { toUrl, search, values } = location;
  const searched = search.get('search') ?? '';
  if (refs.value.length === 0 && searched === '') {
    const create = { path: `/projects/${project.id}/repository/${page}`, data };
    return <Empty title={title} text={text} create={create} location={location} />;
  }
  const url = toUrl(toPath(page, values));
  return (
    <>
      <SearchForm action={url} search={search} />
      {refs.value.length === 0 ? <p class="quiet">Nothing has this name.</p> : null}
      {refs.value.length === 0 ? null : (
        <RefRows refs={refs.value} project={project.path_with_namespace} location={location} actions={actions} />
      )}
      <Pager list={refs} search={search} href={url} />
    </>
  );
}

/** Returns the search of a list of branches or tags, as parameters of the API. */
export function readRefSearch({ search }: PageLocation): { readonly search?: string } {
  const text = search.get('search') ?? '';
  return text === '' ? {} : { search: text };
}

function RefRows<Item extends Ref>({
  refs,
  project,
  location: { toUrl },
  actions,
}: {
  readonly refs: readonly Item[];
  readonly project: string;
  readonly location: PageLocation;
  readonly actions: (item: Item) => ComponentChildren;
}) {
  return (
    <ul class="rows">
      {refs.map((item) => {
        const { name, commit } = item;
        return (
          <li key={name} class="row">
            <div class="row-main">
              <a class="row-title" href={toUrl(toPath('tree', { project, ref_path: name }))}>
                {name}
              </a>{' '}
              {item.default ? <span class="badge">default</span> : null}{' '}
              {item.protected ? <span class="badge">protected</span> : null}{' '}
              {item.merged && !item.default ? <span class="badge">merged</span> : null}
              {item.message ? <p class="clamp">{item.message}</p> : null}
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
            <div class="row-actions">{actions(item)}</div>
          </li>
        );
      })}
    </ul>
  );
}
