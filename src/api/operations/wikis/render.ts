import { renderMarkdown } from '#markdown/render-thread.ts';
import { splitFrontMatter } from './front-matter.ts';
import type { ShownPage } from './page-content.ts';
import { inReadingTurn, type PageReader } from './read-queue.ts';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** The page with its text as HTML, in which nothing is active (contract/operations.md §2.2 "render_html"). */
export async function rendered(shown: ShownPage, reader: PageReader): Promise<ShownPage> {
  const { rest } = splitFrontMatter(shown.content);
  const isMarkdown = shown.page.format === 'markdown';
  const content = isMarkdown
    ? await inReadingTurn(reader, rest, (waiter) => renderMarkdown(rest, waiter))
    : `<pre>${rest.replace(/[&<>"]/g, (one) => ESCAPES[one]!)}</pre>`;
  return { ...shown, content };
}
