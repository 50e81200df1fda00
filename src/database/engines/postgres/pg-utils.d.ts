/** Types that `pg` lacks: `prepareValue` converts a value to its form in the protocol, including arrays. */
declare module 'pg/lib/utils.js' {
  const utils: { readonly prepareValue: (value: unknown) => unknown };
  export default utils;
}
