import type { SignedInCaller } from '#authentication/caller.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import type { RefServices } from '../services.ts';

// Options of `git push -o` (contract/repository.md §5 "Push options").

/** A push to a project whose refs have moved. */
export interface CompletedPush {
  readonly caller: SignedInCaller;
  readonly project: Project;
  readonly changes: readonly RefChange[];
  readonly options: readonly PushOption[];
  /** Base of URLs in messages. */
  readonly baseUrl: string;
}

/** Carries out the push options of one resource. Returns lines for the client, which waits for them. */
export interface PushOptionHandler {
  /** The options of the resource as `namespace.key`. */
  readonly options: readonly string[];
  readonly handle: (services: RefServices, push: CompletedPush) => Promise<readonly string[]>;
}

export interface PushOption {
  /** `namespace.key` without an alias; the whole text if it has another form. */
  readonly name: string;
  /** Empty if the option has no value. */
  readonly value: string;
}

const NAMESPACE_ALIASES: ReadonlyMap<string, string> = new Map([['mr', 'merge_request']]);

/** Limits of the options of one push; further ones have no effect. */
const MAX_OPTIONS = 100;
const MAX_OPTION_CHARACTERS = 64 * 1024;

/** Returns the options within the limits, as sent. */
export function limitPushOptions(options: readonly string[]): string[] {
  let characterCount = 0;
  return options.slice(0, MAX_OPTIONS).filter((option) => {
    characterCount += option.length;
    return characterCount <= MAX_OPTION_CHARACTERS;
  });
}

/** Parses `namespace.key=value` or `namespace.key`. */
export function parsePushOption(option: string): PushOption {
  const [, namespace = '', key = '', value = ''] = /^([^.=]+)\.([^=]+)(?:=(.*))?$/s.exec(option) ?? [];
  if (namespace === '') return { name: option, value: '' };
  return { name: `${NAMESPACE_ALIASES.get(namespace.trim()) ?? namespace.trim()}.${key.trim()}`, value: value.trim() };
}
