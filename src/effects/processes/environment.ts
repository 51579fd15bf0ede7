import { isSecretName } from '../../domain/words/secrets.ts'
import type { Settings } from '../../domain/settings/settings.ts'

/** Variables that would make a child's git use another repository (as in a hook), or that only aiswarm uses. */
const withheld =
  /^(GIT_(DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|PREFIX|NAMESPACE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|QUARANTINE_PATH|CEILING_DIRECTORIES)|AISWARM_.*|NODE_CHANNEL_.*|INIT_CWD|npm_.*)$/

/** Our own environment without the withheld variables, for child processes. */
export const ownEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined || withheld.test(name) ? [] : [[name, value]],
    ),
  )

/** The variables that every program needs: programs, home, language, time, network, temporary files. */
export const common = [
  ...[
    'PATH',
    'HOME',
    'USER',
    'LOGNAME',
    'SHELL',
    'LANG',
    'LANGUAGE',
    'LC_*',
    'TZ',
    'TMPDIR',
    'TEMP',
    'TMP',
    'TERM',
    'COLORTERM',
    'NO_COLOR',
    'XDG_*',
  ],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'all_proxy', 'no_proxy'],
  ...[
    'SSL_CERT_FILE',
    'SSL_CERT_DIR',
    'NODE_EXTRA_CA_CERTS',
    'SSH_AUTH_SOCK',
    'GIT_AUTHOR_*',
    'GIT_COMMITTER_*',
    'GIT_CONFIG_*',
    'GIT_SSH*',
  ],
]

/**
 * The environment for a branch's code: verification, setup and teardown run code that an agent wrote. It gets as much
 * as an agent and the variables in `integration.pass`. Hooks and notify commands are the person's and get everything.
 */
export const branchEnvironment = ({ settings }: { readonly settings: Settings }): Record<string, string> =>
  only(ownEnvironment(), [...common, ...settings.agents.pass, ...settings.integration.pass])

/** Values of our own environment that are secret and must be masked in any output. */
export const ownSecrets = (): readonly string[] =>
  Object.entries(process.env).flatMap(([name, value]) => (value !== undefined && isSecretName(name) ? [value] : []))

/** Variables with which programs find a database, and its password. */
const ofDatabase = /^(PG.*|(.*_)?DATABASE_URL|(.*_)?DSN)$/

/**
 * The variables with these names; `*` at the end of a name matches any rest. A person's databases may include the one of
 * the board, where an agent could write without an approval: a database is passed only if a name asks for it, so a
 * single `*` does not.
 */
export const only = (environment: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).filter(([name]) =>
      names.some((wanted) => {
        if (wanted === '*') return !ofDatabase.test(name)
        return wanted.endsWith('*') ? name.startsWith(wanted.slice(0, -1)) : name === wanted
      }),
    ),
  )
