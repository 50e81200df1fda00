import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { Loaded } from '../api/call.ts';
import type { Discussion as DiscussionData, Note as NoteData } from '../api/operations.ts';
import { type PageLocation, usePageActions } from '../page.ts';
import { formatCount } from '../text/names.ts';
import { ActionButton } from './action-button.tsx';
import { CheckField, Form, readText, TextArea } from './form.tsx';
import { Markdown } from './markdown.tsx';
import { Time } from './time.tsx';
import { ToggledForm } from './toggled-form.tsx';
import { UserLink } from './user-link.tsx';

/** Threads and comments on an issue, merge request or epic. */

/** The noteable of the threads: its API calls, and the permissions of the user. */
export interface Noteable {
  /** Creates a comment; the response to quick actions alone has their summary. */
  readonly createNote: (body: string, isInternal: boolean) => Promise<Loaded<object>>;
  /** Starts a thread. */
  readonly createDiscussion: (body: string) => Promise<Loaded<object>>;
  readonly reply: (discussionId: string, body: string) => Promise<unknown>;
  readonly updateNote: (noteId: number, body: string) => Promise<unknown>;
  readonly deleteNote: (noteId: number) => Promise<unknown>;
  readonly resolve: (discussionId: string, resolved: boolean) => Promise<unknown>;
  readonly mayComment: boolean;
  readonly mayWriteInternally: boolean;
  /** Whether the user may edit and delete comments of others. */
  readonly mayChangeAll: boolean;
  /** Whether the user may resolve threads of others. */
  readonly mayResolveAll: boolean;
  /** The full path of the project to which texts refer; null for groups. */
  readonly project: string | null;
}

interface DiscussionProps {
  readonly discussion: DiscussionData;
  readonly noteable: Noteable;
  readonly location: PageLocation;
}

/**
 * A thread: its first note, the replies, and what the user can do with it. `context` is shown above it, such as the lines
 * of a diff.
 */
export function Discussion({
  discussion,
  noteable,
  location,
  context,
}: DiscussionProps & { readonly context?: ComponentChildren }) {
  const { user } = usePageActions();
  const [first, ...replies] = discussion.notes;
  if (first === undefined) return null;
  const isResolvable = discussion.notes.some(({ resolvable }) => resolvable);
  const isResolved = isResolvable && discussion.notes.every(({ resolvable, resolved }) => !resolvable || resolved);
  const mayResolve = isResolvable && (noteable.mayResolveAll || first.author.id === user?.id);
  const thread = (
    <>
      {context}
      <Note note={first} level={3} noteable={noteable} location={location} />
      {replies.map((note) => (
        <Note key={note.id} note={note} level={4} noteable={noteable} location={location} />
      ))}
      {noteable.mayComment ? (
        <ToggledForm
          button={<Named action="Reply" of={`to ${first.author.name}`} />}
          actions={
            mayResolve ? (
              <ActionButton
                location={location}
                run={() => noteable.resolve(discussion.id, !isResolved)}
                done={isResolved ? 'The thread was reopened.' : 'The thread was resolved.'}
              >
                <Named action={isResolved ? 'Reopen' : 'Resolve'} of={`thread of ${first.author.name}`} />
              </ActionButton>
            ) : null
          }
        >
          {(close) => (
            <Form
              label={`Reply to ${first.author.name}`}
              submitLabel="Reply"
              location={location}
              done="The reply was added."
              onCancel={close}
              submit={async (values) => {
                await noteable.reply(discussion.id, readText(values, 'body'));
                close();
              }}
            >
              <TextArea label="Reply" name="body" required rows={4} />
            </Form>
          )}
        </ToggledForm>
      ) : null}
    </>
  );
  if (!isResolved) return <div class="thread">{thread}</div>;
  return (
    <details class="thread">
      <summary>
        Resolved thread of <bdi>{first.author.name}</bdi>, {formatCount(discussion.notes.length, 'comment')}
      </summary>
      {thread}
    </details>
  );
}

/** The label of a button of one of many comments: screen readers say whose. */
const Named = ({ action, of: owner }: { readonly action: string; readonly of: string }) => (
  <>
    {action}
    <span class="hidden"> {owner}</span>
  </>
);

/** One comment. URLs in to-do items and mails contain its anchor. */
function Note({
  note,
  level,
  noteable,
  location,
}: {
  readonly note: NoteData;
  readonly level: 3 | 4;
  readonly noteable: Noteable;
  readonly location: PageLocation;
}) {
  const { user } = usePageActions();
  const id = useId();
  const Heading = `h${level}` as const;
  const mayChange = user !== null && noteable.mayComment && (noteable.mayChangeAll || note.author.id === user.id);
  const owner = `comment by ${note.author.name}`;
  return (
    <article class={level === 3 ? 'comment' : 'comment reply'} id={`note_${note.id}`} aria-labelledby={id}>
      <Heading class="comment-head" id={id}>
        <UserLink user={note.author} />{' '}
        <span class="quiet">
          {level === 3 ? 'commented' : 'replied'} <Time value={note.created_at} />
        </span>{' '}
        {note.internal ? <span class="badge">internal</span> : null}{' '}
        {note.resolved ? <span class="badge">resolved</span> : null}
      </Heading>
      <ToggledForm
        isOffered={mayChange}
        content={<Markdown text={note.body} project={noteable.project} />}
        button={<Named action="Edit" of={owner} />}
        actions={
          <ActionButton
            location={location}
            run={() => noteable.deleteNote(note.id)}
            done="The comment was deleted."
            confirm={{ title: 'Delete this comment?', text: 'This cannot be undone.', label: 'Delete comment' }}
          >
            <Named action="Delete" of={owner} />
          </ActionButton>
        }
      >
        {(close) => (
          <Form
            label={`Edit ${owner}`}
            submitLabel="Save comment"
            location={location}
            done="The comment was saved."
            onCancel={close}
            submit={async (values) => {
              await noteable.updateNote(note.id, readText(values, 'body'));
              close();
            }}
          >
            <TextArea label="Comment" name="body" required defaultValue={note.body} />
          </Form>
        )}
      </ToggledForm>
    </article>
  );
}

/** The form of a new comment. */
export function NewComment({ noteable, location }: Omit<DiscussionProps, 'discussion'>) {
  const [summary, setSummary] = useState<readonly string[]>([]);
  if (!noteable.mayComment) return <p class="quiet">You are not allowed to comment here.</p>;
  return (
    <Form
      label="New comment"
      submitLabel="Comment"
      location={location}
      done="The comment was added."
      submit={async (values) => {
        const body = readText(values, 'body');
        const { value } = values.has('is_thread')
          ? await noteable.createDiscussion(body)
          : await noteable.createNote(body, values.has('internal'));
        setSummary('summary' in value ? (value.summary as readonly string[]) : []);
      }}
    >
      <TextArea
        label="Comment"
        name="body"
        required
        rows={5}
        hint="Markdown. Lines such as /close, /label ~name or /assign @name are quick actions."
      />
      <CheckField label="Start a thread, which can be resolved" name="is_thread" />
      {noteable.mayWriteInternally ? (
        <CheckField label="Internal: visible to members with the Planner role or a higher one" name="internal" />
      ) : null}
      {summary.length === 0 ? null : <p role="status">{summary.join(' ')}</p>}
    </Form>
  );
}
