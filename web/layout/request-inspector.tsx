import { useRef } from 'preact/hooks';
import type { CallRecord } from '../api/call.ts';
import { toCommand } from '../api/call-records.ts';
import type { PageLocation } from '../page.ts';

/** The calls of the page, each with a command that repeats it. The token is the shell variable `$TOKEN`. */
export function RequestInspector({
  records,
  location,
  onClose,
}: {
  readonly records: readonly CallRecord[];
  readonly location: PageLocation;
  readonly onClose: () => void;
}) {
  return (
    <aside class="inspector" aria-label="Requests of this page">
      <div class="inspector-head">
        <h2>Requests</h2>
        <a href={location.toUrl('/api/docs')}>Documentation</a>
        <button type="button" class="plain" onClick={onClose}>
          Close
        </button>
      </div>
      <table>
        <thead>
          <tr>
            <th scope="col">Request</th>
            <th scope="col">Status</th>
            <th scope="col">Time</th>
            <th scope="col">Size</th>
            <th scope="col">Command</th>
          </tr>
        </thead>
        <tbody>
          {records.map((record, index) => (
            <tr key={index}>
              <td>
                <code>
                  {record.method} {record.url}
                </code>
              </td>
              <td>{record.status === 0 ? 'no response' : record.status}</td>
              <td>{Math.round(record.milliseconds)} ms</td>
              <td>{record.size.toLocaleString('en')} B</td>
              <td>
                <CopyButton text={toCommand(record, location.session)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </aside>
  );
}

function CopyButton({ text }: { readonly text: string }) {
  const button = useRef<HTMLButtonElement>(null);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    if (button.current !== null) button.current.textContent = 'Copied';
  };
  return (
    <button type="button" class="plain" ref={button} title={text} onClick={() => void copy()}>
      Copy curl
    </button>
  );
}
