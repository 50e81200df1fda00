import { type ComponentChildren, Fragment } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Loaded } from '../api/call.ts';
import type {
  Discussion as DiscussionData,
  LabelEvent,
  MilestoneEvent,
  StateEvent,
  UserBasic,
  WeightEvent,
} from '../api/operations.ts';
import { readPageNumber } from '../api/query.ts';
import type { PageLocation } from '../page.ts';
import { Discussion, NewComment, type Noteable } from './discussion.tsx';
import { Label } from './label.tsx';
import { Markdown } from './markdown.tsx';
import { Pager } from './pager.tsx';
import { Time } from './time.tsx';
import { UserLink } from './user-link.tsx';

/** The resource events of a noteable; those that its kind does not have are left out. */
interface ResourceEvents {
  /** The last thread of the page before; empty on the first page. Its time is where the events of the page begin. */
  readonly previous?: Loaded<readonly DiscussionData[]> | undefined;
  readonly states?: Loaded<readonly StateEvent[]> | undefined;
  readonly labels?: Loaded<readonly LabelEvent[]> | undefined;
  readonly milestones?: Loaded<readonly MilestoneEvent[]> | undefined;
  readonly weights?: Loaded<readonly WeightEvent[]> | undefined;
}

/** The number of threads on one page of a timeline. */
const PAGE_SIZE = 100;

/** Returns the parameters of the list of threads for a page of a timeline, and for the last thread of the page before. */
export function readThreadPages(search: URLSearchParams) {
  const page = readPageNumber(search);
  const previous = page === 1 ? null : { per_page: 1, page: (page - 1) * PAGE_SIZE };
  return { page: { per_page: PAGE_SIZE, page }, previous };
}

/** Comments, system notes and resource events in the order of time, and the form of a new comment. */
export function Timeline({
  discussions,
  events,
  noteable,
  location,
  href,
  renderContext,
}: {
  /** The page of `readThreadPages`, in the order of the API. */
  readonly discussions: Loaded<readonly DiscussionData[]>;
  /** Null until they are read. */
  readonly events: ResourceEvents | null;
  readonly noteable: Noteable;
  readonly location: PageLocation;
  /** The address of the page without parameters. */
  readonly href: string;
  /** Returns the content above a thread, such as the line that it is on. */
  readonly renderContext?: (discussion: DiscussionData) => ComponentChildren;
}) {
  useEffect(() => {
    // The comment that the address names did not exist when the browser looked for it.
    if (window.location.hash.startsWith('#note_'))
      document.getElementById(window.location.hash.slice(1))?.scrollIntoView();
  }, []);
  const pager = <Pager list={discussions} search={location.search} href={href} />;
  return (
    <section aria-labelledby="activity">
      <h2 id="activity">Activity</h2>
      {pager}
      <ol class="timeline">
        {listEntries(discussions, events).map((entry) => (
          <li key={entry.key}>
            {entry.discussion === undefined ? (
              <Event entry={entry} noteable={noteable} />
            ) : (
              <Discussion
                discussion={entry.discussion}
                noteable={noteable}
                location={location}
                context={renderContext?.(entry.discussion)}
              />
            )}
          </li>
        ))}
      </ol>
      {pager}
      {location.session.userId === null ? (
        <p>
          <a href={location.toUrl('/users/sign_in?redirect_to_referer=yes')}>Sign in</a> to see the comments and to add
          one.
        </p>
      ) : (
        <NewComment noteable={noteable} location={location} />
      )}
    </section>
  );
}

type Entry = { readonly key: string; readonly createdAt: string } & (
  | { readonly discussion: DiscussionData }
  | {
      readonly discussion?: undefined;
      readonly user: UserBasic | null;
      readonly labels?: readonly LabelEvent[];
      readonly milestone?: MilestoneEvent;
      /** The rest of the sentence after the user's name: the Markdown of a system note, or a text. */
      readonly note?: string;
      readonly text?: string;
    }
);

function listEntries(
  discussions: Loaded<readonly DiscussionData[]>,
  resourceEvents: ResourceEvents | null,
): readonly Entry[] {
  const { previous, states, labels, milestones, weights } = resourceEvents ?? {};
  const threads = discussions.value.map(toThreadEntry);
  const events: Entry[] = [
    ...(states?.value ?? []).map((event) => toEventEntry('state', event, { text: describeState(event) })),
    ...groupLabels(labels?.value ?? []).map((group) => toEventEntry('label', group[0]!, { labels: group })),
    ...(milestones?.value ?? []).map((event) => toEventEntry('milestone', event, { milestone: event })),
    ...(weights?.value ?? []).map((event) => toEventEntry('weight', event, { text: describeWeight(event) })),
  ];
  const start = previous?.value[0]?.notes[0]?.created_at ?? '';
  const end = discussions.nextPage === null ? '~' : threads.at(-1)!.createdAt;
  const shownEvents = events.filter(({ createdAt }) => createdAt >= start && createdAt < end);
  return [...threads, ...shownEvents].sort((a, b) =>
    a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0,
  );
}

function toThreadEntry(discussion: DiscussionData): Entry {
  const note = discussion.notes[0]!;
  const common = { key: `thread ${discussion.id}`, createdAt: note.created_at };
  return note.system ? { ...common, user: note.author, note: note.body } : { ...common, discussion };
}

const toEventEntry = (
  kind: string,
  { id, created_at, user }: Pick<StateEvent, 'id' | 'created_at' | 'user'>,
  content: object,
): Entry => ({ key: `${kind} ${id}`, createdAt: created_at, user, ...content });

/** Returns the changes of labels in groups: those of one user at one time are one entry. */
function groupLabels(events: readonly LabelEvent[]): readonly (readonly LabelEvent[])[] {
  const groups = Map.groupBy(events, ({ user, created_at }) => `${user?.id} ${created_at}`);
  return [...groups.values()];
}

const describeState = ({ state, source_commit }: StateEvent): string =>
  `${state}${source_commit === null ? '' : ` by ${source_commit}`}`;

const describeWeight = ({ weight }: WeightEvent): string =>
  weight === null ? 'removed the weight' : `set the weight to ${weight}`;

function Event({
  entry: { user, createdAt, labels = [], milestone, note, text },
  noteable,
}: {
  readonly entry: Extract<Entry, { readonly discussion?: undefined }>;
  readonly noteable: Noteable;
}) {
  return (
    <div class="event">
      {user === null ? 'A deleted user' : <UserLink user={user} />}{' '}
      {(['add', 'remove'] as const).map((action) => (
        <LabelChanges key={action} action={action} events={labels.filter((event) => event.action === action)} />
      ))}
      {milestone === undefined ? null : (
        <>
          {milestone.action === 'add' ? 'set the milestone to ' : 'removed the milestone '}
          <a href={milestone.milestone.web_url}>{milestone.milestone.title}</a>
        </>
      )}
      {note === undefined ? text : <Markdown text={note} project={noteable.project} />}{' '}
      <span class="quiet">
        <Time value={createdAt} />
      </span>
    </div>
  );
}

function LabelChanges({
  action,
  events,
}: {
  readonly action: LabelEvent['action'];
  readonly events: readonly LabelEvent[];
}) {
  if (events.length === 0) return null;
  return (
    <>
      {action === 'add' ? 'added ' : 'removed '}
      {events.map(({ id, label }) => (
        <Fragment key={id}>{label === null ? 'a deleted label' : <Label label={label} />} </Fragment>
      ))}
    </>
  );
}
