// Artifact types: upload format and default file name (contract/runners.md §3.6).

type ArtifactFormat = 'zip' | 'gzip' | 'raw';

interface ArtifactType {
  readonly format: ArtifactFormat;
  /** Default name of the uploaded file; null: the runner chooses it. */
  readonly filename: string | null;
}

const zip = (filename: string | null): ArtifactType => ({ format: 'zip', filename });
const gzip = (filename: string | null): ArtifactType => ({ format: 'gzip', filename });
const raw = (filename: string): ArtifactType => ({ format: 'raw', filename });

export const ARTIFACT_TYPES = {
  archive: zip(null),
  metadata: gzip(null),
  junit: gzip('junit.xml'),
  metrics: gzip('metrics.txt'),
  metrics_referee: gzip(null),
  network_referee: gzip(null),
  dotenv: gzip('.env'),
  cobertura: gzip('cobertura-coverage.xml'),
  jacoco: gzip('jacoco-coverage.xml'),
  cluster_applications: gzip('gl-cluster-applications.json'),
  lsif: zip('lsif.json'),
  scip: zip('index.scip'),
  cyclonedx: gzip('gl-sbom.cdx.json'),
  annotations: gzip('gl-annotations.json'),
  repository_xray: gzip('gl-repository-xray.json'),
  sast: raw('gl-sast-report.json'),
  secret_detection: raw('gl-secret-detection-report.json'),
  dependency_scanning: raw('gl-dependency-scanning-report.json'),
  container_scanning: raw('gl-container-scanning-report.json'),
  cluster_image_scanning: raw('gl-cluster-image-scanning-report.json'),
  dast: raw('gl-dast-report.json'),
  license_scanning: raw('gl-license-scanning-report.json'),
  accessibility: raw('gl-accessibility.json'),
  codequality: raw('gl-code-quality-report.json'),
  performance: raw('performance.json'),
  browser_performance: raw('browser-performance.json'),
  load_performance: raw('load-performance.json'),
  terraform: raw('tfplan.json'),
  requirements: raw('requirements.json'),
  requirements_v2: raw('requirements_v2.json'),
  coverage_fuzzing: raw('gl-coverage-fuzzing.json'),
  api_fuzzing: raw('gl-api-fuzzing-report.json'),
} as const satisfies Record<string, ArtifactType>;

export type ArtifactTypeName = keyof typeof ARTIFACT_TYPES;

/** Returns the type that a CI file names under `reports`, or undefined. */
export function findArtifactType(name: string): ArtifactType | undefined {
  return Object.hasOwn(ARTIFACT_TYPES, name) ? ARTIFACT_TYPES[name as ArtifactTypeName] : undefined;
}
