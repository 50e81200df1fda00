import { isJsonObject, type JsonObject } from '#text/json-object.ts';
import { MAX_MESSAGE_LENGTH, toTextOrJson } from './texts.ts';

/** Inserts the parameters of a message into its template, for SDKs that send both (contract/monitoring.md §12). Pure. */

/** `%s`, `%d`, `%.2f`, `%1$s`, `%(name)s`, and `%%` for a percent sign. */
const PERCENT_PLACEHOLDER = /%(?:%|(?:\((?<name>[^()]*)\)|(?<position>\d+)\$)?[-+#]*[\d.]*[a-zA-Z])/g;
/** `{}`, `{0}`, `{name}`, and both with a format (`{0:.2f}`). */
const BRACE_PLACEHOLDER = /\{(?<key>\w*)(?:[:!][^{}]*)?\}/g;

/**
 * Returns the template with its parameters inserted: those of a list by position, those of an object by name. Formats such as
 * the number of digits are ignored. A placeholder without a parameter is left as it is.
 */
export function formatMessage(template: string, params: unknown): string {
  const paramList: readonly unknown[] = Array.isArray(params) ? params : [];
  // Python sends named parameters as a list with a single object.
  const paramsByName = isJsonObject(params)
    ? params
    : paramList.length === 1 && isJsonObject(paramList[0])
      ? paramList[0]
      : null;
  if (paramList.length === 0 && paramsByName === null) return template;
  const values = createValues(paramList, paramsByName);
  const percentFormatted = template.replace(PERCENT_PLACEHOLDER, (placeholder, ...groups) => {
    if (placeholder === '%%') return '%';
    const { name, position } = groups.at(-1) as { name?: string; position?: string };
    if (name !== undefined) return values.byName(name) ?? placeholder;
    return (position === undefined ? values.next() : values.at(Number(position) - 1)) ?? placeholder;
  });
  if (percentFormatted !== template) return percentFormatted;
  return template.replace(BRACE_PLACEHOLDER, (placeholder, key: string) => {
    if (/^\d+$/.test(key)) return values.at(Number(key)) ?? values.byName(key) ?? placeholder;
    return values.byName(key) ?? values.next() ?? placeholder;
  });
}

/** Looks up the texts of parameters. `next` returns those of a list one after the other. */
function createValues(paramList: readonly unknown[], paramsByName: JsonObject | null) {
  let nextIndex = 0;
  /** Cache of the serialized parameters: a placeholder may occur hundreds of times with an object of a mebibyte. */
  const texts = new Map<unknown, string>();
  const toCachedText = (value: unknown): string => {
    const text = texts.get(value) ?? toParameterText(value);
    texts.set(value, text);
    return text;
  };
  const at = (index: number) => (index >= 0 && index < paramList.length ? toCachedText(paramList[index]) : undefined);
  return {
    at,
    byName: (name: string) =>
      paramsByName !== null && Object.hasOwn(paramsByName, name) ? toCachedText(paramsByName[name]) : undefined,
    next: () => at(nextIndex++),
  };
}

const toParameterText = (value: unknown): string =>
  value === null ? 'null' : (toTextOrJson(value, MAX_MESSAGE_LENGTH) ?? '');
