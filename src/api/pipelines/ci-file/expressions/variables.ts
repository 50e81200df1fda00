/** A variable of a pipeline or job, as runners are given it. */
export interface CiVariable {
  readonly key: string;
  readonly value: string;
  /** The value stands for itself: nothing in it is replaced, and references to it are the runner's to replace. */
  readonly raw?: boolean;
  /** The value is what a file holds whose path the variable is: only the runner knows it. */
  readonly file?: boolean;
  /** Nobody is to read the value. */
  readonly masked?: boolean;
}

/** What values with references in them may come to altogether: `A: $B$B`, `B: $C$C`, ... doubles with each. */
const MOST_CHARACTERS = 1024 * 1024;
/** So many references are looked up in all of them together. */
const MOST_REFERENCES = 100_000;

/** `$$` first, so that `$$NAME` refers to nothing. */
const REFERENCE = /\$\$|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$([A-Za-z_][A-Za-z0-9_]*)|%([A-Za-z_][A-Za-z0-9_]*)%/g;

const refers = (text: string) => text.includes('$') || text.includes('%');

/** The text with `$NAME`, `${NAME}` and `%NAME%` replaced by what `meaningOf` says; what it does not know and `$$` stay. */
export function expandText(text: string, meaningOf: (name: string) => string | undefined): string {
  return replaced(text, (name) => (name === undefined ? undefined : meaningOf(name)));
}

/** Of `$$` the name is not defined. */
function replaced(text: string, meaningOf: (name: string | undefined) => string | undefined): string {
  if (!refers(text)) return text;
  return text.replace(REFERENCE, (whole, braces, dollar, percent) => meaningOf(braces ?? dollar ?? percent) ?? whole);
}

/**
 * The variables with the references in their values replaced (contract/runners.md §3.3): of a key that occurs twice the
 * last entry counts. Raw variables keep their values; references to raw ones, to files, to what is unknown, and of a
 * variable to itself stay as written. With a circle of references nothing is replaced in any value.
 */
export function expandVariables<V extends CiVariable>(variables: readonly V[]): V[] {
  const last = new Map(variables.map((variable) => [variable.key, variable]));
  const expanded = new Map<string, string>();
  const open = new Set<string>();
  let [characters, references] = [0, 0];
  const expand = ({ key, value, raw = false }: CiVariable): string => {
    if (raw || !refers(value)) return value;
    const result = replaced(value, (name) => {
      if (++references > MOST_REFERENCES) throw new Unexpandable();
      return name === undefined || name === key ? undefined : meaningOf(name);
    });
    characters += result.length;
    if (characters > MOST_CHARACTERS) throw new Unexpandable();
    return result;
  };
  const meaningOf = (name: string): string | undefined => {
    const found = expanded.get(name);
    if (found !== undefined) return found;
    const variable = last.get(name);
    if (variable === undefined || variable.raw || variable.file) return undefined;
    // As deep as this goes only what nobody has written by hand.
    if (open.has(name) || open.size > 500) throw new Unexpandable();
    open.add(name);
    const value = expand(variable);
    open.delete(name);
    expanded.set(name, value);
    return value;
  };
  try {
    return variables.map((variable) => ({
      ...variable,
      value: last.get(variable.key) === variable ? (meaningOf(variable.key) ?? expand(variable)) : expand(variable),
    }));
  } catch (error) {
    if (!(error instanceof Unexpandable)) throw error;
    return [...variables];
  }
}

/** A circle, or what is none yet never ends. */
class Unexpandable extends Error {}

/** What each key means: its last value. For expressions and names that refer to variables. */
export function valuesOf(variables: readonly CiVariable[]): ReadonlyMap<string, string> {
  return new Map(variables.map(({ key, value }) => [key, value]));
}

/**
 * What each key means in a text that others read, be it by a reference in another value: references to what is masked, or a
 * file, stay as they are written.
 */
export function shownValuesOf(variables: readonly CiVariable[]): ReadonlyMap<string, string> {
  const kept = new Set(variables.filter(({ masked, file }) => masked || file).map(({ key }) => key));
  return valuesOf(expandVariables(variables.filter(({ key }) => !kept.has(key))));
}

/** What it costs to replace the references in these, in steps of some microseconds. */
export function costOfExpanding(variables: readonly CiVariable[]): number {
  const characters = variables.reduce((sum, { value }) => sum + value.length / (refers(value) ? 500 : 20_000), 0);
  return Math.ceil(variables.length / 20 + characters);
}
