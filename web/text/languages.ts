/**
 * The languages whose syntax is highlighted, by their names in highlight.js, with the file extensions and the names in
 * fenced code.
 */

/** Language -> other names in fenced code, which are also file extensions. */
const NAMES: Readonly<Record<string, string>> = {
  bash: 'sh zsh ksh shell console',
  c: 'h',
  clojure: 'clj cljs cljc edn',
  cmake: '',
  coffeescript: 'coffee',
  cpp: 'cc cxx hpp hh hxx c++',
  csharp: 'cs c#',
  css: '',
  dart: '',
  diff: 'patch',
  dockerfile: 'docker containerfile',
  elixir: 'ex exs',
  elm: '',
  erlang: 'erl hrl',
  fortran: 'f f90 f95',
  fsharp: 'fs fsx f#',
  go: 'golang',
  gradle: '',
  graphql: 'gql',
  groovy: '',
  handlebars: 'hbs',
  haskell: 'hs',
  http: '',
  ini: 'toml cfg conf editorconfig',
  java: '',
  javascript: 'js jsx mjs cjs',
  json: 'json5 jsonc webmanifest',
  julia: 'jl',
  kotlin: 'kt kts',
  latex: 'tex sty',
  less: '',
  lisp: 'el cl',
  lua: '',
  makefile: 'mk make',
  markdown: 'md mkd mdown',
  nginx: '',
  nix: '',
  objectivec: 'm mm objc',
  ocaml: 'ml mli',
  perl: 'pl pm',
  php: '',
  plaintext: 'txt text log',
  powershell: 'ps1 psm1',
  properties: '',
  protobuf: 'proto',
  puppet: 'pp',
  python: 'py pyi pyw python3',
  r: '',
  ruby: 'rb gemspec rake podspec',
  rust: 'rs',
  scala: 'sbt sc',
  scheme: 'scm rkt',
  scss: 'sass',
  sql: '',
  swift: '',
  tcl: '',
  thrift: '',
  typescript: 'ts tsx mts cts',
  verilog: 'v sv svh',
  vhdl: 'vhd',
  vim: 'vimrc',
  xml: 'html xhtml svg vue svelte xsl xsd plist csproj',
  yaml: 'yml',
};

/** Languages of files that have no extension. */
const FILE_NAMES: ReadonlyMap<string, string> = new Map([
  ['cmakelists.txt', 'cmake'],
  ['gemfile', 'ruby'],
  ['gnumakefile', 'makefile'],
  ['jenkinsfile', 'groovy'],
  ['rakefile', 'ruby'],
  ['vagrantfile', 'ruby'],
]);

/** Languages that appear in files of another language. */
export const EMBEDDED_LANGUAGES: Readonly<Record<string, readonly string[]>> = {
  dockerfile: ['bash'],
  handlebars: ['xml'],
  markdown: ['xml'],
  xml: ['css', 'javascript'],
};

/** Returns the names of all languages; each is a separate file, which is loaded when it is first used. */
export const listLanguages = (): string[] => Object.keys(NAMES);

const LANGUAGES_BY_NAME = new Map(
  Object.entries(NAMES).flatMap(([language, names]) =>
    [language, ...names.split(' ').filter(Boolean)].map((name) => [name, language]),
  ),
);

/** Returns the language that fenced code names, such as `ts` or `TypeScript`; null if it is unknown. */
export function findLanguage(name: string): string | null {
  return LANGUAGES_BY_NAME.get(name.toLowerCase()) ?? null;
}

/** Returns the language of a file by its name: `src/main.ts`, `Dockerfile`, `.editorconfig`; null if it is unknown. */
export function findFileLanguage(path: string): string | null {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const ending = name.slice(name.lastIndexOf('.') + 1);
  return FILE_NAMES.get(name) ?? findLanguage(ending) ?? findLanguage(name.split('.', 1)[0]!);
}
