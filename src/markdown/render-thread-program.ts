import { parentPort } from 'node:worker_threads';
import MarkdownIt from 'markdown-it';
import { parse } from 'yaml';
import type { Answer, Question } from './render-thread.ts';

// Beside the server, because a text may be made so that reading it takes as long as it likes.

/** Addresses that do nothing but lead somewhere; without a scheme they lead to this server. */
const LEADING: ReadonlySet<string> = new Set(['http', 'https', 'mailto']);

const markdown = new MarkdownIt({ html: false });
markdown.validateLink = (address) => {
  const scheme = /^[^/?#:]*(?=:)/.exec(address.trim())?.[0];
  return scheme === undefined || LEADING.has(scheme.toLowerCase());
};

/** A short text can be told to become a very long one. */
const LONGEST = 32 * 1024 * 1024;

function render(text: string): Answer {
  const html = markdown.render(text);
  return html.length > LONGEST ? {} : { html };
}

/**
 * Without names for parts that stand elsewhere once more, and without types of its own. Of what it does not know it would
 * warn in words of the text, a line of the log for each.
 */
const PLAIN = {
  schema: 'core',
  maxAliasCount: 0,
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'error',
} as const;

function readMatter(yaml: string): Answer {
  try {
    const matter: unknown = parse(yaml, PLAIN);
    const isMapping = typeof matter === 'object' && matter !== null && !Array.isArray(matter);
    return { matter: isMapping ? JSON.stringify(matter) : '{}' };
  } catch {
    return { matter: '{}' };
  }
}

parentPort!.on('message', (question: Question) => {
  parentPort!.postMessage('markdown' in question ? render(question.markdown) : readMatter(question.yaml));
});
