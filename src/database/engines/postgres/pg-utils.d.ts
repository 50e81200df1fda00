/** What `pg` does not type: the form of a value in the protocol, in which arrays are those of PostgreSQL. */
declare module 'pg/lib/utils.js' {
  const utils: { readonly prepareValue: (value: unknown) => unknown };
  export default utils;
}
