import { useEffect, useMemo, useState } from 'preact/hooks';
import { findFileLanguage } from '../text/languages.ts';
import { formatLineRange, type LineRange, parseLineRange } from '../text/line-range.ts';
import { formatMarkup } from './markup.ts';
import { createTrustedTypesPolicy } from './trusted-types.ts';

/**
 * The content of a file with a link for each line. `#L3-7` in the address selects lines; so does a click on a number, and one with
 * the shift key extends the selection. The syntax is highlighted as soon as a worker has done so.
 */
export function Code({ lines, fileName }: { readonly lines: readonly string[]; readonly fileName: string }) {
  const text = useMemo(() => lines.join('\n'), [lines]);
  const html = useHighlighting(text, fileName);
  const selection = useSelectedLines(lines.length);
  const numbers = useMemo(() => lines.map((_line, index) => renderNumber(index + 1)), [lines]);
  return (
    <div class="code">
      {selection === null ? null : (
        <div
          class="line-range"
          style={{
            top: `calc(0.5rem + ${selection.first - 1}lh)`,
            height: `${selection.last - selection.first + 1}lh`,
          }}
        />
      )}
      {/* One element for the numbers and one for the text: a file of 10,000 lines stays small. */}
      <pre class="line-numbers">{numbers}</pre>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll sideways, also by keyboard */}
      <section class="lines" tabIndex={0} aria-label="Content of the file">
        {html === null ? (
          <pre key="plain">{text}</pre>
        ) : (
          // Only spans with classes of the highlighter pass the policy.
          <pre key="highlighted" dangerouslySetInnerHTML={{ __html: html }} />
        )}
      </section>
    </div>
  );
}

function renderNumber(number: number) {
  const extendSelection = (event: MouseEvent) => {
    const selection = parseLineRange(window.location.hash, Number.POSITIVE_INFINITY);
    if (!event.shiftKey || selection === null) return;
    event.preventDefault();
    window.location.hash = formatLineRange(selection.first, number);
  };
  return (
    <a key={number} id={`L${number}`} href={`#L${number}`} aria-label={`Line ${number}`} onClick={extendSelection}>
      {number}
      {'\n'}
    </a>
  );
}

/** Returns the selected lines of the address, and scrolls to them once. */
function useSelectedLines(lineCount: number): LineRange | null {
  const [hash, setHash] = useState('');
  useEffect(() => {
    const readHash = () => {
      setHash(window.location.hash);
      const range = parseLineRange(window.location.hash, lineCount);
      if (range !== null) document.getElementById(`L${range.first}`)?.scrollIntoView({ block: 'nearest' });
    };
    readHash();
    window.addEventListener('hashchange', readHash);
    return () => window.removeEventListener('hashchange', readHash);
  }, [lineCount]);
  return parseLineRange(hash, lineCount);
}

/** Returns the HTML of a text with its syntax highlighted; null until then, and for texts that cannot be highlighted. */
function useHighlighting(text: string, fileName: string): string | null {
  const [highlighted, setHighlighted] = useState<{ readonly text: string; readonly html: string } | null>(null);
  useEffect(() => {
    const language = findFileLanguage(fileName);
    if (language === null) return;
    let isCurrent = true;
    void formatMarkup({ kind: 'code', text, language }).then((html) => {
      if (isCurrent && html !== null) setHighlighted({ text, html: trust(html) });
    });
    return () => {
      isCurrent = false;
    };
  }, [text, fileName]);
  return highlighted?.text === text ? highlighted.html : null;
}

const SPAN = /<span class="(?:hljs|language)-[\w-]+(?: \w+_)*">|<\/span>/g;

let policy: { readonly createHTML: (html: string) => string } | undefined;

/** Returns HTML that may be inserted. Throws if there is more than spans with classes of the highlighter. */
function trust(html: string): string {
  policy ??= createTrustedTypesPolicy('highlighted', {
    createHTML: (text) => {
      if (/[<>]/.test(text.replace(SPAN, ''))) throw new Error('The highlighter returned other elements than spans');
      return text;
    },
  });
  return policy.createHTML(html);
}
