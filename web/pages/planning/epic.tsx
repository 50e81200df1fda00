import { toPath } from '../../addresses.ts';
import { ignoreNotModified } from '../../api/call.ts';
import type { LoadedQueries } from '../../api/query.ts';
import { ActionButton } from '../../components/action-button.tsx';
import { AwardEmoji } from '../../components/award-emoji.tsx';
import { createEpicNoteable, epicLaterQueries, epicQueries } from '../../components/epic-activity.ts';
import { EpicForm } from '../../components/epic-form.tsx';
import { EpicIssues } from '../../components/epic-issues.tsx';
import { EpicRows } from '../../components/epic-rows.tsx';
import { GroupNavigation, groupQueries } from '../../components/group-navigation.tsx';
import { getLabelTitle, Label } from '../../components/label.tsx';
import { Markdown } from '../../components/markdown.tsx';
import { can } from '../../components/project-navigation.tsx';
import { Time } from '../../components/time.tsx';
import { Timeline } from '../../components/timeline.tsx';
import { ToggledForm } from '../../components/toggled-form.tsx';
import { UserLink } from '../../components/user-link.tsx';
import { WhenNear } from '../../components/when-near.tsx';
import { type PageLocation, type PageProps, page, usePageActions } from '../../page.ts';
import { formatPeriod } from '../../text/milestones.ts';

const queries = (location: PageLocation) => {
  const { group: id = '', epic_iid = '' } = location.values;
  return { ...groupQueries(id), ...epicQueries(id, epic_iid, location) };
};

const laterQueries = ({ threads }: LoadedQueries<ReturnType<typeof queries>>, location: PageLocation) =>
  epicLaterQueries(location.values.group ?? '', threads.value.epic, location);

/** An epic with its issues, its children and its timeline. */
export const epic = page('epic', {
  queries,
  later: laterQueries,
  title: ({ threads }) => threads.value.epic.title,
  navigation: (props) => <GroupNavigation {...props} current="epics" />,
  render: (props) => <EpicContent {...props} />,
});

type EpicProps = PageProps<typeof queries, typeof laterQueries>;

function EpicContent(props: EpicProps) {
  const { group, abilities, threads, issues, later, location } = props;
  const { client, user } = usePageActions();
  const { epic, discussions } = threads.value;
  const path = { id: group.value.id, epic_iid: epic.iid };
  const children = later?.epics.value.filter(({ parent_id }) => parent_id === epic.id) ?? [];
  const isAuthor = user !== null && epic.author.id === user.id;
  const noteable = createEpicNoteable(
    client,
    { id: group.value.id, epic_id: epic.id },
    {
      mayComment: user !== null && can(abilities, 'create_note'),
      mayWriteInternally: can(abilities, 'read_internal_note'),
      mayChangeAll: can(abilities, 'change_note'),
      mayResolveAll: can(abilities, 'resolve_note') || isAuthor,
    },
  );
  return (
    <>
      <EpicText {...props} />
      <WhenNear>
        {later === null ? null : (
          <AwardEmoji
            awards={later.awards.value}
            location={location}
            create={(name) => client.call('POST /groups/:id/epics/:epic_iid/award_emoji', { ...path, name })}
            remove={(award_id) =>
              client.call('DELETE /groups/:id/epics/:epic_iid/award_emoji/:award_id', { ...path, award_id })
            }
          />
        )}
      </WhenNear>
      {location.session.userId === null ? null : (
        <EpicIssues
          issues={issues}
          epic={path}
          mayChange={user !== null && can(abilities, 'relate_epic')}
          location={location}
        />
      )}
      {children.length === 0 ? null : (
        <section aria-labelledby="child-epics">
          <h2 id="child-epics">Child epics</h2>
          <EpicRows epics={children} />
        </section>
      )}
      <Timeline
        discussions={discussions}
        events={later}
        noteable={noteable}
        location={location}
        href={location.toUrl(toPath('epic', location.values))}
      />
    </>
  );
}

/** The text and the attributes of an epic, with forms for users who may change them. */
function EpicText({ group, abilities, threads, later, location }: EpicProps) {
  const { client, user, openUrl } = usePageActions();
  const { epic } = threads.value;
  const path = { id: group.value.id, epic_iid: epic.iid };
  const isOpen = epic.state === 'opened';
  const labels = later?.epics.value.find(({ id }) => id === epic.id)?.labels ?? epic.labels;
  const parent = later?.epics.value.find(({ id }) => id === epic.parent_id) ?? null;
  // A parent that is not among those that were read stays when the form is saved.
  const unreadParent = epic.parent_id === null ? null : { id: epic.parent_id, title: `&${epic.parent_iid}` };
  const content = (
    <>
      <p>
        <span class="badge">{isOpen ? 'open' : 'closed'}</span>{' '}
        {epic.confidential ? <span class="badge">confidential</span> : null}{' '}
        <span class="quiet">
          {epic.references.short} created <Time value={epic.created_at} /> by
        </span>{' '}
        <UserLink user={epic.author} /> <span class="quiet">{formatPeriod(epic.start_date, epic.due_date)}</span>
      </p>
      {parent === null ? null : (
        <p>
          Part of <a href={parent.web_url}>{parent.title}</a>
        </p>
      )}
      {labels.length === 0 ? null : (
        <p>
          {labels.map((label) => (
            <span key={getLabelTitle(label)}>
              <Label label={label} />{' '}
            </span>
          ))}
        </p>
      )}
      {epic.description ? <Markdown text={epic.description} project={null} /> : <p class="quiet">No description.</p>}
      {user === null ? null : (
        <div class="actions">
          <ActionButton
            location={location}
            run={() => client.call('POST /groups/:id/epics/:epic_iid/todo', path).catch(ignoreNotModified)}
            done="The epic is in your to-do list."
          >
            Add to my to-do list
          </ActionButton>
        </div>
      )}
    </>
  );
  return (
    <ToggledForm
      button="Edit"
      isOffered={can(abilities, 'admin_epic')}
      content={content}
      actions={
        <>
          <ActionButton
            location={location}
            run={() =>
              client.call('PUT /groups/:id/epics/:epic_iid', { ...path, state_event: isOpen ? 'close' : 'reopen' })
            }
            done={isOpen ? 'The epic was closed.' : 'The epic was reopened.'}
          >
            {isOpen ? 'Close epic' : 'Reopen epic'}
          </ActionButton>
          {can(abilities, 'delete_epic') ? (
            <ActionButton
              location={location}
              run={async () => {
                await client.call('DELETE /groups/:id/epics/:epic_iid', path);
                openUrl(location.toUrl(toPath('epics', location.values)));
              }}
              done="The epic was deleted."
              confirm={{
                title: 'Delete this epic?',
                text: 'Its issues and child epics stay. This cannot be undone.',
                label: 'Delete epic',
              }}
            >
              Delete
            </ActionButton>
          ) : null}
        </>
      }
    >
      {(close) => (
        <EpicForm
          epic={epic}
          parent={parent ?? unreadParent}
          group={group.value.id}
          location={location}
          close={close}
          save={(attributes) => client.call('PUT /groups/:id/epics/:epic_iid', { ...path, ...attributes })}
        />
      )}
    </ToggledForm>
  );
}
