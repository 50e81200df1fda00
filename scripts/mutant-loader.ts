// Puts the fault of HEARTH_MUTANT into its file while the file is loaded, for `npm run mutants`. The file itself is not changed.
import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';

const { file, text, replacement } = JSON.parse(process.env.HEARTH_MUTANT!) as Record<string, string>;
const faultyUrl = pathToFileURL(file!).href;

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (url !== faultyUrl) return loaded;
    const source =
      typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString();
    if (!source.includes(text!)) throw new Error(`${file} does not contain ${text}`);
    return { ...loaded, source: source.replace(text!, () => replacement!) };
  },
});
