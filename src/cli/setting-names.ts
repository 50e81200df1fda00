import { ConfigError, ENV_VARIABLE_NAMES, type EnvironmentVariables } from '#config.ts';

/** Variables that are not settings: those of tests, and those that the server sets for its git processes. */
const RESERVED = /^HEARTH_(TEST_.*|PUSH|LFS)$/;

/** Endings of variables that Kubernetes gives to every pod for a service named `hearth` or `hearth-...`. */
const KUBERNETES_ENDINGS = [/_SERVICE_HOST$/, /_SERVICE_PORT(_|$)/, /_PORT_\d+_(TCP|UDP|SCTP)(_PROTO|_PORT|_ADDR|)$/];

/**
 * Returns a warning for each variable `HEARTH_*` that is not a setting; a warning never shows the value. Throws ConfigError for
 * names close to a setting: the setting was meant and would have no effect.
 */
export function checkVariableNames(env: EnvironmentVariables): string[] {
  const unknownNames = Object.keys(env).filter((name) => isUnknownVariable(name, env[name]?.trim() ?? ''));
  const suggestions = unknownNames.flatMap((name) => {
    const closestSettings = findClosestSettings(name);
    return closestSettings.length === 0
      ? []
      : [`${name} is not a setting. Did you mean ${closestSettings.join(' or ')}?`];
  });
  if (suggestions.length > 0) throw new ConfigError(suggestions.join(' '));
  return unknownNames.map(
    (name) => `${name} is not a setting and has no effect. Remove it; hearth serve --help lists all settings.`,
  );
}

function isUnknownVariable(name: string, value: string): boolean {
  if (!name.startsWith('HEARTH_') || value === '') return false;
  if ((ENV_VARIABLE_NAMES as readonly string[]).includes(name) || RESERVED.test(name)) return false;
  if (KUBERNETES_ENDINGS.some((ending) => ending.test(name))) return false;
  // Kubernetes also sets `<service>_PORT`, to a URL.
  return !(name.endsWith('_PORT') && /^(tcp|udp|sctp):\/\//.test(value));
}

/** Returns the settings with the name closest to this one, several if they are equally close, none if all are too different. */
function findClosestSettings(name: string): string[] {
  const letters = toLetters(name);
  const candidates = ENV_VARIABLE_NAMES.flatMap((setting) => {
    const settingLetters = toLetters(setting);
    const maxDistance = getMaxEdits(settingLetters);
    if (Math.abs(letters.length - settingLetters.length) > maxDistance) return [];
    const distance = computeEditDistance(letters, settingLetters);
    return distance > maxDistance ? [] : [{ setting, distance }];
  });
  const minDistance = Math.min(...candidates.map(({ distance }) => distance));
  return candidates.filter(({ distance }) => distance === minDistance).map(({ setting }) => setting);
}

function toLetters(name: string): string {
  return name.slice('HEARTH_'.length).replaceAll('_', '').toUpperCase();
}

/** Returns the allowed edits. In short names, two edits lead to other words: HOME is not HOST, SITE_URL is not SMTP_URL. */
function getMaxEdits(letters: string): number {
  return letters.length < 8 ? 1 : 2;
}

/** Returns the Damerau-Levenshtein distance of two texts. */
function computeEditDistance(text: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= text.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const substitutionCost = rows[i - 1]![j - 1]! + (text[i - 1] === other[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && text[i - 1] === other[j - 2] && text[i - 2] === other[j - 1];
      const swapCost = isSwap ? rows[i - 2]![j - 2]! + 1 : substitutionCost;
      row.push(Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, substitutionCost, swapCost));
    }
    rows.push(row);
  }
  return rows[text.length]![other.length]!;
}
