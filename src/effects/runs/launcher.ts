import { closeSync, existsSync, mkdirSync, openSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import stripJsonComments from 'strip-json-comments'
import type { Talk } from '../../agents/kind/conversation.ts'
import type { AgentHome, Launch } from '../../agents/kind/kind.ts'
import { isRefusal, isUndecided, Refusal } from '../../domain/rules/refusal.ts'
import { duration } from '../../domain/words/time.ts'
import { getAgent } from '../../operations/agents/list.ts'
import { perform } from '../../operations/perform/perform.ts'
import { recordLaunch, recordLaunchFailure, takeRun } from '../../operations/runs/processes.ts'
import type { AgentRun } from '../../operations/supervision/wishes.ts'
import { getWorktreeStatus } from '../../operations/worktrees/status.ts'
import { logsFolder, outputPath, runFolder, runPath } from '../files/paths.ts'
import { readRegular } from '../files/regular-file.ts'
import { commitOf } from '../git/commits.ts'
import { placeHere } from '../processes/identity.ts'
import { type DetachedStart, startDetached } from '../processes/process.ts'
import { which } from '../processes/programs.ts'
import { isVoid, readPid } from '../processes/shim.ts'
import { isOwnSetting, runCanBeConfined, wordsInside } from '../sandbox/run.ts'
import { RELAY } from '../talk/journal-entry.ts'
import { journalKey, journalOf, journalPath, OPEN, PROMPT, uuidOf } from '../talk/journal.ts'
import { noticeBeforeRun } from '../watch/checkout.ts'
import { provenFolder } from '../worktrees/folder.ts'
import { presentEnvironment, worktreeEnvironment } from '../worktrees/ports.ts'
import type { World } from '../world.ts'
import { briefFor } from './brief.ts'
import { agentEnvironment, type Begun, identifyRun, readBegun, recorded, sealOf } from './identity.ts'
import { endUnrecorded, promptFor } from './termination.ts'

/**
 * Starts the process of a requested run and records its identity. It can be repeated after a crash at any point: the
 * shim lets only one process claim the run, and a running one is recorded instead of started again. So it is repeated
 * also if the board does not answer: that says nothing about the run, whose process may have started.
 */
export const launch = async (world: World, run: AgentRun): Promise<void> => {
  const { core } = world
  const pidFile = runPath(core.root, run.agentId, run.run, 'pid')
  try {
    // Stopped before it began: the stopper records the end.
    if (isVoid(pidFile)) return
    if (readPid(pidFile) === undefined) {
      const folder = run.folder ?? (await workingFolder(world, run.worktree))
      if (folder === undefined) return
      // From here on no other host may start it, and its token is valid.
      if (!(await perform(core, takeRun, { agentId: run.agentId, run: run.run }, world.actor)).taken) return
      await start(world, run, folder, pidFile)
    }
    if (!(await record(world, run, await waitForPid(pidFile)))) await endIfOver(world, run)
  } catch (error) {
    if (isUndecided(error)) {
      if (mayBegin(core.root, run)) await endIfOver(world, run).catch(() => {})
      throw error
    }
    // The task is given to another agent, beside which no process of this run must work, nor one that begins only later.
    if (mayBegin(core.root, run) && !(await endUnrecorded(world, run))) throw error
    // The task did not cause this: a missing program or a full disk uses up no retry.
    await perform(
      core,
      recordLaunchFailure,
      { agentId: run.agentId, run: run.run, error: sentence(error), prompt: promptFor(world, run) },
      world.actor,
    )
  }
}

export interface Prepared extends Launch {
  readonly cwd: string
  /** The facts recorded with the run. */
  readonly model: string | null
  readonly resume: string | null
  /** The folder of the session files that it writes; null if it writes none. */
  readonly ownFiles: string | null
  /** Numbers of the messages in its prompt. */
  readonly messages: readonly number[]
}

/** The start of a run; `agent spawn --dry-run` prints it. */
export const prepare = async (world: World, run: AgentRun, folder: string): Promise<Prepared> => {
  const kind = world.kinds.get(run.kind)
  if (!kind) throw new Refusal('missing_binary', `The agent kind '${run.kind}' is not known.`)
  const { model, resume, messageIds, ...rest } = await briefFor(world, run, kind, folder)
  const launch = kind.launch({ ...rest, model, resume })
  return {
    ...launch,
    cwd: folder,
    model,
    resume,
    ownFiles: rest.files === null ? null : dirname(rest.files.result),
    messages: messageIds,
    environment: {
      ...agentEnvironment(world, run, kind.passes, launch.environment),
      ...(run.worktree === null ? {} : await presentEnvironment(world, run.worktree)),
    },
  }
}

/** The folder of a run; undefined while its worktree is still being built. */
export const workingFolder = async (world: World, worktree: string | null): Promise<string | undefined> => {
  if (worktree === null) return world.core.root
  const view = (await perform(world.core, getWorktreeStatus, { worktreeName: worktree }, world.actor))[0]!
  if (view.folder === 'building') return undefined
  if (view.folder !== 'ready') throw new Refusal('invalid_state', `Worktree ${worktree} is ${view.status}.`)
  return provenFolder(world, worktree)
}

const start = async (world: World, run: AgentRun, folder: string, pidFile: string): Promise<void> => {
  const { root } = world.core
  await noticeBeforeRun(world)
  // Checked before anything is written: if another program uses the port, the worktree gets another one.
  if (run.worktree !== null) await worktreeEnvironment(world, run.worktree)
  const prepared = await prepare(world, run, folder)
  const { argv, stdin, files, home, ownFiles, environment, model, resume, messages } = prepared
  const talk = world.kinds.get(run.kind)?.talk
  for (const made of [logsFolder(root), runFolder(root)]) mkdirSync(made, { recursive: true, mode: 0o700 })
  // The prompt is written first, because it is remembered even if the run cannot be started (seed 003).
  const prompt = runPath(root, run.agentId, run.run, 'prompt')
  if (stdin === null && !files.some(({ path }) => path === prompt) && world.kinds.get(run.kind)?.exitDecides !== true)
    write(prompt, argv.slice(1).join('\n'))
  const stdinFile = stdin === null ? null : runPath(root, run.agentId, run.run, 'stdin')
  if (stdinFile !== null) write(stdinFile, stdin!)
  const program = which(argv[0] ?? '', folder, environment['PATH'] ?? '')
  if (program === undefined)
    throw new Refusal(
      'missing_binary',
      `The program '${argv[0]}' of the agent kind '${run.kind}' was not found; install it or change its command in .aiswarm/config.yaml.`,
    )
  for (const file of files) write(file.path, file.content)
  if (home) makeAgentHome(home)
  if (ownFiles !== null) mkdirSync(ownFiles, { recursive: true })
  // The commit before the attempt: all later commits are the attempt's.
  write(runPath(root, run.agentId, run.run, 'head'), (await commitOf(folder, 'HEAD')) ?? '')
  const confined = await runCanBeConfined(world, run)
  refuseFreer(run, confined)
  const output = outputPath(root, run.agentId)
  closeSync(openSync(output, 'a', 0o600))
  write(
    runPath(root, run.agentId, run.run, 'start'),
    JSON.stringify({
      outputOffset: statSync(output).size,
      model,
      resumes: resume,
      place: placeHere(),
      sealed: true,
      talks: talk !== undefined,
      messages,
      unconfined: 'off' in confined ? confined.off : null,
    } satisfies Begun),
  )
  const words = await wordsOf(world, run, { ...prepared, program })
  await startDetached({
    ...(talk ? relayed(world, run, talk, words, prepared) : { argv: words, stdin: stdinFile }),
    cwd: folder,
    environment,
    output,
    pidFile,
    exitFile: runPath(root, run.agentId, run.run, 'exit'),
    lifeLine: runPath(root, run.agentId, run.run, 'life'),
    seal: sealOf(world.core, run),
  })
}

/** The configuration may have changed since an agent in a sandbox asked for the start. */
const refuseFreer = (
  { agentId, personaId, taskId, ofConfined }: AgentRun,
  confined: Awaited<ReturnType<typeof runCanBeConfined>>,
): void => {
  if ('off' in confined && ofConfined)
    throw new Refusal(
      'not_allowed',
      `An agent in a sandbox caused this start, and ${agentId} would be in none (${confined.off}). Only a person may start it: 'aiswarm agent spawn --persona ${personaId}${taskId === null ? '' : ` --task ${taskId}`}'.`,
    )
}

/** The words that start the program, with those before it. */
const wordsOf = async (
  world: World,
  run: AgentRun,
  prepared: Prepared & { readonly program: string },
): Promise<readonly string[]> => [
  ...(await wordsInside(world, run, prepared)),
  ...givenInside(run),
  prepared.program,
  ...prepared.argv.slice(1),
]

/** The variables that an agent gave are set for the program alone, and for none of our processes around it. */
const givenInside = ({ ofAgent, environment }: AgentRun): readonly string[] => {
  const given = Object.entries(environment)
  return ofAgent && given.length > 0 ? ['/usr/bin/env', ...given.map(([name, value]) => `${name}=${value}`)] : []
}

/** How long an agent may take until its conversation is open, on a busy machine (ms). */
const OPENING = 300_000

/** The start of a CLI whose input is a journal: it begins with the opening of the conversation, and the prompt. */
const relayed = (
  { core, self }: World,
  run: AgentRun,
  talk: Talk,
  words: readonly string[],
  { stdin, opening }: Pick<Prepared, 'stdin' | 'opening'>,
): Pick<DetachedStart, 'argv' | 'stdin' | 'journalKey'> => {
  const journal = journalPath(core.root, run)
  const prompt = { id: PROMPT, line: talk.say(uuidOf(core, run, PROMPT), stdin ?? '', false) }
  write(journal, journalOf(core, run, [...(opening === undefined ? [] : [{ id: OPEN, line: opening }]), prompt]))
  return {
    argv: [...self, RELAY, journal, talk.protocol, String(talk.patience), String(OPENING), ...words],
    stdin: null,
    journalKey: journalKey(core, run),
  }
}

/** False if the board no longer waits for this process: it is recorded, or the run has ended. */
const record = async ({ core, actor, kinds }: World, run: AgentRun, pid: number): Promise<boolean> => {
  // A process that has already ended gets an identity that no process has: it is found dead, and its exit file has the
  // result.
  const identity = identifyRun(core.root, run, pid) ?? { pid, startedAt: 'ended', bootId: 'ended' }
  const launched = await perform(
    core,
    recordLaunch,
    {
      agentId: run.agentId,
      run: run.run,
      ...identity,
      startsTask: kinds.get(run.kind)?.exitDecides ?? false,
      ...recorded(readBegun(core.root, run)),
    },
    actor,
  )
  return launched.recorded
}

/**
 * Kills what was started of a run that has ended on the board meanwhile, as when its host was lost and came back: nothing
 * else looks for it.
 */
const endIfOver = async (world: World, run: AgentRun): Promise<void> => {
  const agent = await perform(world.core, getAgent, { agentId: run.agentId }, world.actor)
  if (agent.status === 'terminated' || agent.run !== run.run) await endUnrecorded(world, run)
}

/** True once a shim may have been started, which claims the run at any later moment. */
const mayBegin = (root: string, { agentId, run }: AgentRun): boolean =>
  (['start', 'pid'] as const).some((kind) => existsSync(runPath(root, agentId, run, kind)))

/** How long the shim of a run may take until it claims the run, on a busy machine (ms). */
const CLAIMING = 30_000

const waitForPid = async (pidFile: string): Promise<number> => {
  for (let waited = 0; waited < CLAIMING; waited += 10) {
    const pid = readPid(pidFile)
    if (pid !== undefined) return pid
    if (isVoid(pidFile)) throw new Refusal('invalid_state', 'The run was stopped before it started.')
    await sleep(10)
  }
  throw new Refusal('setup_failed', `The process did not start within ${duration(CLAIMING)}; see ${dirname(pidFile)}.`)
}

const write = (path: string, content: string): void => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, content, { mode: 0o600 })
}

const sentence = (error: unknown): string => {
  if (isRefusal(error)) return error.message
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC') return 'The disk is full; make room and retry.'
  if (code === 'E2BIG')
    return 'The prompt is too long for a command line; configure the kind to take it on stdin or as a file.'
  return `The process could not be started: ${message}`.slice(0, 2000)
}

/**
 * Creates a separate home for a CLI that accepts settings only from there: its settings file is the person's with ours
 * merged over it, and everything else (login, sessions) is linked to the person's own. Changes nothing of the person's.
 */
export const makeAgentHome = ({ path, folder, file, content }: AgentHome, home: string = homedir()): void => {
  const own = join(home, folder)
  const lent = join(path, folder)
  mkdirSync(lent, { recursive: true, mode: 0o700 })
  // Data that the CLI keeps between runs goes to a place where a later run finds it.
  mkdirSync(join(own, 'tmp'), { recursive: true })
  for (const name of readdirSync(own))
    if (name !== file && !existsSync(join(lent, name))) symlinkSync(join(own, name), join(lent, name))
  writeFileSync(join(lent, file), `${JSON.stringify(merged(settingsIn(join(own, file)), content), null, 2)}\n`, {
    mode: 0o600,
  })
}

const settingsIn = (path: string): unknown => {
  // A link or a pipe may be of an earlier agent, which chose what the next one reads.
  const text = isOwnSetting(path) ? readRegular(path) : undefined
  if (text === undefined) return {}
  try {
    return JSON.parse(stripJsonComments(text, { trailingCommas: true }))
  } catch (error) {
    throw new Refusal(
      'config_invalid',
      `${path} is not valid JSON, so no agent can be started with it; fix it first.`,
      { cause: error },
    )
  }
}

/** Our value takes precedence; objects are merged key by key. */
const merged = (theirs: unknown, ours: unknown): unknown =>
  isRecord(theirs) && isRecord(ours)
    ? {
        ...theirs,
        ...Object.fromEntries(Object.entries(ours).map(([key, value]) => [key, merged(theirs[key], value)])),
      }
    : ours

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
