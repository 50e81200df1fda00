import hljs from 'highlight.js/lib/core';
import type { Token } from 'markdown-it';
import { createMarkdown, type Reference } from './dialect.ts';
import { EMBEDDED_LANGUAGES, findLanguage } from './languages.ts';
import type { MarkupRequest, MarkupResponse } from './markup.ts';
import { toReferencePath } from './reference-links.ts';

// The worker of markup.ts: formats Markdown and code as HTML, which the page sanitises.

/** Language -> name of its file, which the bundler inserts. */
declare const LANGUAGE_FILES: Readonly<Record<string, string>>;

/** Characters of the HTML: a short text can expand to a very long one, which would occupy the page. */
const MAX_HTML_LENGTH = 4 * 1024 * 1024;

/** Elements of the HTML, for the same reason. */
const MAX_TOKENS = 100_000;

const markdown = createMarkdown({
  html: true,
  gfm: true,
  highlight: (code, language) => highlight(code, language) ?? '',
});

addEventListener('message', ({ data }: MessageEvent<MarkupRequest>) => {
  void (data.kind === 'markdown' ? formatMarkdown(data) : formatCode(data)).then(respond, () => respond(null));
});

const respond = (html: string | null) =>
  send({ kind: 'html', html: html === null || html.length > MAX_HTML_LENGTH ? null : html });

const send = (response: MarkupResponse) => postMessage(response);

async function formatMarkdown({
  text,
  project,
  serverUrl,
}: MarkupRequest & { readonly kind: 'markdown' }): Promise<string | null> {
  const languages = [...text.matchAll(/^[ \t>]*(?:```|~~~)[`~]* *([\w+#-]{1,30})/gm)].map(([, name = '']) => name);
  await loadLanguages(languages);
  send({ kind: 'started' });
  const environment = {
    toHref: (reference: Reference) => {
      const path = toReferencePath(reference, project);
      return path === null ? null : `${serverUrl}${path}`;
    },
  };
  const tokens = markdown.parse(text, environment);
  const { count, length } = measure(tokens);
  if (count > MAX_TOKENS || length > MAX_HTML_LENGTH) return null;
  return markdown.renderer.render(tokens, markdown.options, environment);
}

async function formatCode({ text, language }: MarkupRequest & { readonly kind: 'code' }): Promise<string | null> {
  await loadLanguages([language]);
  send({ kind: 'started' });
  return highlight(text, language);
}

/** Returns the number of tokens and the characters of their texts and attributes. */
function measure(tokens: readonly Token[]): { readonly count: number; readonly length: number } {
  let [count, length] = [0, 0];
  for (const { content, attrs, children } of tokens) {
    count++;
    // The children of a token repeat its content.
    if (children === null) length += content.length;
    for (const [, value] of attrs ?? []) length += String(value).length;
    const inner = measure(children ?? []);
    count += inner.count;
    length += inner.length;
  }
  return { count, length };
}

/** Returns code with its syntax highlighted; null if the language is not loaded. */
function highlight(code: string, name: string): string | null {
  const language = findLanguage(name);
  if (language === null || hljs.getLanguage(language) === undefined) return null;
  return hljs.highlight(code, { language, ignoreIllegals: true }).value;
}

/** Loads the files of languages that are not loaded yet. Code stays plain if a file cannot be loaded. */
async function loadLanguages(names: readonly string[]): Promise<void> {
  const found = names.map(findLanguage).filter((language) => language !== null);
  const needed = new Set(found.flatMap((language) => [language, ...(EMBEDDED_LANGUAGES[language] ?? [])]));
  await Promise.allSettled(
    [...needed].map(async (language) => {
      if (hljs.getLanguage(language) !== undefined) return;
      const module = await import(new URL(LANGUAGE_FILES[language]!, import.meta.url).href);
      hljs.registerLanguage(language, module.default);
    }),
  );
}
