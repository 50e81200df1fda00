/** Reading single files out of zip archives: no family with endpoints of its own. */
export { type ReadRange, type Unpacked, unpackFile } from './unpack.ts';
