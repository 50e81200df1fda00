/** A variable of a pipeline or job, as runners are given it. */
export interface CiVariable {
  readonly key: string;
  readonly value: string;
  /** The value stands for itself: nothing in it is replaced, and references to it are the runner's to replace. */
  readonly raw?: boolean;
  /** The value is what a file holds whose path the variable is: only the runner knows it. */
  readonly file?: boolean;
}

/** What expanded values may come to altogether: `A: $B$B`, `B: $C$C`, ... doubles with each. */
const MOST_CHARACTERS = 4 * 1024 * 1024;

/** `$$` first, so that `$$NAME` refers to nothing. */
const REFERENCE = /\$\$|\$\{([A-Za-z_][A-Za-z0-9_]*)\}|\$([A-Za-z_][A-Za-z0-9_]*)|%([A-Za-z_][A-Za-z0-9_]*)%/g;

/** The text with `$NAME`, `${NAME}` and `%NAME%` replaced by what `meaningOf` says; what it does not know and `$$` stay. */
export function expandText(text: string, meaningOf: (name: string) => string | undefined): string {
  if (!text.includes('$') && !text.includes('%')) return text;
  return text.replace(REFERENCE, (whole, braces, dollar, percent) => {
    const name: string | undefined = braces ?? dollar ?? percent;
    return (name === undefined ? undefined : meaningOf(name)) ?? whole;
  });
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
  let characters = 0;
  const expand = ({ key, value, raw = false }: CiVariable): string => {
    if (raw) return value;
    const result = expandText(value, (name) => (name === key ? undefined : meaningOf(name)));
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
