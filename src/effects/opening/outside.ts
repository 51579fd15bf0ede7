import { maskSecrets } from '../../domain/words/secrets.ts'
import { getAgent } from '../../operations/agents/list.ts'
import { type Core, isHome } from '../../operations/perform/core.ts'
import { getWorktreeStatus } from '../../operations/worktrees/status.ts'
import type { Outside } from '../../contracts/outside.ts'
import { perform } from '../../operations/perform/perform.ts'
import { readElsewhere } from '../../operations/hosts/locations.ts'
import { withOtherHosts } from '../hosts/other-hosts.ts'
import { conversationsOf } from '../talk/transcript.ts'
import { checkRule } from '../configuration/allow-rules.ts'
import { nextChange } from '../loops/changes.ts'
import { untilCommit } from '../until-commit.ts'
import { entriesToAllow } from '../sandbox/network.ts'
import { inspectAgent, processObserver, readReadableOutput } from '../runs/inspection.ts'
import { ownSecrets } from '../processes/environment.ts'
import { readGitLog } from '../git/command-log.ts'
import { commonFolder } from '../files/git-dir.ts'
import { whyNoLogin } from './ancestry.ts'
import { wishesOf } from '../wishes.ts'
import { worktreeObserver } from '../worktrees/observer.ts'
import { grownAt, readOutput, readWhole, saveLog } from '../processes/output.ts'
import { configPath, outputPath } from '../files/paths.ts'
import type { Sights, World } from '../world.ts'

/**
 * Milliseconds after the first answers at which everything is loaded, because an upgrade deletes the files of the
 * running version.
 */
const SOON = 5000

const later = () => import('./outside-later.ts')

/** Answers for other hosts, from the disk and the processes of this one. */
export const sightsOf = (world: World): Sights => ({
  ...worktreesOf(world),
  ...processesOf(world),
  conversations: conversationsOf(world),
})

/** The real outside: git, processes and files. */
export const outsideOf = (world: World): Outside => {
  const { core } = world
  setTimeout(() => void later().catch(() => {}), SOON).unref()
  return withOtherHosts(world, {
    ...actionsOf(world),
    ...worktreesOf(world),
    ...processesOf(world),
    nextChange: (version, ms, signal) => nextChange(core.store, version, ms, signal),
    radar: async (options) => (await later()).radarOf(world, options),
    readMove: async (move) => (await later()).readMove(core.root, move),
    gitCommands: async () => readGitLog(core.root),
    whyNoLogin: () => whyNoLogin(world),
    whyUnconfined: async (start) => (await later()).whyUnconfined(world, start),
    configurations: configurationsLater(world),
    memories: memoriesOf(core),
    conversations: conversationsOf(world),
    takeOver: async (agentId, by) => (await later()).takeOverConversation(world, agentId, by),
    saveLog: (name, text) => saveLog(core.root, name, text),
  })
}

const actionsOf = (world: World): Pick<Outside, 'carryOut' | 'check'> => ({
  carryOut: async (wish) => {
    if (wish.kind === 'project_session') await (await later()).project(world, new Map())
    else await (await later()).carryOut(world, wish)
  },
  check: (wish) => {
    // Elsewhere the first host writes it, into its own file.
    if (wish.kind === 'allow_rule' && isHome(world.core))
      checkRule(configPath(world.core.root), wish.personaId, wish.rule)
  },
})

type OfWorktrees =
  | 'observeWorktrees'
  | 'measureWorktrees'
  | 'absentWorktrees'
  | 'census'
  | 'reviewWorktree'
  | 'presentWorktree'
  | 'readReviewFile'
  | 'readVerification'
  | 'worktreeContents'

const worktreesOf = (world: World): Pick<Outside, OfWorktrees> => {
  const { core, actor } = world
  const observe = worktreeObserver(core.root, core.settings.integration.target)
  const measurer = once(async () => (await later()).worktreeMeasurer())
  const worktrees = (name?: string) =>
    perform(core, getWorktreeStatus, name === undefined ? {} : { worktreeName: name }, actor)
  // The folders of other hosts cannot be looked at here.
  const here = untilCommit(core.store, async () => {
    const away = core.host === undefined ? {} : (await perform(core, readElsewhere, {}, actor)).worktrees
    return (await worktrees()).filter(({ name }) => away[name] === undefined)
  })
  const named = async (names: readonly string[] | undefined) =>
    (await here('')).filter(({ name }) => names?.includes(name) ?? true)
  return {
    observeWorktrees: async (names) => observe(await named(names)),
    measureWorktrees: async (names) => (await measurer())(await named(names)),
    absentWorktrees: async (names) => {
      const { absenceOf } = await later()
      const common = commonFolder(core.root)!
      return (await named(names))
        .filter(({ folder }) => folder === 'ready')
        .flatMap(({ name, branchName, path }) => {
          const why = absenceOf(common, { name, branch: branchName, path })
          return why === undefined ? [] : [{ name, why }]
        })
    },
    census: async (name) => (await later()).takeCensus(world, name),
    reviewWorktree: async (name) => (await later()).reviewOf(world, name),
    presentWorktree: async (name) => (await later()).presentOf(world, name),
    readReviewFile: async (review, file) => (await later()).readFile(world, review, file),
    readVerification: async (name) => {
      const read = await readWhole((await worktrees(name))[0]!.integration?.verification?.log ?? null)
      return { ...read, text: maskSecrets(read.text, ownSecrets()) }
    },
    worktreeContents: async (name) =>
      (await later()).contentsOf(core.root, (await worktrees(name))[0]!, core.settings.integration.target),
  }
}

const processesOf = (
  world: World,
): Pick<Outside, 'observeProcesses' | 'inspectAgent' | 'refusedHosts' | 'readRawOutput' | 'readOutput'> => {
  const { core, actor } = world
  const observe = processObserver()
  const agentNow = untilCommit(core.store, (agentId) => perform(core, getAgent, { agentId }, actor))
  return {
    observeProcesses: async () =>
      Promise.all(
        observe((await wishesOf(world)).runs).map(async (seen) => ({
          ...seen,
          lastOutput: await grownAt(outputPath(core.root, seen.agentId)),
        })),
      ),
    inspectAgent: async (agentId) => {
      const { run } = await perform(core, getAgent, { agentId }, actor)
      const wanted = (await wishesOf(world)).runs.find((one) => one.agentId === agentId)
      return inspectAgent(wanted, tokensOf(core, agentId, run))
    },
    refusedHosts: async (agentId) => entriesToAllow(core, agentId),
    readRawOutput: async (agentId, from) => {
      await perform(core, getAgent, { agentId }, actor)
      return readOutput(outputPath(core.root, agentId), from)
    },
    readOutput: async (agentId, from) => {
      // The id becomes a file name, so it must be a registered one.
      const { kind, run } = await agentNow(agentId)
      const path = outputPath(core.root, agentId)
      const writtenAt = await grownAt(path)
      return {
        ...(await readReadableOutput(path, from, world.kinds.get(kind), [
          ...tokensOf(core, agentId, run),
          ...ownSecrets(),
        ])),
        ...(writtenAt === null ? {} : { writtenAt }),
      }
    },
  }
}

const configurationsLater = (world: World): Outside['configurations'] => {
  const configurations = once(async () => (await later()).configurationsOf(world))
  return {
    read: async () => (await configurations()).read(),
    draft: async (...args) => (await configurations()).draft(...args),
    save: async (...args) => (await configurations()).save(...args),
  }
}

const memoriesOf = (core: Core): Outside['memories'] => {
  const memories = once(async () => (await later()).memoriesOf(core, process.env))
  return {
    read: async () => (await memories()).read(),
    forget: () =>
      void memories().then(
        (known) => known.forget(),
        () => {},
      ),
  }
}

/** The tokens of an agent's latest runs, which it may have printed with its environment. */
const tokensOf = ({ launchToken }: Core, agentId: string, runs: number): readonly string[] =>
  Array.from({ length: Math.min(runs, 20) }, (_, back) => launchToken(agentId, runs - back))

const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}
