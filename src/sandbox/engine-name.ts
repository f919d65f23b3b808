/** Package and QuickJS, which every version has had so far. */
const build = 'quickjs-emscripten 0.32.0, quickjs 2025-09-13'

/** Goes up with each change of what a script can see or do. Each stays here, with all that it was. */
export type PreludeVersion = 1 | 2

/** Engine and prelude, as a log names them: it is replayed on nothing else. */
export const engineNameOf = (version: PreludeVersion): string => `${build}, handrail ${version}`
export const latestVersion: PreludeVersion = 2
export const engineName = engineNameOf(latestVersion)

/** The version that a log names; none when it is of another engine, or of a later version. */
export const versionOf = (engine: string): PreludeVersion | undefined =>
  ([1, 2] as const).find((version) => engineNameOf(version) === engine)
