import type { CiMap, CiValue } from '../yaml/values.ts';
import {
  checkExclusiveKeys,
  checkKnownKeys,
  checkNotBlank,
  configError,
  isPresent,
  parseBoolean,
  parseExpiry,
  parseMap,
  parseOneOf,
  parseOptional,
  parseString,
  parseStringOrStrings,
  parseStrings,
  WHEN_FINISHED,
} from './checks.ts';
import type { JobArtifacts } from './options.ts';

const ARTIFACTS_KEYS = new Set([
  ...['name', 'untracked', 'paths', 'reports', 'when', 'expire_in', 'expose_as', 'exclude', 'public', 'access'],
]);
const ACCESS_LEVELS = ['none', 'developer', 'maintainer', 'all'] as const;
const MAX_EXPOSED_NAME = 100;

/** The artifacts of a job whose file names none, to which a path of pages is added. */
export const NO_ARTIFACTS: JobArtifacts = {
  name: null,
  untracked: false,
  paths: [],
  exclude: [],
  when: 'on_success',
  expire_in: null,
  expose_as: null,
  access: 'all',
  reports: {},
};

/** Parses `artifacts`. */
export function parseArtifacts(value: CiValue, location: string): JobArtifacts {
  const map = parseMap(value, location);
  checkKnownKeys(map, location, ARTIFACTS_KEYS);
  if (isPresent(map.get('expose_as'))) checkNotBlank(map.get('paths'), location, 'paths');
  checkExclusiveKeys(map, location, ['access', 'public']);
  const read = <T>(key: string, parse: (value: Exclude<CiValue, null>) => T) => parseOptional(map, key, null, parse);
  const name = read('name', (each) => parseString(each, location, 'name'));
  const isPublic = read('public', (each) => parseBoolean(each, location, 'public'));
  const untracked = read('untracked', (each) => parseBoolean(each, location, 'untracked'));
  const paths = read('paths', (each) => parseStrings(each, location, 'paths'));
  const exposeAs = read('expose_as', (each) => parseExposedName(each, paths ?? [], location));
  const exclude = read('exclude', (each) => parseStrings(each, location, 'exclude'));
  const reports = read('reports', (each) => parseMap(each, location, 'reports should be a hash'));
  const when = read('when', (each) => parseOneOf(each, location, 'when', WHEN_FINISHED));
  const expireIn = read('expire_in', (each) => parseExpiry(each, location, 'expire in'));
  const access = read('access', (each) => parseOneOf(each, location, 'access', ACCESS_LEVELS));
  return {
    name,
    untracked: untracked ?? false,
    paths: paths ?? [],
    exclude: exclude ?? [],
    when: when ?? 'on_success',
    expire_in: expireIn,
    expose_as: exposeAs,
    access: access ?? (isPublic === false ? 'developer' : 'all'),
    reports: reports === null ? {} : parseReports(reports, `${location}:reports`),
  };
}

function parseExposedName(value: CiValue, paths: readonly string[], location: string): string {
  if (paths.some((path) => path.includes('*')))
    throw configError(location, "paths can't contain '*' when used with 'expose_as'");
  const name = parseString(value, location, 'expose as');
  if (name.length > MAX_EXPOSED_NAME)
    throw configError(location, `expose as is too long (maximum is ${MAX_EXPOSED_NAME} characters)`);
  if (!/^\w[-\w ]*$/.test(name))
    throw configError(location, "expose as can contain only letters, digits, '-', '_' and spaces");
  return name;
}

const REPORT_KINDS = new Set([
  ...['junit', 'codequality', 'sast', 'secret_detection', 'dependency_scanning', 'container_scanning', 'dast'],
  ...['performance', 'browser_performance', 'load_performance', 'license_scanning', 'metrics', 'lsif', 'dotenv'],
  ...['terraform', 'accessibility', 'coverage_fuzzing', 'api_fuzzing', 'cluster_image_scanning', 'requirements'],
  ...['requirements_v2', 'coverage_report', 'cyclonedx', 'annotations', 'repository_xray'],
]);

function parseReports(map: CiMap, location: string): Record<string, readonly string[]> {
  checkKnownKeys(map, location, REPORT_KINDS);
  const reports: Record<string, readonly string[]> = {};
  for (const [kind, value] of map) {
    if (!isPresent(value)) continue;
    reports[kind] =
      kind === 'coverage_report'
        ? [parseCoverageReport(value, `${location}:coverage_report`)]
        : parseStringOrStrings(value, location, kind.replaceAll('_', ' '));
  }
  return reports;
}

const COVERAGE_FORMATS = ['cobertura', 'jacoco'];

/** Parses `coverage_report`, the only report that is a map, and returns its path. */
function parseCoverageReport(value: CiValue, location: string): string {
  const map = parseMap(value, location);
  checkKnownKeys(map, location, new Set(['coverage_format', 'path']));
  const format = map.get('coverage_format');
  checkNotBlank(format, location, 'coverage format');
  if (typeof format !== 'string' || !COVERAGE_FORMATS.includes(format)) {
    const formats = COVERAGE_FORMATS.join(', ');
    throw configError(location, `coverage format must be one of supported formats: ${formats}.`);
  }
  checkNotBlank(map.get('path'), location, 'path');
  return parseString(map.get('path')!, location, 'path');
}
