import { parse } from 'yaml';
import { serveRequests } from '#runtime/thread-program.ts';
import { createMarkdown } from '#web/text/dialect.ts';
import type { RenderRequest, RenderResponse } from './render-thread.ts';

// Runs in a thread, because a malicious text can take arbitrarily long to parse.

const markdown = createMarkdown({ html: false, gfm: false });

/** Maximum characters of the HTML: a short text can expand to a very long one. */
const MAX_HTML_LENGTH = 32 * 1024 * 1024;

function render(text: string): RenderResponse {
  const html = markdown.render(text);
  return html.length > MAX_HTML_LENGTH ? {} : { html };
}

/**
 * No aliases and no custom types. Warnings are off, because each would be a log line with content of the text.
 */
const YAML_OPTIONS = {
  schema: 'core',
  maxAliasCount: 0,
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'error',
} as const;

function parseFrontMatter(yaml: string): RenderResponse {
  try {
    const matter: unknown = parse(yaml, YAML_OPTIONS);
    const isMapping = typeof matter === 'object' && matter !== null && !Array.isArray(matter);
    return { matter: isMapping ? JSON.stringify(matter) : '{}' };
  } catch {
    return { matter: '{}' };
  }
}

serveRequests((request: RenderRequest) =>
  'markdown' in request ? render(request.markdown) : parseFrontMatter(request.yaml),
);
