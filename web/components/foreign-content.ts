import { ANCHOR_PREFIX, type ContentPlace, resolveContentUrl, toAnchor } from '../text/content-links.ts';

/**
 * Fits sanitised foreign content into a page, before it is part of the document: its addresses, images, headings, checkboxes and
 * wide parts. `hasAnchors` gives headings ids for links within the text; at most one text of a page may have them.
 */
export function fitContent(content: DocumentFragment, place: ContentPlace, hasAnchors: boolean): void {
  // Images first: those that become links are then links like others.
  for (const image of content.querySelectorAll('img')) fitImage(image, place);
  for (const link of content.querySelectorAll('a')) fitLink(link, place);
  fitHeadings(content, hasAnchors);
  for (const input of content.querySelectorAll('input')) fitCheckbox(input);
  for (const element of content.querySelectorAll<HTMLElement>('pre, table')) makeScrollable(element);
}

function fitLink(link: HTMLAnchorElement, place: ContentPlace): void {
  const written = link.getAttribute('href');
  if (written === null) return;
  const target = resolveContentUrl(written, 'link', place);
  if (target === null) {
    link.removeAttribute('href');
    return;
  }
  link.setAttribute('href', target.url);
  if (target.isForeign) link.rel = 'nofollow noopener noreferrer';
}

/** Images of other servers would tell them who reads the text: they become links, or their description inside of a link. */
function fitImage(image: HTMLImageElement, place: ContentPlace): void {
  const written = image.getAttribute('src') ?? '';
  const source = resolveContentUrl(written, 'image', place);
  if (source !== null && !source.isForeign && !source.url.startsWith('#')) {
    image.src = source.url;
    image.alt = image.getAttribute('alt') ?? '';
    image.loading = 'lazy';
    return;
  }
  const text = image.alt || image.title || written.slice(0, 200);
  if (source === null || image.closest('a') !== null) {
    image.replaceWith(text);
    return;
  }
  const link = document.createElement('a');
  link.setAttribute('href', source.url);
  link.textContent = text;
  image.replaceWith(link);
}

/** Headings follow the heading of the page (level 1) without a gap: their level is their depth in the outline of the text. */
function fitHeadings(content: DocumentFragment, hasAnchors: boolean): void {
  const outline: number[] = [];
  const anchors = new Map<string, number>();
  for (const heading of content.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
    const level = Number(heading.tagName.slice(1));
    while ((outline.at(-1) ?? 0) >= level) outline.pop();
    outline.push(level);
    const fitted = document.createElement(`h${Math.min(6, outline.length + 1)}`);
    if (hasAnchors) fitted.id = toUniqueAnchor(heading.textContent ?? '', anchors);
    fitted.append(...heading.childNodes);
    heading.replaceWith(fitted);
  }
}

/** Returns the id of a heading. A second heading with the same text gets a number, as other forges do. */
function toUniqueAnchor(heading: string, anchors: Map<string, number>): string {
  const anchor = `${ANCHOR_PREFIX}${toAnchor(heading)}`;
  const count = anchors.get(anchor) ?? 0;
  anchors.set(anchor, count + 1);
  return count === 0 ? anchor : `${anchor}-${count}`;
}

/** Only checkboxes of task lists stay of forms. */
function fitCheckbox(input: HTMLInputElement): void {
  if (input.type !== 'checkbox') {
    input.remove();
    return;
  }
  input.disabled = true;
  input.ariaLabel = 'Task';
}

/** Long lines of code and wide tables scroll in themselves, also by keyboard. */
function makeScrollable(element: HTMLElement): void {
  if (element.tagName === 'PRE') {
    element.tabIndex = 0;
    return;
  }
  const box = document.createElement('div');
  box.className = 'scroll';
  box.tabIndex = 0;
  element.replaceWith(box);
  box.append(element);
}
