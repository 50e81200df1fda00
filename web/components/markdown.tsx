import DOMPurify from 'dompurify';
import { useEffect, useState } from 'preact/hooks';
import { ANCHOR_PREFIX, type ContentPlace } from '../text/content-links.ts';

import { fitContent } from './foreign-content.ts';
import { findServerUrl, formatMarkup } from './markup.ts';

/**
 * Formatted Markdown of users. It is shown as plain text until a worker has formatted it, and also if that fails or takes
 * too long. The HTML of the worker is sanitised here, by the parser of the browser.
 */
export function Markdown({
  text,
  project,
  file,
}: {
  readonly text: string;
  /** The full path of the project that references and relative addresses belong to; null without a project. */
  readonly project: string | null;
  /** The file that contains the text. Its relative addresses lead to files next to it, and its headings have anchors. */
  readonly file?: { readonly ref: string; readonly path: string };
}) {
  const [formatted, setFormatted] = useState<{ readonly text: string; readonly content: HTMLElement | null } | null>(
    null,
  );
  const [ref, path] = [file?.ref ?? 'HEAD', file?.path ?? null];
  useEffect(() => {
    let isCurrent = true;
    const { origin, basePath } = findServerUrl();
    const directory = path?.slice(0, Math.max(0, path.lastIndexOf('/'))) ?? '';
    void formatMarkup({ kind: 'markdown', text, project, serverUrl: `${origin}${basePath}` }).then((html) => {
      if (!isCurrent) return;
      const place = { origin, basePath, project, ref, directory };
      setFormatted({ text, content: html === null ? null : toContent(html, place, path !== null) });
    });
    return () => {
      isCurrent = false;
    };
  }, [text, project, ref, path]);
  useEffect(() => {
    if (path !== null && formatted !== null) scrollToAnchor(window.location.hash);
  }, [path, formatted]);
  // A page that shows another text shows it plain, not the text before it.
  const content = formatted?.text === text ? formatted.content : null;
  if (content === null) return <div class="plain-text">{text}</div>;
  return <div class="markdown" ref={(element) => element?.replaceChildren(content)} />;
}

/** Scrolls to the heading that an address names; the browser did not find it before the text was formatted. */
function scrollToAnchor(hash: string): void {
  const anchor = hash.slice(1).replace(ANCHOR_PREFIX, '');
  if (anchor !== '') document.getElementById(`${ANCHOR_PREFIX}${anchor.toLowerCase()}`)?.scrollIntoView();
}

/** Returns sanitised content, which is not part of the document yet: nothing of it is loaded or run. */
function toContent(html: string, place: ContentPlace, hasAnchors: boolean): HTMLElement {
  const fragment = DOMPurify.sanitize(html, {
    ALLOWED_TAGS: ELEMENTS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const element of fragment.querySelectorAll('[class]')) {
    // Other classes would let a text look like a part of the page.
    if (!/^(?:hljs|language)-[\w-]+(?: \w+_)*$/.test(element.className)) element.removeAttribute('class');
  }
  fitContent(fragment, place, hasAnchors);
  const content = document.createElement('div');
  content.append(fragment);
  return content;
}

const ELEMENTS = (
  'a abbr b blockquote br caption code dd del details div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img input ins kbd li ' +
  'mark ol p pre q s samp small span strike strong sub summary sup table tbody td tfoot th thead tr tt u ul var'
).split(' ');

const ATTRIBUTES = (
  'abbr align alt checked cite class colspan datetime dir disabled height href lang open reversed rowspan scope src start title type ' +
  'value width'
).split(' ');
