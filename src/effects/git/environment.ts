import { dirname } from 'node:path'

// The configuration and environment for every git process, which take precedence over the repository's.

/** Settings that keep git from running programs of the repository, prompting or fetching. */
export const neutralConfig = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.pager=cat',
  'core.editor=true',
  'core.quotePath=false',
  'core.askPass=',
  'core.alternateRefsCommand=',
  'gc.auto=0',
  'maintenance.auto=false',
  'commit.gpgSign=false',
  'advice.detachedHead=false',
  'merge.renormalize=false',
  'merge.autoStash=false',
  'merge.verifySignatures=false',
  'rerere.enabled=false',
  'log.showSignature=false',
  'log.mailmap=false',
  'diff.noprefix=false',
  'diff.mnemonicPrefix=false',
  'diff.submodule=short',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'status.submoduleSummary=false',
] as const

/** simple-git requires each of these options to be allowed by name. */
export const allowedConfig = {
  allowUnsafeHooksPath: true,
  allowUnsafeFsMonitor: true,
  allowUnsafePager: true,
  allowUnsafeEditor: true,
  allowUnsafeAskPass: true,
  // The repository and its files are given explicitly.
  allowUnsafeConfigPaths: true,
  // Used only to switch programs off.
  allowUnsafeConfigEnvCount: true,
  allowUnsafeFilter: true,
  allowUnsafeMergeDriver: true,
} as const

/** Git variables that callers may set. */
export const allowedNames = [
  'GIT_TERMINAL_PROMPT',
  'GIT_OPTIONAL_LOCKS',
  'GIT_NO_LAZY_FETCH',
  'GIT_ALLOW_PROTOCOL',
  'GIT_NO_REPLACE_OBJECTS',
  'GIT_CEILING_DIRECTORIES',
  'GIT_INDEX_FILE',
  'GIT_WORK_TREE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_AUTHOR_NAME',
  'GIT_AUTHOR_EMAIL',
  'GIT_COMMITTER_NAME',
  'GIT_COMMITTER_EMAIL',
] as const

export const neutralEnvironment = (folder: string): Record<string, string> => ({
  ...inherited(),
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
  // Git before 2.45 ignores the setting above: a missing object would be fetched by a command that the configuration
  // names.
  GIT_ALLOW_PROTOCOL: '',
  // A replacement ref would show other commits than the ones that are merged.
  GIT_NO_REPLACE_OBJECTS: '1',
  // A folder without its .git must not be treated as part of a repository above it.
  GIT_CEILING_DIRECTORIES: dirname(folder),
  LC_ALL: 'C',
})

/**
 * The variables of our environment that git needs, without those that name another repository, an editor or a helper.
 */
const inherited = (): Record<string, string> => {
  const names = ['PATH', 'HOME', 'USER', 'LOGNAME', 'TMPDIR', 'XDG_CONFIG_HOME', 'SYSTEMROOT', 'USERPROFILE']
  return Object.fromEntries(
    names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  )
}
