import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { agentKinds } from '../../agents/kinds.ts'
import type { AgentKind } from '../../agents/kind/kind.ts'
import type { InstalledAgent, StartProposal } from '../../contracts/first-start.ts'
import { defaultSettings } from '../../domain/settings/settings.ts'
import { configPath } from '../files/paths.ts'
import { git } from '../git/git.ts'
import { findTarget } from '../git/repository.ts'
import { which } from '../processes/programs.ts'
import { verificationsIn } from './verifications.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Branches that are offered. */
const MOST_BRANCHES = 12

/** Reads the branches, the build tools and the installed agents; writes nothing. */
export const proposeStart = async (root: string, environment: Environment): Promise<StartProposal> => {
  const target = await findTarget(root)
  const kinds = [...agentKinds(defaultSettings).values()]
  const found = kinds.flatMap((kind) => installed(kind, root, environment))
  return {
    root,
    path: configPath(root),
    configured: existsSync(configPath(root)),
    targets: [...new Set([target, ...(await branchesOf(root))])].slice(0, MOST_BRANCHES),
    verifications: verificationsIn(root),
    agents: [...found.filter(({ loggedIn }) => loggedIn), ...found.filter(({ loggedIn }) => !loggedIn)],
    missing: kinds.flatMap(({ name, program }) =>
      program !== undefined && !found.some(({ kind }) => kind === name) ? [name] : [],
    ),
  }
}

/** The newest first. */
const branchesOf = async (root: string): Promise<readonly string[]> =>
  (
    await git(root, [
      'for-each-ref',
      '--sort=-committerdate',
      `--count=${MOST_BRANCHES}`,
      '--format=%(refname:lstrip=2)',
      'refs/heads',
    ])
  )
    .split('\n')
    .filter((name) => name !== '')

const installed = ({ name, program }: AgentKind, root: string, environment: Environment): readonly InstalledAgent[] => {
  if (!program || which(program.binary, root, environment['PATH'] ?? '') === undefined) return []
  const { files = [], variables = [] } = program.login ?? {}
  const home = environment['HOME'] ?? ''
  const loggedIn =
    variables.some((variable) => (environment[variable] ?? '') !== '') ||
    (home !== '' && files.some((file) => existsSync(join(home, file))))
  return [{ kind: name, loggedIn }]
}
