import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Diff, Discussion as DiscussionData, MergeRequest, Position } from '../api/operations.ts';
import { type PageLocation, usePageActions } from '../page.ts';
import { type DiffLineNumbers, parseLineKey, toLineKey } from '../text/hunks.ts';
import { FileDiffs } from './diff.tsx';
import type { LineExtras } from './diff-lines.tsx';
import { Discussion, type Noteable } from './discussion.tsx';
import { Form, readText, TextArea } from './form.tsx';

/** A line for which a form is open. */
interface ChosenLine {
  readonly file: Diff;
  readonly key: string;
}

interface ThreadProps {
  readonly noteable: Noteable;
  readonly location: PageLocation;
}

/** The changes of a merge request with the threads on their lines; the number of a line opens the form of a new thread. */
export function DiffsWithThreads({
  files,
  mergeRequest,
  discussions,
  noteable,
  location,
  toFileUrl,
}: ThreadProps & {
  readonly files: readonly Diff[];
  readonly mergeRequest: MergeRequest;
  readonly discussions: readonly DiscussionData[];
  readonly toFileUrl: (file: Diff) => string | null;
}) {
  const [chosen, setChosen] = useState<ChosenLine | null>(null);
  const threads = discussions.filter((discussion) => getCurrentPosition(discussion, mergeRequest) !== null);
  const outdatedCount = discussions.filter(({ notes }) => notes[0]?.position != null).length - threads.length;
  const choose = (file: Diff, line: DiffLineNumbers) => {
    const key = toLineKey(line);
    if (key !== null) setChosen({ file, key });
  };
  const close = () => setChosen(null);
  const extras = new Map<string, LineExtras>();
  for (const file of files) {
    const threadsOfFile = threads.filter((thread) => isOfFile(getCurrentPosition(thread, mergeRequest)!, file));
    const byLine = Map.groupBy(threadsOfFile, (thread) => toThreadKey(getCurrentPosition(thread, mergeRequest)!));
    const chosenKey = chosen?.file.new_path === file.new_path ? chosen.key : null;
    const keys = new Set([...byLine.keys(), ...(chosenKey === null ? [] : [chosenKey])]);
    const renderLine = (key: string): ComponentChildren => (
      <>
        {(byLine.get(key) ?? []).map((thread) => (
          <Discussion key={thread.id} discussion={thread} noteable={noteable} location={location} />
        ))}
        {key === chosenKey ? (
          <NewThread key={key} mergeRequest={mergeRequest} file={file} line={key} location={location} close={close} />
        ) : null}
      </>
    );
    if (keys.size > 0) extras.set(file.new_path, new Map([...keys].map((key) => [key, renderLine(key)])));
  }
  return (
    <>
      {outdatedCount > 0 ? (
        <p class="note">
          {outdatedCount === 1 ? 'One thread is' : `${outdatedCount} threads are`} on lines of an earlier version, and
          shown in the overview.
        </p>
      ) : null}
      <FileDiffs
        files={files}
        toFileUrl={toFileUrl}
        extras={extras}
        {...(noteable.mayComment && mergeRequest.diff_refs.base_sha !== null ? { onLine: choose } : {})}
      />
    </>
  );
}

/** Returns the position of a thread in the current changes; null for other threads and those on an earlier version. */
function getCurrentPosition({ notes }: DiscussionData, { diff_refs }: MergeRequest): Position | null {
  const position = notes[0]?.position ?? null;
  const isCurrent = position?.head_sha === diff_refs.head_sha && position.base_sha === diff_refs.base_sha;
  return isCurrent ? position : null;
}

const isOfFile = ({ new_path, old_path }: Position, file: Diff): boolean =>
  new_path === null ? old_path === file.old_path : new_path === file.new_path;

/** Returns the key of the line of a thread. The key of a thread on a whole file matches no line. */
const toThreadKey = ({ old_line = null, new_line = null }: Position): string =>
  toLineKey({ oldLine: old_line, newLine: new_line }) ?? 'file';

/** The form of a new thread on a line. */
function NewThread({
  mergeRequest,
  file,
  line,
  location,
  close,
}: {
  readonly mergeRequest: MergeRequest;
  readonly file: Diff;
  /** The key of the line. */
  readonly line: string;
  readonly location: PageLocation;
  readonly close: () => void;
}) {
  const { client } = usePageActions();
  const { oldLine, newLine } = parseLineKey(line);
  const { base_sha, start_sha, head_sha } = mergeRequest.diff_refs;
  const create = async (values: FormData) => {
    await client.call('POST /projects/:id/merge_requests/:merge_request_iid/discussions', {
      id: mergeRequest.project_id,
      merge_request_iid: mergeRequest.iid,
      body: readText(values, 'body'),
      position: {
        position_type: 'text',
        base_sha: base_sha ?? '',
        start_sha: start_sha ?? base_sha ?? '',
        head_sha,
        old_path: file.old_path,
        new_path: file.new_path,
        ...(oldLine === null ? {} : { old_line: oldLine }),
        ...(newLine === null ? {} : { new_line: newLine }),
      },
    });
    close();
  };
  const element = useRef<HTMLDivElement>(null);
  // Moving the focus makes the browser lay out the page, so it runs in a separate task.
  useEffect(() => element.current?.querySelector('textarea')?.focus(), []);
  const name = `line ${newLine ?? oldLine} of ${file.new_path}`;
  return (
    <div ref={element}>
      <Form
        label={`Comment on ${name}`}
        submitLabel="Add comment"
        submit={create}
        location={location}
        done="The comment was added."
        onCancel={close}
      >
        <TextArea label={`Comment on ${name}`} name="body" required rows={4} hint="Markdown." />
      </Form>
    </div>
  );
}
