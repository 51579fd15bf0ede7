import { dirname } from 'node:path'

// What git is started with: configuration and environment that hold whatever the repository says.

/** Nothing of the repository's own is run, asked or fetched. */
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

/** Each of these simple-git wants to be allowed by name. */
export const allowedConfig = {
  allowUnsafeHooksPath: true,
  allowUnsafeFsMonitor: true,
  allowUnsafePager: true,
  allowUnsafeEditor: true,
  allowUnsafeAskPass: true,
  // The repository and its files are named outright.
  allowUnsafeConfigPaths: true,
  // Only ever to switch programs off.
  allowUnsafeConfigEnvCount: true,
  allowUnsafeFilter: true,
  allowUnsafeMergeDriver: true,
} as const

/** Names of git's own variables that callers may give. */
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
  // Older ones than 2.45 do not know that: a missing object would be fetched by a command that the configuration names.
  GIT_ALLOW_PROTOCOL: '',
  // A replacement would show other commits than the ones that are merged.
  GIT_NO_REPLACE_OBJECTS: '1',
  // A folder that lost its .git must not be taken for part of a repository above it.
  GIT_CEILING_DIRECTORIES: dirname(folder),
  LC_ALL: 'C',
})

/** What git needs of our own environment; nothing that names another repository, an editor or a helper. */
const inherited = (): Record<string, string> => {
  const names = ['PATH', 'HOME', 'USER', 'LOGNAME', 'TMPDIR', 'XDG_CONFIG_HOME', 'SYSTEMROOT', 'USERPROFILE']
  return Object.fromEntries(names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])))
}
