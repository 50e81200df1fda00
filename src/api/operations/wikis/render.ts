import { renderMarkdown } from '#markdown/render-thread.ts';
import { splitFrontMatter } from './front-matter.ts';
import type { RenderedPage } from './page-content.ts';
import { type PageReader, runInReadQueue } from './read-queue.ts';

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Returns the page with its text as HTML without active content (contract/operations.md §2.2 "render_html"). */
export async function renderHtml(page: RenderedPage, reader: PageReader): Promise<RenderedPage> {
  const { body } = splitFrontMatter(page.content);
  const isMarkdown = page.page.format === 'markdown';
  const content = isMarkdown
    ? await runInReadQueue(reader, body, (waiter) => renderMarkdown(body, waiter))
    : `<pre>${body.replace(/[&<>"]/g, (character) => ESCAPES[character]!)}</pre>`;
  return { ...page, content };
}
