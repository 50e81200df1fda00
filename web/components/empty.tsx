import type { PageLocation } from '../page.ts';

/** An empty list: a description of its items, and the command that creates the first one through the API. */
export function Empty({
  title,
  text,
  create: { path, data },
  location: { toUrl, session },
}: {
  readonly title: string;
  readonly text: string;
  /** The path below /api/v4 that creates an item, and its body as a form. */
  readonly create: { readonly path: string; readonly data: string };
  readonly location: PageLocation;
}) {
  const url = `${session.origin}${toUrl(`/api/v4${path}`)}`;
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      <p class="quiet">{text}</p>
      <pre class="command">{`curl --request POST --header "PRIVATE-TOKEN: $TOKEN" --data '${data}' ${url}`}</pre>
    </div>
  );
}
