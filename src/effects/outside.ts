import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '../domain/refusal.ts'
import { getAgent } from '../operations/get-agent.ts'
import type { Core } from '../operations/kernel/core.ts'
import { getWorktreeStatus } from '../operations/get-worktree-status.ts'
import type { Outside, Wish } from '../operations/kernel/outside.ts'
import { perform } from '../operations/kernel/perform.ts'
import { checkRule, writeRule } from './allow-rules.ts'
import { takeCensus } from './archive/census.ts'
import { nextChange } from './changes.ts'
import { jobsFor, look } from './loops.ts'
import { inspectAgent } from './agent-inspection.ts'
import { agentAbove } from './ancestry.ts'
import { readGitLog } from './git-log.ts'
import { memoriesOf } from './memories/memories.ts'
import { processObserver, worktreeObserver } from './observer.ts'
import { grownAt, readOutput, readWhole } from './output.ts'
import { project } from './projector.ts'
import { configPath, outputPath } from './places.ts'
import { readFile, reviewOf } from './review.ts'
import { saveLog } from './saved-logs.ts'
import { readSpoken } from './spoken-output.ts'
import { contentsOf } from './worktree-contents.ts'
import { worktreeMeasurer } from './worktree-size.ts'
import { radarOf } from './radar/of-world.ts'
import type { World } from './world.ts'

/** The real outside: git, processes and files. */
export const outsideOf = (world: World): Outside => {
  const { core, actor } = world
  const observeWorktrees = worktreeObserver(core.root, core.settings.integration.target)
  const observeProcesses = processObserver()
  const measureWorktrees = worktreeMeasurer()
  const worktrees = (name?: string) => perform(core, getWorktreeStatus, name === undefined ? {} : { worktreeName: name }, actor)
  return {
    carryOut: async (wish) => {
      if (wish.kind === 'allow_rule') writeRule(configPath(core.root), wish.personaId, wish.rule)
      else if (wish.kind === 'project_session') await project(world, new Map())
      else await carryOut(world, wish)
    },
    check: (wish) => {
      if (wish.kind === 'allow_rule') checkRule(configPath(core.root), wish.personaId, wish.rule)
    },
    nextChange: (version, ms, signal) => nextChange(core.store, version, ms, signal),
    observeWorktrees: async (names) => observeWorktrees((await worktrees()).filter((worktree) => names === undefined || names.includes(worktree.name))),
    measureWorktrees: async (names) => measureWorktrees((await worktrees()).filter((worktree) => names === undefined || names.includes(worktree.name))),
    observeProcesses: async () =>
      Promise.all(observeProcesses((await look(world)).runs).map(async (seen) => ({ ...seen, lastOutput: await grownAt(outputPath(core.root, seen.agentId)) }))),
    radar: (options) => radarOf(world, options),
    census: (name) => takeCensus(world, name),
    reviewWorktree: (name) => reviewOf(world, name),
    readReviewFile: (review, file) => readFile(world, review, file),
    readVerification: async (name) => readWhole((await worktrees(name))[0]!.integration?.verification?.log ?? null),
    gitCommands: async () => readGitLog(core.root),
    agentAbove: () => agentAbove(world),
    memories: memoriesOf(core, process.env),
    inspectAgent: async (agentId) => {
      const { run } = await perform(core, getAgent, { agentId }, actor)
      return inspectAgent(
        (await look(world)).runs.find((one) => one.agentId === agentId),
        tokensOf(core, agentId, run),
      )
    },
    worktreeContents: async (name) => contentsOf(core.root, (await worktrees(name))[0]!, core.settings.integration.target),
    saveLog: (name, text) => saveLog(core.root, name, text),
    readRawOutput: async (agentId, from) => {
      await perform(core, getAgent, { agentId }, actor)
      return readOutput(outputPath(core.root, agentId), from)
    },
    readOutput: async (agentId, from) => {
      // The id becomes a file name, so it must be one that was registered.
      const { kind, run } = await perform(core, getAgent, { agentId }, actor)
      const path = outputPath(core.root, agentId)
      const writtenAt = await grownAt(path)
      return { ...(await readSpoken(path, from, world.kinds.get(kind), tokensOf(core, agentId, run))), ...(writtenAt === null ? {} : { writtenAt }) }
    },
  }
}

/** The tokens of an agent's latest runs, which it may have printed with its environment. */
const tokensOf = ({ launchToken }: Core, agentId: string, runs: number): readonly string[] =>
  Array.from({ length: Math.min(runs, 20) }, (_, back) => launchToken(agentId, runs - back))

/** Milliseconds for which a surface waits for its wish; a verification may take its time. */
const PATIENCE = 30 * 60_000

/** Does what belongs to the wish until the rows say that nothing of it is left. */
const carryOut = async (world: World, wish: Wish): Promise<void> => {
  const until = Date.now() + PATIENCE
  while (Date.now() < until) {
    const jobs = jobsFor(world, await look(world), wish)
    if (jobs.length === 0) return afterwards(world, wish)
    const done = await Promise.all(jobs.map((job) => job.run()))
    if (done.includes(false)) await sleep(100)
  }
  throw new Refusal('database_busy', 'It takes longer than half an hour; a supervisor goes on with it.')
}

/** Landing an integration ends with the removal of its worktree. */
const afterwards = async (world: World, wish: Wish): Promise<void> => {
  if (wish.kind === 'land_integration') await carryOut(world, { kind: 'remove_worktree', worktree: wish.worktree })
}
