import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { configuredServers } from '../../agents/kind/other-servers.ts'
import type { McpServer } from '../../domain/settings/agent-settings.ts'
import type { Mount } from '../../domain/sandbox/policy.ts'
import { isWithin } from '../../domain/worktree/worktree.ts'
import { readRegular } from '../files/regular-file.ts'
import { which } from '../processes/programs.ts'
import { realOf } from './places.ts'

// A person's own MCP server may lie in a folder that the sandbox hides. Its command does not open that folder by
// itself: an agent may write some of the files that name commands, and would choose what its next run can read.

interface ServerStart {
  readonly mounts: readonly Mount[]
  readonly root: string
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  /** Servers of the persona's configuration. */
  readonly given: Readonly<Record<string, McpServer>>
  readonly keepsOwn: boolean
}

/** Why a configured MCP server cannot be started inside, as a sentence for each. */
export const hiddenServers = (kind: string, start: ServerStart): readonly string[] => {
  const { environment, given, keepsOwn, root } = start
  const own = keepsOwn ? configuredServers(kind, environment, root, readRegular) : {}
  const ofPersona = Object.entries(given).flatMap(([name, server]) =>
    'command' in server ? [[name, [server.command, ...server.args]] as const] : [],
  )
  return Object.entries({ ...own, ...Object.fromEntries(ofPersona) }).flatMap(([name, words]) => {
    const hidden = filesOf(words, start).find((path) => !isVisible(path, start.mounts))
    return hidden === undefined
      ? []
      : [
          `The MCP server ${name} cannot start in the sandbox, which hides ${hidden}. List ${dirname(hidden)} in sandbox.read, or the file alone if it needs no other.`,
        ]
  })
}

/** The program, and each file among its arguments. */
const filesOf = (
  [command = '', ...args]: readonly string[],
  { folder, environment }: ServerStart,
): readonly string[] => [
  ...[which(command, folder, environment['PATH'] ?? '') ?? command].filter((path) => path.startsWith('/')),
  ...args.filter((word) => word.startsWith('/') && existsSync(word)),
]

/** By the last mount that holds it, with the file to which it leads. */
const isVisible = (path: string, mounts: readonly Mount[]): boolean =>
  [path, realOf(path)].every((one) => {
    const { access } = mounts.findLast((mount) => isWithin(one, mount.path)) ?? {}
    return access !== undefined && access !== 'private' && access !== 'hidden'
  })

/** Files in which a person names a registry of packages, and the sign that one does. */
const registries = [
  { tool: 'npm', path: '.npmrc', sign: /^\s*(?:@[^:\s]+:)?registry\s*=|:_auth(?:Token)?\s*=/m },
  { tool: 'Yarn', path: '.yarnrc.yml', sign: /^\s*npmRegistryServer\s*:/m },
  { tool: 'pip', path: '.config/pip/pip.conf', sign: /^\s*(?:extra-)?index-url\s*=/m },
  { tool: 'pip', path: '.pip/pip.conf', sign: /^\s*(?:extra-)?index-url\s*=/m },
  { tool: 'Maven', path: '.m2/settings.xml', sign: /<(?:mirror|repository)>/ },
] as const

/** Which registries of the person a program inside does not know, as a sentence for each. */
export const hiddenRegistries = (mounts: readonly Mount[], home: string = homedir()): readonly string[] =>
  registries.flatMap(({ tool, path, sign }) => {
    const file = join(home, path)
    return sign.test(readRegular(file) ?? '') && !isVisible(file, mounts)
      ? [`The sandbox hides ~/${path}, so ${tool} inside does not use its registry. List ~/${path} in sandbox.read.`]
      : []
  })
