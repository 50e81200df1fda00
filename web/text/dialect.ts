import MarkdownParser, { type MarkdownIt, type RendererRule, type StateCore, type Token } from 'markdown-it';

/**
 * The dialect of Markdown: CommonMark with tables and strikethrough; as GFM also bare links, task lists and references. The server
 * and the worker of the web application share it.
 */

/** A text that names something of this server: `#1`, `group/project!2`, `@user`, `%milestone`, `~label`, a commit id. */
export interface Reference {
  readonly kind: 'issue' | 'merge_request' | 'epic' | 'milestone' | 'label' | 'user' | 'commit';
  /** The path of the project or group as written; empty for that of the text. */
  readonly path: string;
  /** The number or name. */
  readonly value: string;
}

interface DialectOptions {
  /** Keeps HTML in the text, so that the result must be sanitised; escapes it otherwise. */
  readonly html: boolean;
  readonly gfm: boolean;
  /** Returns the HTML of code in a language; an empty text to escape it. */
  readonly highlight?: (code: string, language: string) => string;
}

/** The options of `render`: `markdown.render(text, { toHref })`. */
interface DialectEnvironment {
  /** Returns the address of a reference; null leaves it as text. */
  readonly toHref?: (reference: Reference) => string | null;
  readonly [key: string]: unknown;
}

/** Allowed URL schemes of links; links without a scheme lead to this server. */
const ALLOWED_SCHEMES: ReadonlySet<string> = new Set(['http', 'https', 'mailto']);

/** Returns a parser of the dialect. A reference is a token of the type `reference`, with the `Reference` as its `meta`. */
export function createMarkdown({ html, gfm, highlight }: DialectOptions): MarkdownIt {
  const markdown = new MarkdownParser({ html, linkify: gfm, highlight: highlight ?? null });
  markdown.validateLink = (address) => {
    const scheme = /^[^/?#:]*(?=:)/.exec(address.trim())?.[0];
    return scheme === undefined || ALLOWED_SCHEMES.has(scheme.toLowerCase());
  };
  markdown.renderer.rules.th_open = renderCell;
  markdown.renderer.rules.td_open = renderCell;
  if (!gfm) return markdown;
  // Only texts with a scheme are links: `main.rs` and `readme.md` are names of files.
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
  markdown.core.ruler.before('text_join', 'task-lists', parseTaskLists);
  // Escaped characters are separate tokens until they are joined: `\#1` is not a reference.
  markdown.core.ruler.before('text_join', 'references', parseReferences);
  const { escapeHtml } = markdown.utils;
  markdown.renderer.rules.task = (tokens, index) =>
    `<input type="checkbox" disabled=""${tokens[index]!.meta?.isDone ? ' checked=""' : ''}> `;
  markdown.renderer.rules.reference = (tokens, index, _options, env) => {
    const { meta, content } = tokens[index]!;
    const href = (env as DialectEnvironment | undefined)?.toHref?.(meta as unknown as Reference) ?? null;
    const text = escapeHtml(content);
    return href === null ? text : `<a href="${escapeHtml(href)}">${text}</a>`;
  };
  return markdown;
}

/** The alignment of cells is an attribute: pages of this server allow no styles in HTML. */
const renderCell: RendererRule = (tokens, index, options, _env, renderer) => {
  const token = tokens[index]!;
  const alignment = /^text-align:(\w+)$/.exec(String(token.attrGet('style') ?? ''))?.[1];
  if (alignment !== undefined) token.attrs = [['align', alignment]];
  return renderer.renderToken(tokens, index, options);
};

/** Replaces `[ ]` and `[x]` at the beginning of list items by checkboxes. */
function parseTaskLists({ tokens, Token: TokenClass }: StateCore): void {
  for (const [index, { type, children }] of tokens.entries()) {
    const text = children?.[0];
    const isInItem = tokens[index - 1]?.type === 'paragraph_open' && tokens[index - 2]?.type === 'list_item_open';
    if (type !== 'inline' || !isInItem || text?.type !== 'text') continue;
    const marker = /^\[([ xX])\]\s/.exec(text.content);
    if (marker === null) continue;
    text.content = text.content.slice(marker[0].length);
    const task = new TokenClass('task', 'input', 0);
    task.meta = { isDone: marker[1] !== ' ' };
    children!.unshift(task);
  }
}

/** Replaces references in text by tokens, except in links. */
function parseReferences({ tokens, Token: TokenClass }: StateCore): void {
  for (const block of tokens) {
    if (block.type !== 'inline' || block.children === null) continue;
    let linkDepth = 0;
    block.children = block.children.flatMap((token) => {
      linkDepth += countLinks(token);
      return token.type === 'text' && linkDepth === 0 ? splitText(token, TokenClass) : [token];
    });
  }
}

function countLinks({ type, content }: Token): number {
  if (type === 'link_open') return 1;
  if (type === 'link_close') return -1;
  if (type !== 'html_inline') return 0;
  return /^<a[\s>]/i.test(content) ? 1 : /^<\/a\s*>/i.test(content) ? -1 : 0;
}

function splitText(token: Token, TokenClass: typeof Token): Token[] {
  const text = token.content;
  const result: Token[] = [];
  let end = 0;
  const addText = (until: number) => {
    if (until === end) return;
    const part = new TokenClass('text', '', 0);
    part.content = text.slice(end, until);
    result.push(part);
  };
  for (const found of findReferences(text)) {
    if (found.start < end) continue;
    addText(found.start);
    const part = new TokenClass('reference', 'a', 0);
    part.content = text.slice(found.start, found.end);
    part.meta = { ...found.reference };
    result.push(part);
    end = found.end;
  }
  if (end === 0) return [token];
  addText(text.length);
  return result;
}

interface FoundReference {
  readonly start: number;
  readonly end: number;
  readonly reference: Reference;
}

const SYMBOLS = {
  '#': { kind: 'issue', value: /\d{1,9}(?!\w)/y },
  '!': { kind: 'merge_request', value: /\d{1,9}(?!\w)/y },
  '&': { kind: 'epic', value: /\d{1,9}(?!\w)/y },
  '%': { kind: 'milestone', value: /"[^"\n]{1,255}"|\w+(?:[.-]\w+)*/y },
  '~': { kind: 'label', value: /"[^"\n]{1,255}"|\w+(?:(?:[.-]|::)\w+)*/y },
  '@': { kind: 'user', value: /\w+(?:[.-]+\w+)*(?!\/)/y },
} as const;

/** A symbol before a value, or a commit id: both letters and digits, so that it is neither a word nor a number. */
const CANDIDATE = /[#!&%~@](?=["\w])|(?<![\w./#@-])(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{7,40}(?![\w-])/g;

/** Returns the references in a text in their order. Takes linear time: no character before a symbol is read for two symbols. */
function* findReferences(text: string): Generator<FoundReference> {
  for (const { 0: candidate, index } of text.matchAll(CANDIDATE)) {
    const symbol = SYMBOLS[candidate as keyof typeof SYMBOLS];
    if (symbol === undefined) {
      const reference = { kind: 'commit', path: '', value: candidate } as const;
      yield { start: index, end: index + candidate.length, reference };
      continue;
    }
    symbol.value.lastIndex = index + 1;
    const value = symbol.value.exec(text)?.[0];
    if (value === undefined) continue;
    let start = index;
    while (start > 0 && isPathCharacter(text[start - 1]!)) start--;
    const path = text.slice(start, index);
    // `mira@hearth.test` is an e-mail address, `a##1` nothing.
    if (path !== '' && (candidate === '@' || path.startsWith('/') || path.endsWith('/'))) continue;
    if (Object.hasOwn(SYMBOLS, text[start - 1] ?? '')) continue;
    const reference = { kind: symbol.kind, path, value: value.replace(/^"|"$/g, '') };
    yield { start, end: index + 1 + value.length, reference };
  }
}

const isPathCharacter = (character: string): boolean => /^[\w./-]$/.test(character);
