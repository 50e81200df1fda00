/** An empty list: what it would show, and how to create the first item through the API. */
export function Empty({
  title,
  text,
  request,
}: {
  readonly title: string;
  readonly text: string;
  /** A command for a shell. */
  readonly request: string | null;
}) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      <p class="quiet">{text}</p>
      {request === null ? null : <pre class="command">{request}</pre>}
    </div>
  );
}
