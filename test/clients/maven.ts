// Java clients, from the public Maven repository into a folder outside of the project.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface JavaProgram {
  /** The library, as `group:name:version`. */
  readonly artifact: string;
  /** The file of our own program. */
  readonly source: string;
}

/** Compiles the program in the folder, with the library and its dependencies. Returns the reason of a failure, else null. */
export function compileWithMaven(folder: string, { artifact, source }: JavaProgram): string | null {
  const text = artifact + readFileSync(source, 'utf8');
  const contentFile = join(folder, 'made-of');
  if (existsSync(contentFile) && readFileSync(contentFile, 'utf8') === text) return null;
  mkdirSync(folder, { recursive: true });
  const [groupId, artifactId, version] = artifact.split(':');
  const project = { groupId: 'client', artifactId: 'client', version: '1' };
  const dependency = toXml({ groupId, artifactId, version });
  const more = `<modelVersion>4.0.0</modelVersion><dependencies><dependency>${dependency}</dependency></dependencies>`;
  writeFileSync(join(folder, 'pom.xml'), `<project>${toXml(project)}${more}</project>`);
  const args = ['--quiet', '--batch-mode', 'dependency:copy-dependencies', '-DoutputDirectory=lib'];
  const { error, status } = spawnSync('mvn', args, { cwd: folder });
  if (error) return 'there is no Maven here';
  if (status !== 0) return `Maven cannot bring ${artifact} here`;
  const compiled = spawnSync('javac', ['-cp', 'lib/*', '-d', 'classes', source], { cwd: folder, encoding: 'utf8' });
  if (compiled.error) return 'there is no Java compiler here';
  if (compiled.status !== 0) return `Java cannot compile it: ${compiled.stderr.split('\n').slice(0, 2).join(' / ')}`;
  writeFileSync(contentFile, text);
  return null;
}

/** Returns the class path of the program. */
export function classPathOf(folder: string): string {
  return [join(folder, 'classes'), join(folder, 'lib/*')].join(delimiter);
}

function toXml(elements: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(elements)
    .map(([name, text]) => `<${name}>${text}</${name}>`)
    .join('');
}
